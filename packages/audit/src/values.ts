import { createHash } from "node:crypto";

export const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};
export const sha256Hex = (...parts: readonly (string | Uint8Array)[]): string =>
  sha256(...parts).toString("hex");

/** The members of a JSON object. An edited row may hold another value, which has no members. */
export function objectOf(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}

/** The shortest decimal of a quantity in minor units, as the stored replies spell it. */
export function decimalText(quantity: bigint, places: number): string {
  const digits = `${quantity < 0n ? -quantity : quantity}`.padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  const whole = digits.slice(0, -places);
  return `${quantity < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

export const sarText = (halalas: bigint): string => decimalText(halalas, 2);
export const gramsText = (tenthMilligrams: bigint): string => decimalText(tenthMilligrams, 4);
export const priceText = (pips: bigint): string => decimalText(pips, 4);

/** RFC 3339 with milliseconds. -Infinity and Infinity give Postgres's spellings of infinite instants. */
export const instantText = (ms: number): string =>
  Number.isFinite(ms) ? new Date(ms).toISOString() : ms < 0 ? "-infinity" : "infinity";

const INSTANT = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?\+00$/;

/** Reads the text of a timestamptz in UTC and returns milliseconds. */
export function instantMs(text: string): number {
  if (text === "infinity") return Infinity;
  if (text === "-infinity") return -Infinity;
  const parts = INSTANT.exec(text);
  if (!parts) return NaN;
  const [, year, month, day, hour, minute, second, fraction = ""] = parts;
  return Date.UTC(
    +year!,
    +month! - 1,
    +day!,
    +hour!,
    +minute!,
    +second!,
    +fraction.slice(0, 3).padEnd(3, "0"),
  );
}

/** The milliseconds at the beginning of a UUIDv7. */
export const uuidMs = (uuid: string): number => parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

export const maskIban = (iban: string): string =>
  iban.slice(0, 4) + "*".repeat(Math.max(0, iban.length - 8)) + iban.slice(-4);

/** A JSON array as Postgres's json_build_array() prints it. A Raw item is already JSON. */
export const jsonArray = (...items: readonly (string | number | bigint | null | Raw)[]): string =>
  `[${
    items.map((item) =>
      item instanceof Raw ? item.text : typeof item === "string" ? JSON.stringify(item) : `${item}`
    ).join(", ")
  }]`;

export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
