import { assertEquals, assertMatch, assertThrows } from "../testing/assert.ts";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findPrograms, MissingPart } from "../postgres_15.ts";
import { addBuiltin } from "./make_builtin.ts";

const BUILTIN = new URL("../../packages/audit/builtin.json", import.meta.url);

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
    for (const name of ["initdb", "postgres"]) {
      writeFileSync(join(folder, name), "#!/bin/sh\necho 'postgres (PostgreSQL) 16.15'\n", { mode: 0o755 });
    }
    const { message } = assertThrows(() => findPrograms({ PG_BIN: folder }), MissingPart);
    assertMatch(message, /has "postgres \(PostgreSQL\) 16\.15", but version 15 is needed/);
  });
});
