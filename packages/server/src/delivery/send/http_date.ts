const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const WHOLE_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day";
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTH = `(?<month>${MONTHS.join("|")})`;
/** A leap second is the first of the next minute. */
const TIME = "(?<hour>[01][0-9]|2[0-3]):(?<minute>[0-5][0-9]):(?<second>[0-5][0-9]|60)";
const YEARS_AHEAD_MAX = 50;

/** RFC 9110, 5.6.7: the one that is written today, that of RFC 850, and asctime's. */
const FORMS = [
  `${DAY}, (?<day>[0-9]{2}) ${MONTH} (?<year>[0-9]{4}) ${TIME} GMT`,
  `${WHOLE_DAY}, (?<day>[0-9]{2})-${MONTH}-(?<year>[0-9]{2}) ${TIME} GMT`,
  `${DAY} ${MONTH} (?<day>[0-9]{2}| [0-9]) ${TIME} (?<year>[0-9]{4})`,
].map((form) => new RegExp(`^${form}$`));

/** An HTTP date in any of its three forms, as Unix time; null for whatever else Date.parse() would make something of. */
export function parseHttpDate(text: string, nowMs: number): number | null {
  const fields = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (fields === undefined) return null;
  const { year = "", month = "", day, hour, minute, second } = fields;
  const fullYear = year.length === 2 ? nearYear(Number(year), nowMs) : Number(year);
  const midnightMs = Date.UTC(fullYear, MONTHS.indexOf(month), Number(day));
  // A day that the month has not would be one of the next.
  if (new Date(midnightMs).getUTCDate() !== Number(day)) return null;
  return midnightMs + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
}

/** Two digits are never more than fifty years ahead. */
function nearYear(digits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - thisYear % 100 + digits;
  return year > thisYear + YEARS_AHEAD_MAX ? year - 100 : year;
}
