import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { assertEquals } from "@std/assert";
import { openLineWriter } from "./line_writer.ts";

describe("openLineWriter()", () => {
  it("writes the lines of one turn together, in their order, and waits for no other turn", async () => {
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

  it("writes at once what it is told to flush, and nothing twice", async () => {
    const written: string[] = [];
    const { write, flush } = openLineWriter((text) => written.push(text));
    flush();
    write("last");
    flush();
    await setImmediate();
    assertEquals(written, ["last\n"]);
  });

  it("writes whole lines, and never more than a pipe takes in one piece unless a line is longer", () => {
    const written: string[] = [];
    const { write, flush } = openLineWriter((text) => written.push(text));
    const lines = [1000, 3000, 95, 1, 4095, 5000, 10].map((length) => "x".repeat(length));
    for (const line of lines) write(line);
    flush();
    assertEquals(written.join(""), lines.map((line) => `${line}\n`).join(""));
    assertEquals(written.map(({ length }) => length), [4002, 98, 4096, 5001, 11]);
  });

  it("takes lines while it writes", async () => {
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
