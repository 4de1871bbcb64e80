import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { describe, it } from "node:test";
import { CanonicalError, type CanonicalReason, JsonNumber, type JsonValue, readJson } from "./mod.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

seedTests(import.meta.url);

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const ROOMY = { maxBytes: 10_000_000, maxDepth: 512 };

/** The value as JSON.parse would give it: numbers as doubles, objects with a prototype. */
function hostValue(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.source);
  if (Array.isArray(value)) return value.map(hostValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hostValue(member)]));
}

/** Reads with the runtime's strict UTF-8 decoder and JSON.parse. Undefined if either refuses the bytes. */
function hostRead(bytes: Uint8Array): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)) };
  } catch {
    return undefined;
  }
}

/** The reasons for which readJson() refuses bytes that the runtime accepts. */
const STRICTER: ReadonlySet<CanonicalReason> = new Set([
  "duplicate_name",
  "lone_surrogate",
  "noncharacter",
  "too_deep",
]);

/**
 * Asserts that readJson() and the runtime either both read the bytes as equal values, or both refuse them. If
 * only readJson() refuses them, its reason must be in STRICTER.
 */
function assertAgrees(bytes: Uint8Array): "accepted" | CanonicalReason {
  const host = hostRead(bytes);
  let value: JsonValue;
  try {
    value = readJson(bytes, ROOMY);
  } catch (error) {
    assert(error instanceof CanonicalError, `${error} for ${Buffer.from(bytes).toString("hex")}`);
    assert(error.offset !== undefined && error.offset >= 0 && error.offset <= bytes.length);
    assert(
      host === undefined || STRICTER.has(error.reason),
      `${error} for ${Buffer.from(bytes).toString("hex")}`,
    );
    return error.reason;
  }
  assert(host !== undefined, `accepted ${Buffer.from(bytes).toString("hex")}`);
  assertEquals(hostValue(value), host.value);
  return "accepted";
}

describe("readJson(), compared with JSON.parse()", () => {
  it("reads the output of JSON.stringify() as the same value, and refuses noncharacters", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), fc.constantFrom(0, 1, "\t"), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const verdict = assertAgrees(utf8(text));
        assertEquals(verdict, /\p{Noncharacter_Code_Point}/u.test(text) ? "noncharacter" : "accepted");
      }),
    );
  });

  it("agrees with JSON.parse() on random mutations of JSON, except for the documented rejections", () => {
    const seed = fc.constantFrom(
      '{"quote_id":"qt_1","gold_grams":1.50,"nested":{"a":[1,-0.5e+10,true,false,null]}}',
      '["é","\\u00e9","🪙","\\ud83e\\ude99","\\n\\t\\"\\\\\\/"]',
      '{"a":1,"b":{"a":2,"c":[]},"d":{}}',
      "[0,-0,10,1e5,1E-5,0.1,123456789012345678901234567890]",
    );
    const interesting = Buffer.from('"\\{}[],:0123456789-+.eEuabfnrtls \t\n\r/\0\x1f€🪙');
    const byte = fc.oneof(fc.constantFrom(...interesting), fc.nat(255));
    const edit = fc.record({ at: fc.nat(100), drop: fc.nat(2), insert: fc.array(byte, { maxLength: 2 }) });
    const verdicts = new Map<string, number>();
    fc.assert(
      fc.property(seed, fc.array(edit, { minLength: 1, maxLength: 3 }), (text, edits) => {
        const bytes = Array.from(utf8(text));
        for (const { at, drop, insert } of edits) bytes.splice(at % bytes.length, drop, ...insert);
        const verdict = assertAgrees(Uint8Array.from(bytes));
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      }),
      { numRuns: 30_000 },
    );
    // The comparison proves something only if both outcomes are frequent.
    assert((verdicts.get("accepted") ?? 0) > 1000, `${[...verdicts]}`);
    assert((verdicts.get("unexpected_byte") ?? 0) > 1000, `${[...verdicts]}`);
    const alsoMet = "invalid_number invalid_escape invalid_utf8 control_character trailing_content";
    for (const reason of alsoMet.split(" ")) assert(verdicts.has(reason), reason);
  });

  it("throws only CanonicalError for random bytes", () => {
    const randomBytes = fc.uint8Array({ maxLength: 64 });
    fc.assert(fc.property(randomBytes, (bytes) => void assertAgrees(bytes)), { numRuns: 10_000 });
  });

  it("accepts every code point except surrogates and noncharacters, raw and escaped", () => {
    for (let codePoint = 0x20; codePoint <= 0x10ffff; codePoint++) {
      if (codePoint === 0x22 || codePoint === 0x5c || (codePoint >= 0xd800 && codePoint <= 0xdfff)) continue;
      const character = String.fromCodePoint(codePoint);
      // U+0020 to U+2000 and both ends of each plane are tested completely. The rest is sampled, because
      // testing all of it would take seconds.
      const inner = codePoint > 0x2000 && (codePoint & 0xffff) > 0x20 && (codePoint & 0xffff) < 0xfd00;
      if (inner && codePoint % 97 !== 0) continue;
      const escaped = Array.from(
        { length: character.length },
        (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
      ).join("");
      const expected = /\p{Noncharacter_Code_Point}/u.test(character) ? "noncharacter" : "accepted";
      assertEquals(assertAgrees(utf8(`"${character}"`)), expected, codePoint.toString(16));
      assertEquals(assertAgrees(utf8(`"${escaped}"`)), expected, codePoint.toString(16));
    }
  });

  it("accepts exactly the UTF-8 that the runtime's strict TextDecoder accepts", () => {
    const third = [0x22, 0x7f, 0x80, 0xbf, 0xc0];
    const accepts = (bytes: number[]): boolean => {
      const verdict = assertAgrees(Uint8Array.from([0x22, ...bytes, 0x22]));
      return verdict === "accepted" || verdict === "noncharacter";
    };
    let accepted = 0;
    for (let lead = 0x80; lead <= 0xff; lead++) {
      for (let second = 0; second <= 0xff; second++) {
        if (accepts([lead, second])) accepted++;
        if (lead < 0xe0 || lead > 0xf8 || second < 0x7e || second > 0xc1) continue;
        for (const byte of third) {
          if (accepts([lead, second, byte])) accepted++;
          for (const fourth of third) if (accepts([lead, second, byte, fourth])) accepted++;
        }
      }
    }
    // Two bytes: 30 leads × 64 second bytes. Three bytes: 960 valid first pairs × 2 sampled third bytes, once
    // alone and once followed by DEL (0x7f). Four bytes: 256 valid first pairs × 2 × 2 sampled bytes. The
    // last 4 are U+FFFF followed by bytes that are not valid there. They count as accepted, because
    // readJson() reports U+FFFF as a noncharacter before it reads those bytes.
    assertEquals(accepted, 1920 + 2 * 1920 + 1024 + 4);
  });
});
