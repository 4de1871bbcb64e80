// One spelling of an instant, in and out: RFC 3339 in UTC with `Z` and milliseconds, 2026-01-31T09:30:00.000Z. So
// equal instants are equal texts, and texts sort as the instants do.

const INSTANT_FORM = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/;
const DATE_FORM = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** Milliseconds since 1970 as text. */
export function formatInstant(ms: number): string {
  const date = new Date(ms);
  const text = Number.isInteger(ms) && ms === date.getTime() ? date.toISOString() : "";
  if (!INSTANT_FORM.test(text)) {
    throw new RangeError(
      `${ms} is no instant of the years 0000 to 9999; pass whole milliseconds since 1970.`,
    );
  }
  return text;
}

/** Text as milliseconds since 1970; `undefined` if it is not that one spelling of an instant that exists. */
export function parseInstant(text: string): number | undefined {
  if (!INSTANT_FORM.test(text)) return undefined;
  const ms = Date.parse(text);
  // Date.parse lets 24:00 and, on some hosts, 30 February roll over into the next day.
  return Number.isNaN(ms) || new Date(ms).toISOString() !== text ? undefined : ms;
}

/** Whether `text` is a day of the calendar, as in 2026-01-31. */
export function isDate(text: string): boolean {
  return DATE_FORM.test(text) && parseInstant(`${text}T00:00:00.000Z`) !== undefined;
}
