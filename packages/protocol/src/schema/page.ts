// Schemas of lists, which are read in pages. All lists are newest first, except events. A record that is
// added later does not move other records to another page.
import { z } from "zod";
import { IDEMPOTENCY_KEY_FORM } from "../header.ts";
import { CURSOR_MAX_CHARACTERS, PAGE_DEFAULT_ITEMS, PAGE_MAX_ITEMS } from "../limit.ts";
import { instant } from "./text.ts";

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
  description: "Items in the page.",
});

const CURSOR_RULE = "cursor must be the next_cursor of the previous page, unchanged.";
const KEY_RULE = "idempotency_key must be 1 to 255 visible ASCII characters.";

export const listQuery = z.strictObject({
  limit: limitParam.optional(),
  cursor: z.string({ error: CURSOR_RULE }).min(1, CURSOR_RULE).max(CURSOR_MAX_CHARACTERS, CURSOR_RULE)
    .meta({ description: CURSOR_RULE }).optional(),
  created_after: instant.meta({ description: "Only items that were created strictly later." }).optional(),
  created_before: instant.meta({ description: "Only items that were created strictly earlier." }).optional(),
  idempotency_key: z.string({ error: KEY_RULE }).regex(IDEMPOTENCY_KEY_FORM, KEY_RULE)
    .meta({
      description:
        "Only items that were created with this key, to find the result of a write whose reply was lost.",
    })
    .optional(),
}, {
  error:
    "This parameter is unknown; a list supports limit, cursor, created_after, created_before, idempotency_key.",
}).meta({ id: "ListQuery", description: "Which part of a list." });
export type ListQuery = z.infer<typeof listQuery>;

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
      description: "The cursor of the next page; null on the last.",
    }),
  }).meta({ id, description });
}
