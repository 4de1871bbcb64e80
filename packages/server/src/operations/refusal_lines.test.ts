import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { until } from "../../../../tools/testing/until.ts";
import { createRefusalLines } from "./refusal_lines.ts";

describe("createRefusalLines()", () => {
  const recorded = () => {
    const lines: unknown[] = [];
    const refusals = createRefusalLines((_level, event, fields) => lines.push([event, fields]));
    /** Returns how many of these refusals get a line. */
    const refuse = (times: number, clientId: string | undefined, code: string) =>
      Array.from({ length: times }, () => refusals.getsLine(clientId, code)).filter(Boolean).length;
    return { lines, refusals, refuse };
  };

  it("gives the first ten of a partner with one code a line, and counts the others", () => {
    const { lines, refusals, refuse } = recorded();
    assertEquals([refuse(25, "one", "rate_limited"), refuse(11, "one", "not_found")], [10, 10]);
    assertEquals([refuse(3, "two", "rate_limited"), refuse(12, undefined, "rate_limited")], [3, 10]);
    refusals.stop();
    assertEquals(lines, [
      ["more refusals", { code: "rate_limited", client_id: "one", refusals: 15 }],
      ["more refusals", { code: "not_found", client_id: "one", refusals: 1 }],
      ["more refusals", { code: "rate_limited", refusals: 2 }],
    ]);
  });

  it("reports the number about a second after the first refusal, and then starts again", async () => {
    const { lines, refusals, refuse } = recorded();
    refuse(12, "one", "rate_limited");
    await until(() => lines.length === 1);
    assertEquals(refuse(12, "one", "rate_limited"), 10);
    refusals.stop();
    refusals.stop();
    assertEquals(lines.length, 2);
  });
});
