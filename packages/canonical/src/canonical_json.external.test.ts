import { createHash } from "node:crypto";
import { assertEquals, assertGreaterOrEqual } from "@std/assert";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { canonicalJson, readJson } from "./mod.ts";

const TEST_DATA = new URL("../../../.tools/json_canonicalization/testdata/", import.meta.url);

function present(path: string): URL {
  const url = new URL(path, TEST_DATA);
  if (!existsSync(url)) throw new Error(`The test data ${path} is missing; run: node tools/run.mjs tools`);
  return url;
}

const read = (path: string): Buffer => readFileSync(present(path));

/** SHA-256 of the first N lines of the number sequence, by N, as the author of RFC 8785 published them. */
const NUMBER_SEQUENCE_SHA256: ReadonlyMap<number, string> = new Map([
  [1000, "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687"],
  [10_000, "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892"],
  [100_000, "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7"],
]);

/**
 * The bit patterns of the published number sequence: first those that numgen.js lists, then the 2,000
 * patterns from the smallest normal number on. The rest comes from an endless chain of SHA-256 hashes. Each
 * hash of 32 bytes gives four patterns, except the patterns of 0, NaN and infinity.
 */
function* numberSequence(): Generator<bigint> {
  for (const [, digits] of read("numgen.js").toString().matchAll(/\b0x([0-9a-f]{16})n,/g)) {
    yield BigInt(`0x${digits}`);
  }
  for (let serial = 0n; serial < 2000n; serial++) yield 0x0010000000000000n + serial;
  for (let block: Buffer = Buffer.alloc(32);;) {
    block = createHash("sha256").update(block).digest();
    for (let at = 0; at < 32; at += 8) {
      const double = block.readDoubleLE(at);
      if (double !== 0 && Number.isFinite(double)) yield block.readBigUInt64LE(at);
    }
  }
}

function doubleOf(bits: bigint): number {
  return new Float64Array(BigUint64Array.of(bits).buffer)[0] ?? NaN;
}

describe("canonicalJson(), checked against the test data of RFC 8785's author", () => {
  it("gives the expected bytes for each input file", () => {
    const names = readdirSync(present("input/"));
    for (const name of names) {
      const input = read(`input/${name}`);
      readJson(input);
      const text = canonicalJson(JSON.parse(input.toString()));
      assertEquals(text, read(`output/${name}`).toString(), name);
      const hex = read(`outhex/${name.replace(".json", ".txt")}`).toString().replace(/\s/g, "");
      assertEquals(Buffer.from(text).toString("hex"), hex, name);
    }
    assertGreaterOrEqual(names.length, 6);
  });

  it("writes 100,000 numbers whose SHA-256 matches the published hash", () => {
    const hash = createHash("sha256");
    let lines = 0;
    for (const bits of numberSequence()) {
      hash.update(`${bits.toString(16)},${canonicalJson(doubleOf(bits))}\n`);
      const expected = NUMBER_SEQUENCE_SHA256.get(++lines);
      if (expected !== undefined) assertEquals(hash.copy().digest("hex"), expected, `${lines} lines`);
      if (lines === 100_000) break;
    }
    assertEquals(lines, 100_000);
  });
});
