import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { assertEquals } from "@std/assert";
import { openLineWriter } from "./line_writer.ts";

describe("openLineWriter()", () => {
  it("writes the lines of one turn of the event loop together and in order", async () => {
    const written: string[] = [];
    const { write } = openLineWriter((text) => written.push(text));
    write("a");
    await Promise.resolve();
    write("b");
    assertEquals(written, []);
    await setImmediate();
    assertEquals(written, ["a\nb\n"]);
    write("c");
    await setImmediate();
    assertEquals(written, ["a\nb\n", "c\n"]);
  });

  it("writes held lines at once on flush, and no line twice", async () => {
    const written: string[] = [];
    const { write, flush } = openLineWriter((text) => written.push(text));
    flush();
    write("last");
    flush();
    await setImmediate();
    assertEquals(written, ["last\n"]);
  });

  it("writes whole lines, in pieces of at most 4,096 characters unless a line is longer", () => {
    const written: string[] = [];
    const { write, flush } = openLineWriter((text) => written.push(text));
    const lines = [1000, 3000, 95, 1, 4095, 5000, 10].map((length) => "x".repeat(length));
    for (const line of lines) write(line);
    flush();
    assertEquals(written.join(""), lines.map((line) => `${line}\n`).join(""));
    assertEquals(written.map(({ length }) => length), [4002, 98, 4096, 5001, 11]);
  });

  it("accepts a line during a write", async () => {
    const written: string[] = [];
    const { write, flush } = openLineWriter((text) => {
      written.push(text);
      if (text === "a\n") write("during");
    });
    write("a");
    flush();
    await setImmediate();
    assertEquals(written, ["a\n", "during\n"]);
  });
});
