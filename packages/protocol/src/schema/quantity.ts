// The schemas of quantities. A request's schema converts the number's source text to a bigint. A reply's
// schema checks that the number's text has no more decimals than the quantity. The description says how many
// decimals there are. `multipleOf` is not used, because validators would divide doubles and find that 5.02 is
// not a multiple of 0.01.
import { JsonNumber } from "@gold-partner/canonical";
import { z } from "zod";
import { DECIMAL_TEXT, parseDecimal, parseSignedDecimal, QuantityError } from "../quantity.ts";
import { GRAM_DECIMALS, PRICE_DECIMALS, SAR_DECIMALS } from "../quantity_range.ts";

interface QuantityMeta {
  readonly description: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly examples: readonly number[];
}

/** The form of a decimal string above 0, for JSON Schema. A request may not have a minus sign. */
const TEXT_PATTERN = "^(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?$";

// A request may write a quantity as a number or as a decimal string, for clients whose JSON library has no exact
// decimals. The inner schema accepts anything. Its metadata describes both forms for JSON Schema. The transform
// checks the sign and the decimals, but not `maximum`: a later check refuses a number above the partner's limits.
//
// From a schema with two types, openapi-generator makes a wrapper class instead of a decimal. This `oneOf`
// accepts the same values. openapi-generator ignores its second alternative, because that has no type. From
// the first, a string with the format `number`, it makes Decimal (Python), BigDecimal (Java) or decimal (C#).
// It ignores members beside `oneOf`. openapi-typescript makes `number | string` of the two types, but only if
// the alternative's type is a list.
function requestQuantity(
  decimals: bigint,
  meta: QuantityMeta,
): z.ZodPipe<z.ZodUnknown, z.ZodTransform<bigint, unknown>> {
  const description = `${meta.description} A decimal string, such as "10.50", means the same as the number.`;
  return z.unknown().meta({
    ...{ type: ["number", "string"], ...meta, description, pattern: TEXT_PATTERN },
    oneOf: [{ type: ["string"], format: "number", description }, { not: { type: "string" } }],
  }).transform(
    (value, context) => {
      const source = value instanceof JsonNumber ? value.source : value;
      if (typeof source !== "string" || value === source && !DECIMAL_TEXT.test(source)) {
        context.issues.push({
          code: "custom",
          input: value,
          message: 'This must be a number such as 10.5, or the same as a decimal string, "10.5".',
        });
        return z.NEVER;
      }
      try {
        return parseDecimal(source, decimals);
      } catch (error) {
        if (!(error instanceof QuantityError)) throw error;
        context.issues.push({ code: "custom", input: value, message: error.message });
        return z.NEVER;
      }
    },
  );
}

/** Converts gold from grams to tenth-milligrams. */
export const gramsParam = requestQuantity(GRAM_DECIMALS, {
  description: "Grams of 24K gold, at most 4 decimals. A value outside your limits gets 422 limit_exceeded.",
  minimum: 0.0001,
  maximum: 100_000,
  examples: [1.5],
});

/** Converts money from SAR to halalas. */
export const amountParam = requestQuantity(SAR_DECIMALS, {
  description: "SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded.",
  minimum: 0.01,
  maximum: 10_000_000_000,
  examples: [1000],
});

function replyQuantity(
  decimals: bigint,
  meta: { readonly description: string },
): z.ZodNumber {
  return z.number().refine((value) => isExact(value, decimals), "More decimals than this quantity has.").meta(
    meta,
  );
}

function isExact(value: number, decimals: bigint): boolean {
  try {
    parseSignedDecimal(`${value}`, decimals);
    return true;
  } catch {
    return false;
  }
}

export const sar = replyQuantity(SAR_DECIMALS, { description: "SAR, at most 2 decimals." });
export const grams = replyQuantity(GRAM_DECIMALS, { description: "Grams of gold, at most 4 decimals." });
export const sarPerGram = replyQuantity(PRICE_DECIMALS, { description: "SAR per gram, at most 4 decimals." });
