import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findPrograms, MissingPart } from "../postgres_15.ts";
import { dumpSchema } from "./dump_schema.ts";
import { addBuiltin } from "./make_builtin.ts";

const BUILTIN = new URL("../../packages/audit/builtin.json", import.meta.url);
const COMMITTED = new URL("../../packages/server/schema.sql", import.meta.url);

describe("schema.sql", () => {
  it("equals the dump of a freshly migrated database (otherwise run npm run schema)", async () => {
    assertEquals(await dumpSchema(findPrograms()), readFileSync(COMMITTED, "utf8"));
  });

  it("contains tables, views, indexes and triggers, and nothing that differs from dump to dump", () => {
    const schema = readFileSync(COMMITTED, "utf8");
    for (
      const line of [
        "CREATE TABLE gold.transfer (",
        "CREATE VIEW gold.partner_overview AS",
        "CREATE INDEX funding_newest ON gold.funding",
        "CREATE TRIGGER post_transfers AFTER INSERT ON gold.transfer",
      ]
    ) assert(schema.includes(`\n${line}`), line);
    assert(
      !/Dumped (from|by)|restrict /.test(schema),
      "the dump contains pg_dump's version or its random word",
    );
  });
});

describe("builtin.json", () => {
  it("has the rows of a new server of Debian's Postgres 15 (otherwise run tools/schema/make_builtin.ts)", async () => {
    const file = JSON.parse(readFileSync(BUILTIN, "utf8"));
    assertEquals(await addBuiltin(file, findPrograms()), file);
    assertEquals(Object.keys(file), ["15", "16", "17", "18"]);
  });
});

describe("findPrograms()", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "gold-programs-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("names the missing program and its folder", () => {
    const { message } = assertThrows(() => findPrograms({ PG_BIN: folder }), MissingPart);
    assertMatch(
      message,
      /^initdb was not found in .*\. Install postgresql-15, or set PG_BIN to its folder of programs\.$/,
    );
  });

  it("rejects another version of Postgres", () => {
    for (const name of ["initdb", "postgres", "pg_dump"]) {
      writeFileSync(join(folder, name), "#!/bin/sh\necho 'pg_dump (PostgreSQL) 16.15'\n", { mode: 0o755 });
    }
    const { message } = assertThrows(() => findPrograms({ PG_BIN: folder }), MissingPart);
    assertMatch(message, /has "pg_dump \(PostgreSQL\) 16\.15", but version 15 is needed/);
  });
});
