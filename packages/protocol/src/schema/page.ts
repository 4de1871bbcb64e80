// Schemas of lists, which are read in pages. All lists are newest first, except events. A record that is
// added later does not move other records to another page.
import { z } from "zod";
import { IDEMPOTENCY_KEY_FORM } from "../header.ts";
import { CURSOR_MAX_CHARACTERS, PAGE_DEFAULT_ITEMS, PAGE_MAX_ITEMS } from "../limit.ts";
import { ACCOUNT_LABEL, PARTNER_REFERENCE, partnerText } from "./partner_text.ts";
import { instantParam } from "./text.ts";

/**
 * A whole number in a query string. It refuses other spellings that a conversion by JavaScript would accept,
 * such as "+5", "0x5", "5e0" and " 5".
 */
export function integerParam(
  { minimum, maximum, ...meta }: { minimum: number; maximum: number; default?: number; description: string },
): z.ZodPipe<z.ZodUnknown, z.ZodPipe<z.ZodString, z.ZodCoercedNumber<string>>> {
  const error = `This must be a whole number from ${minimum} to ${maximum}.`;
  const digits = z.string({ error }).regex(/^(?:0|[1-9][0-9]{0,14})$/, error);
  const bounded = z.coerce.number<string>().min(minimum, error).max(maximum, error);
  // Accept `unknown` first, so that JSON Schema describes the query parameter by this metadata and not by the
  // string that is parsed.
  return z.unknown().meta({ type: "integer", minimum, maximum, ...meta }).pipe(digits.pipe(bounded));
}

/** How many items a page holds. */
export const limitParam = integerParam({
  minimum: 1,
  maximum: PAGE_MAX_ITEMS,
  default: PAGE_DEFAULT_ITEMS,
  description: "The maximum number of items in the page.",
});

const CURSOR_RULE = "cursor must be the next_cursor of the previous page, unchanged.";
const KEY_RULE = "idempotency_key must be 1 to 255 visible ASCII characters.";

const LIST_PARAMETERS = {
  limit: limitParam.optional(),
  cursor: z.string({ error: CURSOR_RULE }).min(1, CURSOR_RULE).max(CURSOR_MAX_CHARACTERS, CURSOR_RULE)
    .meta({ description: CURSOR_RULE }).optional(),
  created_after: instantParam("Only items that were created strictly later.").optional(),
  created_before: instantParam("Only items that were created strictly earlier.").optional(),
  idempotency_key: z.string({ error: KEY_RULE }).regex(IDEMPOTENCY_KEY_FORM, KEY_RULE)
    .meta({
      description:
        "Only items that were created with this key, to find the result of a write whose reply was lost.",
    })
    .optional(),
};

const unknownParameter = (parameters: object) => ({
  error: `This parameter is unknown; this list supports ${Object.keys(parameters).join(", ")}.`,
});

export const listQuery = z.strictObject(LIST_PARAMETERS, unknownParameter(LIST_PARAMETERS))
  .meta({ id: "ListQuery", description: "Selects a part of a list." });
export type ListQuery = z.infer<typeof listQuery>;

const FILTER = "The text must match exactly, in every code point.";
const FILTERED_LIST_PARAMETERS = {
  ...LIST_PARAMETERS,
  reference: partnerText(PARTNER_REFERENCE).param.meta({
    description: `Only items with this reference. ${FILTER}`,
  }),
  account_label: partnerText(ACCOUNT_LABEL).param.meta({
    description: `Only items with this account_label. ${FILTER}`,
  }),
};

/** The query of a list whose items can have the partner's own texts. */
export const filteredListQuery = z.strictObject(
  FILTERED_LIST_PARAMETERS,
  unknownParameter(FILTERED_LIST_PARAMETERS),
).meta({
  id: "FilteredListQuery",
  description:
    "Which part of a list. With reference or account_label, a page searches 10,000 of your event numbers, so it " +
    "can have few items or none although next_cursor is set. Continue until next_cursor is null.",
});
export type FilteredListQuery = z.infer<typeof filteredListQuery>;

export interface Page<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

/** The reply schema of a list. */
export function pageOf<T extends z.ZodType>(
  id: string,
  item: T,
  description = "Newest first; stable while items are added.",
): z.ZodObject<{ items: z.ZodArray<T>; next_cursor: z.ZodNullable<z.ZodString> }> {
  return z.object({
    items: z.array(item).meta({ description: "The items of this page." }),
    next_cursor: z.string().nullable().meta({
      description: "The cursor of the next page; null on the last page.",
    }),
  }).meta({ id, description });
}
