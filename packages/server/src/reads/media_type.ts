interface Preference {
  readonly quality: number;
  /** 0 for no range that fits, then every type, every subtype, the type itself. */
  readonly precision: number;
}

const CSV = "text/csv";
const JSON_TYPE = "application/json";
const QUALITY = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/** Whether a table is wanted rather than JSON (RFC 9110, section 12.5.1). What cannot be told is JSON. */
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

/** The range that names the type most precisely decides. */
function preferenceFor(type: string, ranges: readonly Range[]): Preference {
  const names = ["*/*", `${type.split("/")[0]}/*`, type];
  return ranges.reduce<Preference>((best, range) => {
    const precision = names.indexOf(range.type) + 1;
    return precision > best.precision ? { precision, quality: range.quality } : best;
  }, { precision: 0, quality: 0 });
}
