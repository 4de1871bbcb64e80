import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { encodeElement, encodeInteger, encodeSequence, findContent, readEcdsaSignature } from "./der.ts";

const hex = (bytes: Uint8Array | null): string | undefined =>
  bytes?.reduce((text, byte) => text + byte.toString(16).padStart(2, "0"), "");
const bytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

describe("DER", () => {
  it("encodeInteger() writes the fewest bytes that keep the number positive", () => {
    const encodings: [bigint, string][] = [
      [0n, "020100"],
      [1n, "020101"],
      [127n, "02017f"],
      [128n, "02020080"],
      [255n, "020200ff"],
      [256n, "02020100"],
      [0x8000n, "0203008000"],
    ];
    for (const [value, encoded] of encodings) assertEquals(hex(encodeInteger(value)), encoded);
  });

  it("encodeElement() writes short and long lengths", () => {
    const heads: [number, string][] = [[0, "0400"], [127, "047f"], [128, "048180"], [255, "0481ff"], [
      256,
      "04820100",
    ]];
    for (const [length, head] of heads) {
      const element = encodeElement(4, new Uint8Array(length));
      assertEquals(hex(element.subarray(0, head.length / 2)), head);
      assertEquals(element.length, length + head.length / 2);
    }
  });

  it("findContent() accepts exactly one element, in its shortest form", () => {
    assertEquals(findContent(bytes("300101")), 2);
    assertEquals(findContent(encodeElement(0x30, new Uint8Array(300))), 4);
    for (const text of ["", "30", "3001", "30010101", "30810101", "30800000"]) {
      assertEquals(findContent(bytes(text)), null, text);
    }
  });

  it("readEcdsaSignature() returns r and s padded to 32 bytes each", () => {
    const top = 2n ** 256n - 1n;
    assertEquals(
      hex(readEcdsaSignature(encodeSequence(encodeInteger(1n), encodeInteger(top)))),
      "01".padStart(64, "0") + "f".repeat(64),
    );
  });

  it("readEcdsaSignature() rejects every other encoding of the same numbers", () => {
    const refused = [
      "",
      "30",
      "3006020101",
      "30060201010201",
      "300602010102010100", // one byte too many
      "30070202000102010a", // a needless zero byte
      "30060201810201ff", // negative
      "308106020101020101", // a long-form length where the short form fits
      "310602010102010a", // a SET instead of a SEQUENCE
      "300603010102010a", // r is not an INTEGER
      "300602010103010a", // s is not an INTEGER
      "3005020002010a", // an empty INTEGER
    ];
    for (const text of refused) assertEquals(readEcdsaSignature(bytes(text)), null, text);
    assertEquals(hex(readEcdsaSignature(bytes("300602010102010a")))?.length, 128);
  });

  it("readEcdsaSignature() rejects a number of more than 256 bits", () => {
    assertEquals(readEcdsaSignature(encodeSequence(encodeInteger(2n ** 256n), encodeInteger(1n))), null);
    assertEquals(readEcdsaSignature(encodeSequence(encodeInteger(1n), encodeInteger(2n ** 256n))), null);
  });
});
