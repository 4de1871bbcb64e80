import { createHash } from "node:crypto";
import type { CanonicalReason } from "@gold-partner/canonical";
import type { VectorFile } from "./vector_file.ts";

/** Each entry: name, JSON text, canonical text. */
const TEXTS: readonly (readonly [string, string, string])[] = [
  [
    "RFC 8785, 3.2.2: numbers, escapes, literals",
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
    String.raw`"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
    String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  ],
  [
    "RFC 8785, 3.2.3: members are sorted by UTF-16 code units",
    String
      .raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",` +
    String.raw`"\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control",` +
    String.raw`"\u00f6":"Latin Small Letter O With Diaeresis"}`,
    String.raw`{"\r":"Carriage Return","1":"One",` +
    '"\x80":"Control","ö":"Latin Small Letter O With Diaeresis",' +
    '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
  [
    "members: digits are sorted as text",
    '{"10":1,"9":2,"1":3,"a":4,"A":5,"":6}',
    '{"":6,"1":3,"10":1,"9":2,"A":5,"a":4}',
  ],
  ["members: a prefix comes first", '{"ab":1,"a":2,"a\\u0000":3}', '{"a":2,"a\\u0000":3,"ab":1}'],
  [
    "members: sorted at each level; array items keep their order",
    '[{"b":[2,1],"a":{"d":0,"c":0}}]',
    '[{"a":{"c":0,"d":0},"b":[2,1]}]',
  ],
  ["members: __proto__ is an ordinary name", '{"b":1,"__proto__":{"a":2}}', '{"__proto__":{"a":2},"b":1}'],
  ["empty containers", ' { "b" : [ ] , "a" : { } } ', '{"a":{},"b":[]}'],
  ["empty array", "[\n]", "[]"],
  ["empty string", '""', '""'],
  ["literals", "[ null , true , false ]", "[null,true,false]"],
  [
    "escapes: the five short escapes",
    String.raw`"\u0008\u0009\u000a\u000c\u000d"`,
    String.raw`"\b\t\n\f\r"`,
  ],
  [
    "escapes: other control characters, in lower-case hex",
    String.raw`"\u0000\u0001\u000B\u000E\u001F"`,
    String.raw`"\u0000\u0001\u000b\u000e\u001f"`,
  ],
  [
    "escapes: quote and backslash are escaped, slash is not",
    String.raw`"\u0022\u005C\/"`,
    String.raw`"\"\\/"`,
  ],
  [
    "escapes: nothing else",
    String.raw`"\u007f\u0080\u00A0\u2028\u2029\uFEFF"`,
    '"\x7f\x80\xa0\u2028\u2029\ufeff"',
  ],
  ["unicode: a surrogate pair becomes its character", String.raw`"\uD83E\uDE99"`, '"🪙"'],
  ["unicode: nothing is normalised", String.raw`["A\u030a","\u00c5"]`, '["A\u030a","\u00c5"]'],
  [
    "unicode: the edges of the surrogates and of the planes",
    '"\ud7ff\ue000\ufffd\u{10000}\u{10fffd}"',
    '"\ud7ff\ue000\ufffd\u{10000}\u{10fffd}"',
  ],
  ["numbers: one value, one text", "[1.5,1.50,15e-1,0.15E+1]", "[1.5,1.5,1.5,1.5]"],
  ["numbers: minus zero is zero", "[-0,-0.0,0e9]", "[0,0,0]"],
  [
    "numbers: where the exponent begins",
    "[1e20,1e21,1e-6,1e-7]",
    "[100000000000000000000,1e+21,0.000001,1e-7]",
  ],
  ["numbers: beyond 2^53, rounded to a double", "[9007199254740993,0.1e1,1e-400]", "[9007199254740992,1,0]"],
];

/** RFC 8785, appendix B. Each entry: the bits of a double, most significant first, and its text. */
const DOUBLES: readonly (readonly [string, string])[] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

const REFUSED_DOUBLES: readonly string[] = ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"];

/** Each entry: name, reason, and the JSON text, or its bytes in hex if they are not text. */
const REFUSED: readonly (readonly [string, CanonicalReason, { json: string } | { json_hex: string }])[] = [
  ["a name twice", "duplicate_name", { json: '{"side":"buy","side":"sell"}' }],
  ["a name twice, once escaped", "duplicate_name", { json: '{"a":1,"\\u0061":1}' }],
  ["a lone high surrogate", "lone_surrogate", { json: '"\\ud83d"' }],
  ["a lone low surrogate", "lone_surrogate", { json: '"\\ude00"' }],
  ["a surrogate pair in the wrong order", "lone_surrogate", { json: '"\\ude00\\ud83d"' }],
  ["a lone surrogate in a name", "lone_surrogate", { json: '{"\\ud83d":1}' }],
  ["a noncharacter", "noncharacter", { json: '"\\uffff"' }],
  ["a noncharacter of another plane", "noncharacter", { json_hex: "22f09fbfbe22" }],
  ["a number beyond the largest double", "not_finite", { json: "1e400" }],
  ["a byte order mark", "byte_order_mark", { json_hex: "efbbbf7b7d" }],
  ["an overlong character", "invalid_utf8", { json_hex: "22c0af22" }],
  ["a surrogate in UTF-8", "invalid_utf8", { json_hex: "22eda08022" }],
  ["a character beyond U+10FFFF", "invalid_utf8", { json_hex: "22f490808022" }],
  ["a truncated character", "invalid_utf8", { json_hex: "22e282" }],
  ["a control character", "control_character", { json_hex: "220a22" }],
  ["an unknown escape", "invalid_escape", { json: '"\\x41"' }],
  ["a leading zero", "invalid_number", { json: "[01]" }],
  ["a second value", "trailing_content", { json: "{}{}" }],
  ["a trailing comma", "unexpected_byte", { json: "[1,]" }],
  ["a truncated text", "unexpected_end", { json: '{"a":' }],
];

function expectation(canonical: string): { canonical: string; canonical_sha256: string } {
  return { canonical, canonical_sha256: createHash("sha256").update(canonical, "utf8").digest("hex") };
}

/** The expected texts above are literals, so that the vectors are an independent check of the package. */
export default function make(): VectorFile {
  return {
    description:
      "JSON Canonicalization Scheme. A case gives json (a JSON text), json_hex (its bytes) or ieee754 (the bits of a " +
      "double, most significant first). It also gives canonical and the SHA-256 of its UTF-8 bytes, or the reason " +
      "for the refusal. JSON that I-JSON (RFC 7493) forbids has no canonical text.",
    origin:
      "RFC 8785, sections 3.2.2 and 3.2.3 and appendix B, if the name says so. Otherwise written for this project.",
    cases: [
      ...TEXTS.map(([name, json, canonical]) => ({ name, json, ...expectation(canonical) })),
      ...DOUBLES.map(([ieee754, canonical]) => ({
        name: `RFC 8785, appendix B: ${ieee754}`,
        ieee754,
        ...expectation(canonical),
      })),
      ...REFUSED.map(([name, reason, input]) => ({ name, ...input, reason })),
      ...REFUSED_DOUBLES.map((ieee754) => ({
        name: `not a finite number: ${ieee754}`,
        ieee754,
        reason: "not_finite",
      })),
    ],
  };
}
