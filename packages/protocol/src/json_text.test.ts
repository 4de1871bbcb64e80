import { JsonNumber, readJson } from "@gold-partner/canonical";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { writeJson } from "./json_text.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

seedTests(import.meta.url);

describe("writeJson()", () => {
  it("writes all digits of a number, also beyond the precision of a double", () => {
    const reply = {
      gold_grams: new JsonNumber("1.50"),
      big: [new JsonNumber("12345678901234567890.12345678901234567890")],
    };
    assertEquals(writeJson(reply), '{"gold_grams":1.50,"big":[12345678901234567890.12345678901234567890]}');
  });

  it("writes everything else as JSON.stringify() does", () => {
    // The values contain no numbers, because readJson() keeps their source text. The first test checks how
    // writeJson() writes numbers.
    const tree = fc.letrec((of) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.boolean(),
        fc.constant(null),
        of("array"),
        of("object"),
      ),
      array: fc.array(of("value"), { maxLength: 4 }),
      object: fc.dictionary(fc.string(), of("value"), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(tree.value, (value) => {
        const text = JSON.stringify(value);
        assertEquals(writeJson(readJson(Buffer.from(text))), text);
      }),
      { numRuns: 500 },
    );
    assertEquals(
      writeJson({ a: null, b: [true, 'q"\n'], ["__proto__"]: {} }),
      '{"a":null,"b":[true,"q\\"\\n"],"__proto__":{}}',
    );
  });
});
