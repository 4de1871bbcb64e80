import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import {
  IDEMPOTENCY_KEY_FORM,
  NONCE_FORM,
  REPLY_HEADER,
  REQUEST_HEADER,
  SIGNATURE_FORM,
  TIMESTAMP_FORM,
} from "./header.ts";
import { REFERENCE_FORM, REFERENCE_MAX_CHARACTERS } from "./limit.ts";

const VISIBLE = Array.from({ length: 0x7f - 0x21 }, (_, index) => String.fromCharCode(0x21 + index));

/**
 * Tries each character from U+0000 to U+00FF between `before` and `after`. Returns the characters that the
 * form accepts.
 */
function taken(form: RegExp, before: string, after: string): string[] {
  const all = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
  return all.filter((character) => form.test(before + character + after));
}

describe("formats of headers", () => {
  it("X-Nonce accepts 16 to 128 visible characters without commas", () => {
    assertEquals(taken(NONCE_FORM, "0123456", "01234567"), VISIBLE.filter((character) => character !== ","));
    for (const [length, fits] of [[15, false], [16, true], [128, true], [129, false]] as const) {
      assertEquals(NONCE_FORM.test("x".repeat(length)), fits, `${length}`);
    }
    assertEquals(NONCE_FORM.test(`${"x".repeat(16)}\n`), false);
  });

  it("Idempotency-Key accepts 1 to 255 visible characters", () => {
    assertEquals(taken(IDEMPOTENCY_KEY_FORM, "", ""), VISIBLE);
    for (const [length, fits] of [[0, false], [1, true], [255, true], [256, false]] as const) {
      assertEquals(IDEMPOTENCY_KEY_FORM.test("x".repeat(length)), fits, `${length}`);
    }
  });

  it("X-Timestamp accepts only ten digits, and the first is not 0", () => {
    assertEquals(TIMESTAMP_FORM.test("1700000000"), true);
    for (
      const text of [
        "170000000",
        "17000000000",
        "1700000000000",
        "0700000000",
        "+170000000",
        "1.70000000",
        "1700000000 ",
        "",
      ]
    ) {
      assertEquals(TIMESTAMP_FORM.test(text), false, text);
    }
  });

  it("X-JWS-Signature accepts a detached ES256 signature", () => {
    const signature = "A".repeat(86);
    assertEquals(SIGNATURE_FORM.test(`eyJ-_9..${signature}`), true);
    for (
      const text of [
        `..${signature}`,
        `eyJ.e30.${signature}`,
        `eyJ..${signature}=`,
        `eyJ..${signature.slice(1)}`,
        `eyJ..+${signature.slice(1)}`,
      ]
    ) {
      assertEquals(SIGNATURE_FORM.test(text), false, text);
    }
  });

  it("a reference accepts at most 35 characters, and only characters that banks pass on", () => {
    const inside = "'()+,-./0123456789:?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    assertEquals(taken(REFERENCE_FORM, "a", "a").join(""), ` ${inside}`);
    assertEquals(taken(REFERENCE_FORM, "", "a").join(""), inside.replace("/", ""));
    assertEquals(taken(REFERENCE_FORM, "a", "").join(""), inside.replace("/", ""));
    for (const length of [0, 1, 2, REFERENCE_MAX_CHARACTERS]) {
      assertEquals(REFERENCE_FORM.test("x".repeat(length)), true);
    }
    assertEquals(REFERENCE_FORM.test("x".repeat(REFERENCE_MAX_CHARACTERS + 1)), false);
  });

  it("no header name is listed twice", () => {
    const names = [...Object.values(REQUEST_HEADER), ...Object.values(REPLY_HEADER)].map((name) =>
      name.toLowerCase()
    );
    assertEquals(new Set(names).size, names.length);
  });
});
