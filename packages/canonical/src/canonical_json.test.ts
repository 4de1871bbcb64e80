import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { describe, it } from "node:test";
import {
  CanonicalError,
  canonicalJson,
  type CanonicalReason,
  type CanonicalValue,
  JsonNumber,
} from "./mod.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

seedTests(import.meta.url);

function refusal(value: unknown): CanonicalError {
  return assertThrows(() => canonicalJson(value as CanonicalValue), CanonicalError);
}

function assertRefused(value: unknown, reason: CanonicalReason, includes = ""): void {
  for (const nested of [value, [value], { member: value }, [{ a: [1, value] }]]) {
    const error = refusal(nested);
    assertEquals(error.reason, reason);
    assertStringIncludes(error.message, includes);
  }
}

/** I-JSON values: their strings are well-formed and hold no noncharacter. */
const jsonValue = fc.jsonValue({ stringUnit: "binary" })
  .filter((value) => !/\p{Noncharacter_Code_Point}/u.test(JSON.stringify(value)));

/** The same value with the members of each object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).reverse().map(([name, member]) => [name, reversed(member)]),
  );
}

describe("canonicalJson()", () => {
  it("writes numbers as JSON.stringify() does, and the text parses back to the same double", () => {
    const check = (number: number) => {
      const text = canonicalJson(number);
      assertEquals([text, Number(text)], [JSON.stringify(number), number]);
    };
    for (const power of [0, 1, 2, 3, 4, 5, 10, 15, 16, 17, 20, 21, 22, 300, 308]) {
      for (const number of [10 ** power, 10 ** -power, 10 ** power - 1, 2 ** power, 2 ** -power]) {
        check(number);
        check(-number || 0);
      }
    }
    // Every finite double is equally likely, because each is one pattern of 64 bits.
    const double = fc.noBias(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
      .map((bits) => new Float64Array(BigUint64Array.of(bits).buffer)[0]!)
      .filter((number) => Number.isFinite(number) && !Object.is(number, -0));
    fc.assert(fc.property(double, check), { numRuns: 100_000 });
  });

  it("returns the same text for any order of members", () => {
    fc.assert(fc.property(jsonValue, (value) => {
      assertEquals(canonicalJson(reversed(value) as CanonicalValue), canonicalJson(value as CanonicalValue));
    }));
  });

  it("writes text that JSON.parse() reads as the same value, and that value gives the same text", () => {
    fc.assert(fc.property(jsonValue, (value) => {
      const text = canonicalJson(value as CanonicalValue);
      const read = JSON.parse(text);
      assertEquals(read, JSON.parse(JSON.stringify(value)));
      assertEquals(canonicalJson(read), text);
    }));
  });

  it("accepts objects without a prototype, and __proto__ as a member name", () => {
    const object = Object.assign(Object.create(null), { b: 1 });
    object["__proto__"] = 2;
    assertEquals(canonicalJson(object), '{"__proto__":2,"b":1}');
    assertEquals(canonicalJson(JSON.parse('{"b":1,"__proto__":2}')), '{"__proto__":2,"b":1}');
  });

  it("rejects numbers that JSON cannot represent", () => {
    for (const number of [NaN, Infinity, -Infinity]) assertRefused(number, "not_finite", String(number));
  });

  it("rejects a value that is not JSON instead of leaving it out", () => {
    for (const value of [undefined, () => 1, 1n, Symbol("s")]) {
      assertRefused(value, "unsupported_value", typeof value);
    }
    const sparse = [1, 2, 3];
    delete sparse[1];
    assertRefused(sparse, "unsupported_value", "Item 1");
  });

  it("rejects instances of classes", () => {
    const values = [
      new Date(0),
      new Map(),
      new JsonNumber("1"),
      new Uint8Array(1),
      new String("a"),
      Object.create({ a: 1 }),
    ];
    for (const value of values) assertRefused(value, "unsupported_value", "an instance of a class");
  });

  it("refuses lone surrogates and noncharacters, in strings and in names", () => {
    for (
      const text of [
        "\ud800",
        "\udbff",
        "\udc00",
        "\udfff",
        "\ude00\ud83d",
        "a\ud83da",
        "😀\ud83d",
        "\ud83d😀",
      ]
    ) {
      assertRefused(text, "lone_surrogate");
      assertRefused({ [text]: 1 }, "lone_surrogate");
    }
    for (const text of ["\ufdd0", "\ufdef", "\ufffe", "a\uffff", "\u{1fffe}", "😀\u{10ffff}"]) {
      assertRefused(text, "noncharacter");
      assertRefused({ [text]: 1 }, "noncharacter");
    }
    for (
      const text of ["\ud7ff", "\ue000", "\ufdcf", "\ufdf0", "\ufffd", "\u{1fffd}", "\u{10fffd}", "😀😀"]
    ) {
      assertEquals(canonicalJson(text), JSON.stringify(text));
    }
  });

  it("accepts 512 levels, and rejects 513 levels and a cycle", () => {
    const nest = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
    assertEquals(canonicalJson(nest(512) as CanonicalValue).length, 1024);
    assertEquals(refusal(nest(513)).reason, "too_deep");
    assertEquals(refusal(nest(5000)).reason, "too_deep");
    const cycle: Record<string, unknown> = {};
    cycle["self"] = [cycle];
    assertEquals(refusal(cycle).reason, "too_deep");
  });

  it("names the invalid member or item in the error", () => {
    assertStringIncludes(refusal({ price: { buy: NaN } }).message, 'Member "buy" is NaN');
    assertStringIncludes(refusal([0, 1, undefined]).message, "Item 2 is undefined");
    assertStringIncludes(refusal(undefined).message, "The value is undefined");
    assertEquals(refusal(undefined).offset, undefined);
    assertEquals("offset" in refusal(undefined), false);
  });

  it("throws only CanonicalError for any value", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        try {
          JSON.parse(canonicalJson(value as CanonicalValue));
        } catch (error) {
          return error instanceof CanonicalError && error.name === "CanonicalError";
        }
        return true;
      }),
      { numRuns: 2000 },
    );
  });
});
