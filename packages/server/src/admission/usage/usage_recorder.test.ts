import { afterEach, describe, it } from "node:test";
import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { startUsageRecorder, type UsageRecorder, type Use } from "./usage_recorder.ts";
import { until } from "../../../../../tools/testing/until.ts";

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

  it("writes a use at the next flush, and writes nothing without uses", async () => {
    const { recorder, written, writings } = stage();
    await pause(2 * FLUSH_MS);
    assertEquals(written.length, 0);
    recorder.note(use("a", 0));
    assertEquals(await writings(1), [[use("a", 0)]]);
  });

  it("writes only the latest use of each credential, all in one write", async () => {
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

  it("writes a credential again only if its uses are at least a minute apart", async () => {
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

  it("waits for a running write when it is stopped", async () => {
    let isWritten = false;
    const { recorder, writings } = stage(async () => {
      await pause(FLUSH_MS / 2);
      isWritten = true;
    });
    recorder.note(use("a", 0));
    await writings(1);
    await recorder.stop();
    assertEquals(isWritten, true);
  });

  it("writes the next use after a failed write", async () => {
    const { recorder, writings } = stage((number) => {
      if (number === 1) throw new Error("away");
    });
    recorder.note(use("a", 0));
    await writings(1);
    recorder.note(use("a", 1));
    assertEquals((await writings(2))[1], [use("a", 1)]);
  });

  it("starts no write while another is running, and keeps noting uses", async () => {
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

  it("writes the remaining uses when it is stopped, and does not wait forever for that write", async () => {
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

  it("forgets a written use after a minute", async () => {
    const { recorder, written, writings } = stage();
    recorder.note(use("a", 0));
    await writings(1);
    recorder.note(use("b", MINUTE_MS));
    await writings(2);
    // The recorder would not write this use if it still remembered the first use, which is less than a minute
    // earlier.
    recorder.note(use("a", MINUTE_MS - 1));
    await recorder.stop();
    assert(written.at(-1)!.some(({ id }) => id === "a"));
  });
});
