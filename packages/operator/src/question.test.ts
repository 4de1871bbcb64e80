import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { askQuestion } from "./question.ts";

describe("askQuestion()", () => {
  /** Returns the answer that askQuestion() takes from typed text, at a terminal or not. */
  async function answerTo(typed: string, end: boolean, isTTY = false): Promise<boolean> {
    const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY })];
    let shown = "";
    output.on("data", (chunk) => shown += chunk);
    const answer = askQuestion("Really?", input, output);
    input.write(typed);
    if (end) input.end();
    const agreed = await answer;
    assertStringIncludes(shown, "Really? [y/N] ");
    return agreed;
  }

  it("accepts y and yes as a yes, and every other answer as a no", async () => {
    for (const yes of ["y\n", "Y\n", " yes \n", "YES\r\n"]) {
      assertEquals(await answerTo(yes, false), true, yes);
    }
    for (const no of ["\n", "n\n", "yess\n", "no\ny\n", "ja\n"]) {
      assertEquals(await answerTo(no, false), false, no);
    }
  });

  it("treats the end of the input without an answer as a no", async () => {
    assertEquals(await answerTo("", true), false);
  });

  it("treats Ctrl-C and Ctrl-D at a terminal as a no, even after some letters", async () => {
    for (const typed of ["\x03", "y\x03", "\x04"]) {
      assertEquals(await answerTo(typed, false, true), false, JSON.stringify(typed));
    }
  });
});
