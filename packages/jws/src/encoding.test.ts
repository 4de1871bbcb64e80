import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { decodeBase64url, textEncoding } from "./encoding.ts";
import { JwsError, type JwsReason } from "./errors.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

seedTests(import.meta.url);

function refuses(text: string, reason: JwsReason): void {
  assertEquals(assertThrows(() => decodeBase64url(text), JwsError).reason, reason, JSON.stringify(text));
}

describe("textEncoding", () => {
  it("utf8() returns the same bytes as TextEncoder, also for lone surrogates", () => {
    const encoder = new TextEncoder();
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
      assertEquals(textEncoding.utf8(text), encoder.encode(text));
    }));
    const codeUnits = fc.array(fc.integer({ min: 0xd700, max: 0xe0ff }), { maxLength: 12 });
    fc.assert(fc.property(codeUnits, (units) => {
      const text = String.fromCharCode(...units);
      assertEquals(textEncoding.utf8(text), encoder.encode(text));
    }));
    for (
      const text of [
        "",
        "\x7f\x80\u07ff\u0800\uffff\u{10000}\u{10ffff}",
        "\ud800",
        "\udfff",
        "\udc00\ud800",
        "ذهب 🪙",
      ]
    ) {
      assertEquals(textEncoding.utf8(text), encoder.encode(text));
    }
  });
  it("base64url() returns the same text as Buffer, and decodeBase64url() returns the bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const text = textEncoding.base64url(bytes);
      assertEquals(text, Buffer.from(bytes).toString("base64url"));
      assertEquals(decodeBase64url(text), bytes);
    }));
  });
});

describe("decodeBase64url()", () => {
  it("accepts the 64 letters of the alphabet and no other code unit", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (let code = 0; code <= 0xffff; code++) {
      const letter = String.fromCharCode(code);
      if (alphabet.includes(letter)) decodeBase64url(`AA${letter}A`);
      else refuses(`AA${letter}A`, "base64url_invalid");
    }
  });
  it("refuses padding, white space and the plain base64 alphabet", () => {
    for (const text of ["AA==", "AAA=", " AAAA", "AAAA\n", "AA AA", "AA+A", "AA/A", "\ufeffAAAA"]) {
      refuses(text, "base64url_invalid");
    }
  });
  it("rejects non-zero bits after the last byte, and a single letter left over", () => {
    for (const text of ["AB", "AP", "AAB", "AAD", "A", "AAAAA", "_", "AAAAB"]) {
      refuses(text, "base64url_not_canonical");
    }
    for (const text of ["", "AA", "AQ", "AAE", "AAA", "AAAA"]) decodeBase64url(text);
  });
  it("never decodes two different texts to the same bytes", () => {
    const seen = new Set<string>();
    const letters = "AQgwBCD_-9";
    const texts = [""];
    for (let length = 0; length < 4; length++) {
      for (const text of texts.filter((one) => one.length === length)) {
        for (const letter of letters) texts.push(text + letter);
      }
    }
    for (const text of texts) {
      try {
        const bytes = decodeBase64url(text).join();
        assertEquals(seen.has(bytes), false, text);
        seen.add(bytes);
      } catch (error) {
        assertEquals((error as JwsError).reason, "base64url_not_canonical");
      }
    }
  });
  it("rejects a value that is not a string", () => {
    for (const value of [undefined, null, 5, {}, ["AAAA"], new Uint8Array(4)]) {
      refuses(value as never, "base64url_invalid");
    }
  });
  it("names the wrong character, its position and the correction", () => {
    const { message } = assertThrows(() => decodeBase64url("AAA=", "signature"), JwsError);
    assertEquals(
      message,
      'The signature contains "=" at position 3. base64url allows only A-Z, a-z, 0-9, - and _, without = ' +
        "padding, spaces or line breaks. Encode with the URL alphabet and strip the padding.",
    );
  });
});
