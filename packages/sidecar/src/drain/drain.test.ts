import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { runSidecar } from "../sidecar_fixture.ts";

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
    it(`names what is wrong in ${args.join(" ")}`, async () => {
      const { code, out, error } = await runSidecar(["drain", ...args]);
      const [fault, usage] = error.split("\n");
      assertEquals([code, out], [2, ""]);
      assertMatch(fault!, says);
      assertMatch(usage!, /^sidecar drain \[--admin/);
    });
  }
});
