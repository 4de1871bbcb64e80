import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { RULES } from "./rules.ts";

describe("docs/audit.md", () => {
  it("lists every rule with its meaning", () => {
    const page = readFileSync(new URL("../../../docs/audit.md", import.meta.url), "utf8");
    const rows = Array.from(
      page.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm),
      ([, name, meaning]) => [name!, meaning!],
    );
    assertEquals(Object.fromEntries(rows), RULES);
  });
});
