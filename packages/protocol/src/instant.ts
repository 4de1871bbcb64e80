// Each instant has exactly one spelling in requests and replies: RFC 3339 in UTC with `Z` and milliseconds,
// such as 2026-01-31T09:30:00.000Z. So two equal instants have equal texts, and sorting the texts sorts the
// instants by time.

const INSTANT_FORM = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/;
const DATE_FORM = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/**
 * Writes an instant as text.
 *
 * @param ms Whole milliseconds since 1970, in the years 0000 to 9999.
 * @throws RangeError when `ms` is not a whole number or not in these years.
 * @example
 * ```ts
 * import { formatInstant } from "@gold-partner/protocol";
 *
 * console.log(formatInstant(1_769_851_800_000)); // 2026-01-31T09:30:00.000Z
 * ```
 */
export function formatInstant(ms: number): string {
  const date = new Date(ms);
  const text = Number.isInteger(ms) && ms === date.getTime() ? date.toISOString() : "";
  if (!INSTANT_FORM.test(text)) {
    throw new RangeError(
      `${ms} is not an instant in the years 0000 to 9999; pass whole milliseconds since 1970.`,
    );
  }
  return text;
}

/**
 * Reads an instant. Returns milliseconds since 1970. Returns `undefined` when the text has another form, or
 * names a day or time that does not exist.
 *
 * @param text Any text.
 * @example
 * ```ts
 * import { parseInstant } from "@gold-partner/protocol";
 *
 * console.log(parseInstant("2026-01-31T09:30:00.000Z")); // 1769851800000
 * ```
 */
export function parseInstant(text: string): number | undefined {
  if (!INSTANT_FORM.test(text)) return undefined;
  const ms = Date.parse(text);
  // Compare the text, because Date.parse lets 24:00 and, on some hosts, 30 February roll over into the next
  // day.
  return Number.isNaN(ms) || new Date(ms).toISOString() !== text ? undefined : ms;
}

/** Returns whether `text` is a day of the calendar, such as 2026-01-31. */
export function isDate(text: string): boolean {
  return DATE_FORM.test(text) && parseInstant(`${text}T00:00:00.000Z`) !== undefined;
}
