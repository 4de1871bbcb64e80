import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { printable, printableJson } from "./printable.ts";

const HOSTILE = "A\u001b[2J\u0007\r\nB\u007f\u009b31m\u202eC\u2066\u200f\u2028\u061cD";
const HOSTILE_RANGES = [
  [0, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2064],
  [0x2066, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xe0020, 0xe007f],
];

describe("printable()", () => {
  it("escapes every character that a terminal would interpret or hide", () => {
    assertEquals(
      printable(HOSTILE),
      "A\\u{1b}[2J\\u{7}\\u{d}\\u{a}B\\u{7f}\\u{9b}31m\\u{202e}C\\u{2066}\\u{200f}\\u{2028}\\u{61c}D",
    );
    for (const [from, to] of HOSTILE_RANGES) {
      for (let code = from!; code <= to!; code++) {
        assertEquals(printable(String.fromCodePoint(code)), `\\u{${code.toString(16)}}`);
      }
    }
  });

  it("leaves ordinary text of any script unchanged", () => {
    for (const text of ["Example Bank", "بنك المثال", "उदाहरण", "Zoë – №1", "a\\b", "👍🏽"]) {
      assertEquals(printable(text), text);
    }
  });
});

describe("printableJson()", () => {
  it("keeps the value and escapes the same characters", () => {
    const hidden = `${HOSTILE}\u200b\u{e0041}`;
    const text = printableJson({ [hidden]: [hidden] });
    assertEquals(JSON.parse(text), { [hidden]: [hidden] });
    assertEquals(printable(text), text);
  });
});
