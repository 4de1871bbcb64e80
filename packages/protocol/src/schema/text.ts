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
    format: "date-time",
    // Add a pattern. The format would also allow offsets and other precisions, and this service writes one.
    pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
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

export const side = z.enum(["buy", "sell"], {
  error: 'side must be "buy" (you pay SAR and receive gold) or "sell" (you give gold and receive SAR).',
}).meta({ description: "From your point of view: buy pays SAR for gold, sell gives gold for SAR." });
