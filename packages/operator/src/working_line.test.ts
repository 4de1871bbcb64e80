import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertEquals } from "@std/assert";
import { withWorkingLine } from "./working_line.ts";

describe("withWorkingLine()", () => {
  it("shows the seconds after two seconds, not while it asks, and goes away before other output", async () => {
    const written: string[] = [];
    const terminal = withWorkingLine({
      env: {},
      out: (text) => written.push(text),
      err: (text) => written.push(text),
      ask: async () => (await sleep(1500), written.push("asked"), true),
      now: () => new Date(),
      random: (length) => new Uint8Array(length),
    }, (text) => written.push(JSON.stringify(text)));
    await sleep(2200);
    terminal.err("note");
    await terminal.ask!("sure?");
    terminal.end();
    terminal.out("done");
    assertEquals(written, ['"\\r\\u001b[Kworking for 2 s …"', '"\\r\\u001b[K"', "note", "asked", "done"]);
  });
});
