// Texts that several schemas share: ids, instants, dates.
import { z } from "zod";
import { idForm, type IdPrefix, RESERVES_LIST_ID_FORM } from "../id.ts";
import { isDate, normalizeInstant, parseInstant } from "../instant.ts";

export function idText(prefix: IdPrefix): z.ZodString {
  return z.string().regex(idForm(prefix)).meta({ description: `The id: ${prefix} and a UUIDv7.` });
}

export const reservesListIdText = z.string().regex(RESERVES_LIST_ID_FORM).meta({
  description:
    "The id of a list of bars: lst_ and its number. GET /v1/reserves/lists/{reserves_list_id} gives the list.",
  examples: ["lst_1"],
});

const INSTANT_RULE =
  "An instant must be RFC 3339 in UTC with Z and milliseconds, such as 2026-01-31T09:30:00.000Z.";
export const instant = z.string({ error: INSTANT_RULE })
  .refine((text) => parseInstant(text) !== undefined, INSTANT_RULE)
  .meta({
    // A pattern would say more, but clients that openapi-generator makes for Python fail at one beside this format.
    format: "date-time",
    description: "RFC 3339 in UTC, with Z and milliseconds.",
    examples: ["2026-01-31T09:30:00.000Z"],
  });

const INSTANT_PARAM_RULE =
  "An instant must be RFC 3339, such as 2026-01-31T09:30:00Z or 2026-01-31T12:30:00%2B03:00, in the years 0000 to " +
  "9999. A date, such as 2026-01-31, is the beginning of that day in Asia/Riyadh.";
/** An instant of a query, in any spelling. It is converted to the spelling of replies. */
export function instantParam(description: string): z.ZodPipe<z.ZodString, z.ZodTransform<string, string>> {
  return z.string({ error: INSTANT_PARAM_RULE }).meta({
    format: "date-time",
    description:
      `${description} RFC 3339 with any offset; decimals after the third are cut. A date is the beginning of that ` +
      "day in Asia/Riyadh.",
    examples: ["2026-01-31T12:30:00+03:00"],
  }).transform((text, context) => {
    const normal = normalizeInstant(text);
    if (normal !== undefined) return normal;
    context.issues.push({ code: "custom", input: text, message: INSTANT_PARAM_RULE });
    return z.NEVER;
  });
}

const DATE_RULE = "A date must be a calendar day, such as 2026-01-31.";
export const date = z.string({ error: DATE_RULE }).refine(isDate, DATE_RULE)
  .meta({ format: "date", description: "A calendar day.", examples: ["2026-01-31"] });

export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/).meta({
  description: "SHA-256, 64 characters of lower-case hex.",
});

/** The number of a webhook endpoint of a partner. */
export const endpointNumber = z.int().min(1);

/** One of these texts, or one that a later version adds. A check of the text still narrows a union to one type. */
export type Open<V extends string> = V | (string & Record<never, never>);

/**
 * A text of a reply of which these values are known. A later version may add values, so the description allows any
 * text, and generated clients read values that they do not know.
 */
export const openText = <const V extends string>(
  values: readonly V[],
  description: string,
): z.ZodType<Open<V>> =>
  z.string().meta({
    description: `${description} Values may be added.`,
    "x-extensible-enum": [...values],
  }) as z.ZodType<string> as z.ZodType<Open<V>>;

export const side = z.enum(["buy", "sell"], {
  error: 'side must be "buy" (you pay SAR and receive gold) or "sell" (you give gold and receive SAR).',
}).meta({ description: "From your point of view: buy pays SAR for gold, sell gives gold for SAR." });
