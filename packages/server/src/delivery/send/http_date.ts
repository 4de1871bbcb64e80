const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const WHOLE_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day";
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTH = `(?<month>${MONTHS.join("|")})`;
/** Accepts second 60, a leap second; it is read as the first second of the next minute. */
const TIME = "(?<hour>[01][0-9]|2[0-3]):(?<minute>[0-5][0-9]):(?<second>[0-5][0-9]|60)";
const YEARS_AHEAD_MAX = 50;

/** RFC 9110, section 5.6.7: the current form, the form of RFC 850, and the form of asctime(). */
const FORMS = [
  `${DAY}, (?<day>[0-9]{2}) ${MONTH} (?<year>[0-9]{4}) ${TIME} GMT`,
  `${WHOLE_DAY}, (?<day>[0-9]{2})-${MONTH}-(?<year>[0-9]{2}) ${TIME} GMT`,
  `${DAY} ${MONTH} (?<day>[0-9]{2}| [0-9]) ${TIME} (?<year>[0-9]{4})`,
].map((form) => new RegExp(`^${form}$`));

/**
 * Parses an HTTP date in any of its three forms; returns Unix milliseconds. Returns null for anything else,
 * although Date.parse() would accept some of it.
 */
export function parseHttpDate(text: string, nowMs: number): number | null {
  const fields = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (fields === undefined) return null;
  const { year = "", month = "", day, hour, minute, second } = fields;
  const fullYear = year.length === 2 ? nearYear(Number(year), nowMs) : Number(year);
  const midnightMs = Date.UTC(fullYear, MONTHS.indexOf(month), Number(day));
  // Compare the day, because Date.UTC() turns a day that the month does not have into a day of the next
  // month.
  if (new Date(midnightMs).getUTCDate() !== Number(day)) return null;
  return midnightMs + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
}

/** Reads a year of two digits as at most fifty years ahead. */
function nearYear(digits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - thisYear % 100 + digits;
  return year > thisYear + YEARS_AHEAD_MAX ? year - 100 : year;
}
