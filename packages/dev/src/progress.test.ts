import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { doStep, openProgress } from "./progress.ts";

const STEP = "\x1b[32m✔\x1b[0m health     \x1b[2m   12 ms\x1b[0m  up\n";
const LONG_MS = 1200;

function recordProgress(
  output: { isTTY?: boolean; columns?: number },
  env: Record<string, string> = {},
  json = false,
) {
  const written: string[] = [];
  let onWrite = () => {};
  const write = (text: string) => {
    written.push(text);
    onWrite();
  };
  const progress = openProgress({ output: { ...output, write }, json, env });
  /**
   * A long step. It ends with the first progress line, so that a slow machine does not write a second one.
   */
  const last = () => new Promise<void>((resolve) => onWrite = resolve);
  return { progress, written, last };
}

describe("openProgress()", () => {
  it("prints colours only on a terminal, and never with NO_COLOR", () => {
    const plain = "✔ health        12 ms  up\n";
    const cases = [
      [{ isTTY: true }, {}, STEP],
      [{ isTTY: true }, { NO_COLOR: "1" }, plain],
      [{ isTTY: true }, { TERM: "dumb" }, plain],
      [{}, {}, plain],
    ] as const;
    for (const [output, env, expected] of cases) {
      const { progress, written } = recordProgress(output, env);
      progress.report("health", 12.4, "up");
      assertEquals(written, [expected]);
    }
  });

  it("shows a long step's progress in one terminal line, cut to fit and cleared at the end", async () => {
    const { progress, written, last } = recordProgress({ isTTY: true, columns: 40 }, { NO_COLOR: "1" });
    await doStep(
      progress,
      "database",
      "making a cluster of the longest words",
      last,
      () => "up",
    );
    assertEquals(written.slice(0, 2), ["\r\x1b[2K… database       1 s   making a cluster", "\r\x1b[2K"]);
    assertStringIncludes(written[2]!, "✔ database");
    assertEquals(written.length, 3);
  });

  it("prints a progress line only for a long step, where lines cannot be rewritten", async () => {
    const { progress, written, last } = recordProgress({});
    await doStep(progress, "database", "making a cluster", last, () => "up");
    await doStep(progress, "health", "asking", async () => {}, () => "up");
    assertEquals(written.length, 3);
    assertEquals(written[0], "… database       1 s   making a cluster\n");
    await sleep(LONG_MS);
    assertEquals(written.length, 3);
  });

  it("prints one JSON object per step with --json, and no text for people", async () => {
    const { progress, written } = recordProgress({ isTTY: true }, {}, true);
    progress.say("for people");
    await doStep(progress, "database", "making a cluster", () => sleep(LONG_MS), () => "up");
    progress.conclude("ready", 1.6, "serving", { base_url: "https://localhost" });
    const [{ ms, ...step }, ready] = written.map((line) => JSON.parse(line));
    assertEquals(Number.isInteger(ms), true);
    assertEquals(step, { step: "database", what: "up" });
    assertEquals(ready, { step: "ready", ms: 2, what: "serving", base_url: "https://localhost" });
    assertEquals(written.length, 2);
  });
});
