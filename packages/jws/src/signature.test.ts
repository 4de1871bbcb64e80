import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { JwsError, type JwsReason } from "./errors.ts";
import { checkSignature, signatureFromDer } from "./signature.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

seedTests(import.meta.url);

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"));
const scalar = (value: bigint): string => value.toString(16).padStart(64, "0");
const rawOf = (r: bigint, s: bigint): Uint8Array => bytesOf(scalar(r) + scalar(s));

/** A DER integer as a signer writes it: in its shortest form, with a zero byte before a set high bit. */
function derInteger(value: bigint): string {
  const hex = value.toString(16);
  const even = hex.length % 2 ? `0${hex}` : hex;
  const positive = parseInt(even.slice(0, 2), 16) >= 0x80 ? `00${even}` : even;
  return `02${(positive.length / 2).toString(16).padStart(2, "0")}${positive}`;
}

function derOf(r: bigint, s: bigint): Uint8Array {
  const content = derInteger(r) + derInteger(s);
  return bytesOf(`30${(content.length / 2).toString(16).padStart(2, "0")}${content}`);
}

function refuses(run: () => unknown, reason: JwsReason): void {
  assertEquals(assertThrows(run, JwsError).reason, reason);
}

describe("checkSignature()", () => {
  it("accepts r and s from 1 to the order of P-256 minus 1", () => {
    for (const value of [1n, 2n, 255n, 256n, 1n << 128n, ORDER - (1n << 32n), ORDER - 2n, ORDER - 1n]) {
      checkSignature(rawOf(value, 1n));
      checkSignature(rawOf(1n, value));
    }
  });
  it("rejects 0, the order of P-256 and every larger value, for r and for s", () => {
    for (const value of [0n, ORDER, ORDER + 1n, ORDER + (1n << 64n), (1n << 256n) - 1n]) {
      refuses(() => checkSignature(rawOf(value, 1n)), "signature_out_of_range");
      refuses(() => checkSignature(rawOf(1n, value)), "signature_out_of_range");
    }
  });
  it("compares r and s with the order of P-256 as integers", () => {
    const near = fc.bigInt({ min: ORDER - (1n << 200n), max: (1n << 256n) - 1n });
    fc.assert(fc.property(near, (value) => {
      if (value < ORDER) checkSignature(rawOf(value, value));
      else refuses(() => checkSignature(rawOf(value, 1n)), "signature_out_of_range");
    }));
  });
  it("rejects any length but 64 bytes, and reports DER with its own reason", () => {
    for (const length of [0, 1, 32, 63, 65, 66, 70, 72, 96, 128]) {
      refuses(() => checkSignature(new Uint8Array(length).fill(1)), "signature_length");
    }
    refuses(() => checkSignature(derOf(ORDER - 1n, ORDER - 1n)), "signature_der");
    refuses(() => checkSignature(derOf(1n << 240n, ORDER - 1n)), "signature_der");
    assertThrows(() => checkSignature(derOf(1n, 1n)), JwsError, "signatureFromDer()");
  });
  it("returns the given signature, and rejects a value that is not bytes", () => {
    const signature = rawOf(1n, 1n);
    assertStrictEquals(checkSignature(signature), signature);
    for (const value of [undefined, null, "x".repeat(64), new ArrayBuffer(64), Array(64).fill(1)]) {
      refuses(() => checkSignature(value as never), "signature_length");
    }
  });
});

describe("signatureFromDer()", () => {
  it("returns r and s as 32 bytes each", () => {
    const value = fc.bigInt({ min: 1n, max: ORDER - 1n });
    fc.assert(fc.property(value, value, fc.integer({ min: 0, max: 250 }), (r, s, shift) => {
      const short = (r >> BigInt(shift)) || 1n;
      assertEquals(signatureFromDer(derOf(short, s)), rawOf(short, s));
      assertEquals(signatureFromDer(derOf(s, short)), rawOf(s, short));
    }));
    for (const edge of [1n, 127n, 128n, 255n, 256n, ORDER - 1n]) {
      assertEquals(signatureFromDer(derOf(edge, edge)), rawOf(edge, edge));
    }
  });
  it("reads a view into a larger buffer", () => {
    const der = derOf(5n, 7n);
    const larger = new Uint8Array(der.length + 8);
    larger.set(der, 3);
    assertEquals(signatureFromDer(larger.subarray(3, 3 + der.length)), rawOf(5n, 7n));
  });
  it("rejects bytes that are not strict DER of two positive integers", () => {
    const malformed: Record<string, string> = {
      "nothing": "",
      "a set": "3106020101020101",
      "bytes after the sequence": "300602010102010100",
      "a null after s": "3008020101020101" + "0500",
      "a third integer": "3009020101020101020101",
      "one integer": "3003020101",
      "an octet string": "3006040101020101",
      "cut short": "30060201010201",
      "a length beyond the end": "3007020101020101",
      "an integer longer than its sequence": "3006020101020201",
      "an empty integer": "30050200020101",
      "a negative integer": "3006020180020101",
      "an unnecessary leading zero": "300702020001020101",
      "an unnecessary length byte": "308106020101020101",
      "two unnecessary length bytes": "30820006020101020101",
      "an indefinite length": "3080020101020101" + "0000",
      "a length of five bytes": "30850000000006020101020101",
      "raw, not DER": scalar(1n) + scalar(1n),
    };
    for (const [name, hex] of Object.entries(malformed)) {
      const { reason } = assertThrows(() => signatureFromDer(bytesOf(hex)), JwsError);
      assertEquals(reason, "der_malformed", name);
    }
  });
  it("rejects a value that is not bytes", () => {
    for (const value of [undefined, null, 5, "30060201", [0x30, 0], new ArrayBuffer(8)]) {
      refuses(() => signatureFromDer(value as never), "der_malformed");
    }
  });
  it("rejects r and s out of range", () => {
    for (const value of [0n, ORDER, ORDER + 1n, 1n << 256n, 1n << 300n]) {
      refuses(() => signatureFromDer(derOf(value, 1n)), "signature_out_of_range");
      refuses(() => signatureFromDer(derOf(1n, value)), "signature_out_of_range");
    }
  });
  it("throws only JwsError for any bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 90 }), (bytes) => {
      assertThrows(() => signatureFromDer(bytes), JwsError);
    }));
    const valid = derOf(ORDER - 1n, 1n << 255n);
    fc.assert(fc.property(fc.nat(valid.length - 1), fc.nat(255), (position, byte) => {
      const changed = Uint8Array.from(valid);
      changed[position] = byte;
      try {
        assertEquals(signatureFromDer(changed).length, 64);
      } catch (error) {
        assertEquals(error instanceof JwsError, true, String(error));
      }
    }));
  });
});
