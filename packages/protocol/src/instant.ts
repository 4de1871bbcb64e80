// Each instant has exactly one spelling in replies: RFC 3339 in UTC with `Z` and milliseconds, such as
// 2026-01-31T09:30:00.000Z. So two equal instants have equal texts, and sorting the texts sorts the instants by
// time. A request may use every spelling of RFC 3339. It is converted to that one spelling when it is read.

const INSTANT_FORM = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/;
/** RFC 3339, section 5.6: any number of decimals, an offset, and `t` and `z` in lower case, too. */
/** The colon of an offset may be missing, as in Python's `%z`, with which some generated clients write instants. */
const RFC_3339_FORM =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}:)([0-5][0-9]|60)(?:\.([0-9]+))?(?:Z|([+-])([01][0-9]|2[0-3]):?([0-5][0-9]))$/i;
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

/**
 * Reads an instant of a request in any spelling of RFC 3339, also without the colon of its offset. Returns it as `formatInstant()` writes it. Cuts it
 * to milliseconds. A date, such as 2026-01-31, is the beginning of that day in Asia/Riyadh. Returns `undefined`
 * when the text has another form, names a day or time that does not exist, or is not in the years 0000 to 9999.
 *
 * @param text Any text, after percent-decoding.
 * @example
 * ```ts
 * import { normalizeInstant } from "@gold-partner/protocol";
 *
 * console.log(normalizeInstant("2026-01-31T12:30:00+03:00")); // 2026-01-31T09:30:00.000Z
 * ```
 */
export function normalizeInstant(text: string): string | undefined {
  const parts = RFC_3339_FORM.exec(DATE_FORM.test(text) ? `${text}T00:00:00+03:00` : text);
  if (!parts) return undefined;
  const [, day, minute, second, fraction = "", sign, hours = 0, minutes = 0] = parts;
  const isLeap = second === "60";
  const local = parseInstant(
    `${day}T${minute}${isLeap ? "59" : second}.${fraction.slice(0, 3).padEnd(3, "0")}Z`,
  );
  if (local === undefined) return undefined;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  const instant = new Date(local - offsetMs + (isLeap ? 1000 : 0)).toISOString();
  // A leap second is the last second of a month in UTC. It counts as the first second of the next month.
  const exists = INSTANT_FORM.test(instant) && (!isLeap || instant.slice(8, 19) === "01T00:00:00");
  return exists ? instant : undefined;
}
