import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { describe, it } from "node:test";
import { CanonicalError, canonicalRequest, type CanonicalRequestParts } from "./mod.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

seedTests(import.meta.url);

const PARTS: CanonicalRequestParts = {
  method: "POST",
  url: "https://api.gold.example/v1/orders?x=%2F",
  bodySha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  timestamp: "1700000000",
  nonce: "5f0c2a9be1d84736",
};

function refusal(change: Partial<Record<keyof CanonicalRequestParts, unknown>>): CanonicalError {
  return assertThrows(
    () => canonicalRequest({ ...PARTS, ...change } as CanonicalRequestParts),
    CanonicalError,
  );
}

describe("canonicalRequest()", () => {
  it("rejects parts that are not an object", () => {
    for (const parts of [undefined, null, 5, "POST"]) {
      const error = assertThrows(() => canonicalRequest(parts as never), CanonicalError, "{ method, url");
      assertEquals(error.reason, "invalid_part");
    }
  });

  it("rejects a character that is not visible ASCII in any part but the hash, and names the part", () => {
    for (const part of ["method", "url", "timestamp", "nonce"] as const) {
      for (let code = 0; code <= 0xff; code++) {
        const bad = code <= 0x20 || code >= 0x7f;
        const character = String.fromCharCode(code);
        for (const text of [`${character}${PARTS[part]}`, `${PARTS[part]}${character}`, `a${character}b`]) {
          if (!bad) {
            assertStringIncludes(canonicalRequest({ ...PARTS, [part]: text }), text);
            continue;
          }
          const error = refusal({ [part]: text });
          assertEquals(error.reason, "invalid_part", `${part} with ${code}`);
          assertStringIncludes(error.message, `The ${part} is`);
        }
      }
    }
  });

  it("rejects an empty part, and a missing part from untyped callers", () => {
    for (const part of ["method", "url", "timestamp", "nonce"] as const) {
      for (const text of ["", undefined, null]) {
        const error = refusal({ [part]: text });
        assertEquals(error.reason, "invalid_part");
        assertStringIncludes(error.message, `The ${part} is`);
      }
    }
  });

  it("refuses a body hash that is not 64 lower-case hex digits", () => {
    const hash = PARTS.bodySha256;
    const bad = ["", undefined, hash.toUpperCase(), hash.slice(1), `${hash}0`, `${hash}\n`, `\n${hash}`];
    for (const other of ["g", "/", ":", "`", "A", "F", "-", " "]) {
      bad.push(other + hash.slice(1), hash.slice(1) + other);
    }
    for (const bodySha256 of bad) {
      assertEquals(refusal({ bodySha256 }).reason, "invalid_body_hash", bodySha256);
    }
  });

  it("never returns the same text for two different requests", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "1", "\n", "\r", " "), maxLength: 4 });
    const hash = fc.constantFrom("a".repeat(64), "b".repeat(64), `a\n${"a".repeat(64)}`);
    const parts = fc.record({ method: part, url: part, bodySha256: hash, timestamp: part, nonce: part });
    fc.assert(
      fc.property(parts, (one) => {
        let text: string;
        try {
          text = canonicalRequest(one);
        } catch (error) {
          return error instanceof CanonicalError;
        }
        const [method, url, bodySha256, timestamp, nonce, ...more] = text.split("\n");
        assertEquals({ method, url, bodySha256, timestamp, nonce }, { ...one });
        return more.length === 0;
      }),
      { numRuns: 5000 },
    );
  });
});
