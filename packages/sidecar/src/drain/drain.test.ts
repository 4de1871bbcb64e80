import { spawnSync } from "node:child_process";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch } from "../../../../tools/testing/assert.ts";
import { runtimeArguments } from "../../../../tools/testing/runtime_arguments.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

describe("sidecar drain", () => {
  const WRONG: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [["--second", "1"], /^There is no option --second\.$/],
    [["--seconds", "0"], /^--seconds must be a whole number from 1 to 600; got 0\.$/],
    [["--seconds", "1h"], /^--seconds must be .* got 1h\.$/],
    [["--seconds", "601"], /^--seconds must be .* got 601\.$/],
    [["--admin", "127.0.0.1:9901"], /^--admin has "127\.0\.0\.1:9901"; it must be unix:\/PATH\.$/],
    [["x"], /^drain takes options only; got x\.$/],
  ];
  for (const [args, says] of WRONG) {
    it(`names what is wrong in ${args.join(" ")}`, () => {
      const run = spawnSync(process.execPath, [...runtimeArguments(MAIN), "drain", ...args], {
        encoding: "utf8",
      });
      const [fault, usage] = run.stderr.split("\n");
      assertEquals([run.status, run.stdout], [2, ""]);
      assertMatch(fault!, says);
      assertMatch(usage!, /^sidecar drain \[--admin/);
    });
  }
});
