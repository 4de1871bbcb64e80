import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { addBuiltin } from "./make_builtin.ts";

const BUILTIN = new URL("../../packages/audit/builtin.json", import.meta.url);

describe("builtin.json", () => {
  it("has the rows of a new server of Debian's Postgres 15 (otherwise run tools/schema/make_builtin.ts)", async () => {
    const file = JSON.parse(readFileSync(BUILTIN, "utf8"));
    assertEquals(await addBuiltin(file), file);
    assertEquals(Object.keys(file), ["15", "16", "17", "18"]);
  });
});
