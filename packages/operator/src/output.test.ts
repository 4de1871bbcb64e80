import { describe, it } from "node:test";
import { printable } from "@gold-partner/server";
import { assertEquals } from "@std/assert";
import { printJson, printText } from "./output.ts";

const HOSTILE = "Bank\u001b[2J\n\u202e\u009b";
const SHOWN = "Bank\\u{1b}[2J\\u{a}\\u{202e}\\u{9b}";
const PEM = "-----BEGIN CERTIFICATE-----\nAb+/=\n-----END CERTIFICATE-----\n";

describe("output", () => {
  it("escapes terminal control characters in text: in tables, pairs, lists and titles", () => {
    const row = { name: HOSTILE, names: [HOSTILE, "plain"] };
    assertEquals(printText({ title: HOSTILE }), SHOWN);
    assertEquals(printText({ object: row }), `name   ${SHOWN}\nnames  ${SHOWN}, plain`);
    assertEquals(printText({ items: [row] }).split("\n").length, 2);
    assertEquals(printText({ lists: { keys: [row] } }).includes(SHOWN), true);
  });

  it("escapes terminal control characters in JSON without changing the value", () => {
    const text = printJson({ items: [{ name: HOSTILE }] });
    assertEquals(printable(text), text);
    assertEquals(JSON.parse(text), { items: [{ name: HOSTILE }] });
  });

  it("prints a PEM certificate with its line breaks, and escapes text that only begins like one", () => {
    assertEquals(printText({ object: { certificate: PEM + PEM } }), `certificate  ${PEM}${PEM}`);
    assertEquals(printText({ object: { certificate: `${PEM}${HOSTILE}` } }).includes("\u001b"), false);
  });
});
