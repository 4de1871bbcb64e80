import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { textEncoding } from "@gold-partner/jws";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { hostBytes } from "./bytes.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

seedTests(import.meta.url);

const RUNS = { numRuns: 1000 };

describe("hostBytes", () => {
  it("utf8() and base64url() return the same as the portable encoding of the jws package", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.uint8Array(), (text, bytes) => {
        assertEquals([...hostBytes.utf8(text)], [...textEncoding.utf8(text)]);
        assertEquals(hostBytes.base64url(bytes), textEncoding.base64url(bytes));
      }),
      RUNS,
    );
  });
  it("sha256Hex() returns the same as Web Crypto's digest", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
        assertEquals(hostBytes.sha256Hex(bytes), Buffer.from(digest).toString("hex"));
      }),
      RUNS,
    );
  });
  it("reads only the bytes of a view into a larger buffer", () => {
    const view = new Uint8Array([255, 97, 98, 99, 255]).subarray(1, 4);
    assertEquals(hostBytes.base64url(view), "YWJj");
    assertEquals(
      hostBytes.sha256Hex(view),
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});
