import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findPrograms, MissingPart } from "../postgres_15.ts";
import { dumpSchema } from "./dump_schema.ts";

const COMMITTED = new URL("../../packages/server/schema.sql", import.meta.url);

describe("schema.sql", () => {
  it("is what a freshly migrated database looks like: if not, run npm run schema and read what changed", async () => {
    assertEquals(await dumpSchema(findPrograms()), readFileSync(COMMITTED, "utf8"));
  });

  it("holds the tables, the routines, their owners and their grants, and nothing of the occasion", () => {
    const schema = readFileSync(COMMITTED, "utf8");
    for (
      const line of [
        "CREATE TABLE gold.transfer (",
        "ALTER TABLE gold.transfer OWNER TO gold_owner;",
        "GRANT SELECT,INSERT ON TABLE gold.transfer TO gold_book;",
        "    SET enable_seqscan TO 'off'",
      ]
    ) assert(schema.includes(`\n${line}`), line);
    assert(!/Dumped (from|by)|restrict /.test(schema), "no version and no random word");
  });
});

describe("findPrograms()", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "gold-programs-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("says loudly which program is missing, and where", () => {
    const { message } = assertThrows(() => findPrograms({ PG_BIN: folder }), MissingPart);
    assertMatch(message, /^There is no initdb in .*: install postgresql-15, or set PG_BIN\.$/);
  });

  it("takes no other version", () => {
    for (const name of ["initdb", "postgres", "pg_dump"]) {
      writeFileSync(join(folder, name), "#!/bin/sh\necho 'pg_dump (PostgreSQL) 16.15'\n", { mode: 0o755 });
    }
    const { message } = assertThrows(() => findPrograms({ PG_BIN: folder }), MissingPart);
    assertMatch(message, /holds "pg_dump \(PostgreSQL\) 16\.15"; this needs version 15/);
  });
});
