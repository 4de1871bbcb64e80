import { afterEach, describe, it } from "node:test";
import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { startUsageRecorder, type UsageRecorder, type Use } from "./usage_recorder.ts";
import { until } from "../../../../../testing/until.ts";

const AT_MS = Date.parse("2026-01-31T09:30:00.000Z");
const MINUTE_MS = 60_000;
const FLUSH_MS = 50;

const use = (id: string, afterMs: number, kind: Use["kind"] = "certificate"): Use => ({
  kind,
  partner: 1,
  id,
  atMs: AT_MS + afterMs,
});
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("startUsageRecorder()", () => {
  let recorder: UsageRecorder | undefined;
  afterEach(async () => await recorder?.stop());

  /** Starts a recorder. The test sees each write, and can delay it or make it fail. */
  function stage(write: (number: number) => void | Promise<void> = () => {}) {
    const written: (readonly Use[])[] = [];
    recorder = startUsageRecorder(async (uses) => {
      written.push(uses);
      await write(written.length);
    }, FLUSH_MS);
    const writings = async (count: number) => {
      await until(() => written.length >= count, () => written);
      return written;
    };
    return { recorder, written, writings };
  }

  it("writes a use by the next turn, and nothing while nothing happens", async () => {
    const { recorder, written, writings } = stage();
    await pause(2 * FLUSH_MS);
    assertEquals(written.length, 0);
    recorder.note(use("a", 0));
    assertEquals(await writings(1), [[use("a", 0)]]);
  });

  it("writes the latest of many uses, all that are due in one writing", async () => {
    const { recorder, written } = stage();
    for (let ms = 0; ms < 1000; ms++) recorder.note(use("a", ms));
    recorder.note(use("a", 5, "signing_key"));
    recorder.note({ ...use("a", 6, "signing_key"), partner: 2 });
    await recorder.stop();
    assertEquals(written, [[
      use("a", 999),
      use("a", 5, "signing_key"),
      { ...use("a", 6, "signing_key"), partner: 2 },
    ]]);
  });

  it("writes a credential again when a minute has passed between its uses, and not before", async () => {
    const { recorder, written, writings } = stage();
    recorder.note(use("a", 0));
    await writings(1);
    recorder.note(use("a", MINUTE_MS - 1));
    recorder.note(use("b", 1));
    assertEquals((await writings(2)).at(-1), [use("b", 1)]);
    recorder.note(use("a", MINUTE_MS));
    await recorder.stop();
    assertEquals(written.at(-1), [use("a", MINUTE_MS)]);
    assertEquals(written.length, 3);
  });

  it("survives a writing that fails: the next use is written", async () => {
    const { recorder, writings } = stage((number) => {
      if (number === 1) throw new Error("away");
    });
    recorder.note(use("a", 0));
    await writings(1);
    recorder.note(use("a", 1));
    assertEquals((await writings(2))[1], [use("a", 1)]);
  });

  it("starts no writing while one is under way, and notes on", async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => finish = resolve);
    const { recorder, written, writings } = stage((number) => number === 1 ? finished : undefined);
    recorder.note(use("a", 0));
    await writings(1);
    recorder.note(use("a", 1));
    recorder.note(use("b", 1));
    await pause(3 * FLUSH_MS);
    assertEquals(written.length, 1);
    finish();
    assertEquals((await writings(2))[1], [use("b", 1)]);
  });

  it("writes once more when it is stopped, and waits no longer than a turn for it", async () => {
    const { recorder, written } = stage(() => new Promise<void>(() => {}));
    recorder.note(use("a", 0));
    const startedMs = performance.now();
    await recorder.stop();
    assertEquals(written.length, 1);
    assertLessOrEqual(performance.now() - startedMs, 10_000);
    recorder.note(use("b", 0));
    await pause(3 * FLUSH_MS);
    assertEquals(written.length, 1);
  });

  it("keeps what was written only as long as it matters", async () => {
    const { recorder, written, writings } = stage();
    recorder.note(use("a", 0));
    await writings(1);
    recorder.note(use("b", MINUTE_MS));
    await writings(2);
    // If the recorder still remembered the first use, it would not write this one: it is less than a minute
    // later.
    recorder.note(use("a", MINUTE_MS - 1));
    await recorder.stop();
    assert(written.at(-1)!.some(({ id }) => id === "a"));
  });
});
