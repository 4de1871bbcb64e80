interface Preference {
  readonly quality: number;
  /**
   * How precisely a range matches. 0: no range matches; 1: every type; 2: every subtype of the type; 3: the
   * exact type.
   */
  readonly precision: number;
}

const CSV = "text/csv";
const JSON_TYPE = "application/json";
const QUALITY = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/** Returns true if the Accept header prefers CSV to JSON (RFC 9110, section 12.5.1). The default is JSON. */
export function prefersCsv(accept: string | undefined): boolean {
  const ranges = (accept ?? "").split(",").map(readRange);
  const [csv, json] = [preferenceFor(CSV, ranges), preferenceFor(JSON_TYPE, ranges)];
  return csv.quality === json.quality
    ? csv.quality > 0 && csv.precision > json.precision
    : csv.quality > json.quality;
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function readRange(text: string): Range {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
  return { type, quality: QUALITY.test(weight) ? Number(weight) : 0 };
}

/** The most precise range that matches the type decides. */
function preferenceFor(type: string, ranges: readonly Range[]): Preference {
  const names = ["*/*", `${type.split("/")[0]}/*`, type];
  return ranges.reduce<Preference>((best, range) => {
    const precision = names.indexOf(range.type) + 1;
    return precision > best.precision ? { precision, quality: range.quality } : best;
  }, { precision: 0, quality: 0 });
}
