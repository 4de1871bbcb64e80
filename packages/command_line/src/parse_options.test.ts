import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { parseOptions } from "./parse_options.ts";

const OPTIONS = {
  grams: { type: "string" },
  port: { type: "string", default: "8443" },
  ip: { type: "string", multiple: true },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

describe("parseOptions()", () => {
  it("reads options, defaults and arguments", () => {
    const { values, positionals } = parseOptions(
      ["order", "--grams=-5", "--ip", "a", "--ip=b", "-h", "--", "--json"],
      OPTIONS,
    );
    assertEquals({ ...values }, { grams: "-5", ip: ["a", "b"], help: true, port: "8443" });
    assertEquals(positionals, ["order", "--json"]);
    assertEquals({ ...parseOptions(["--grams", "-"], OPTIONS).values }, { grams: "-", port: "8443" });
  });

  it("says in one sentence what is wrong, without the quotes and lines of Node's text", () => {
    const wrong: readonly (readonly [args: string[], says: string])[] = [
      [["--gram", "5"], "There is no option --gram."],
      [["--no-json"], "There is no option --no-json."],
      [["-x"], "There is no option -x."],
      [["--toString"], "There is no option --toString."],
      [["--grams"], "--grams needs a value."],
      [["--grams", "-5"], "--grams needs a value. If -5 is the value, write --grams=-5."],
      [["--grams", "--json"], "--grams needs a value. If --json is the value, write --grams=--json."],
      [["--json=1"], "--json takes no value; got 1."],
      [["--json="], "--json takes no value; got ."],
      [["--grams", "1", "--grams=2"], "--grams is given twice. Give it once."],
      [["--json", "--json"], "--json is given twice. Give it once."],
    ];
    for (const [args, says] of wrong) {
      assertEquals((assertThrows(() => parseOptions(args, OPTIONS)) as Error).message, says);
    }
  });
});
