import { PkiError } from "./errors.ts";

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const DAY_MS = 86_400_000;
// Certificates begin this much earlier, so that a verifier whose clock is slightly behind does not refuse a
// new one.
const BACKDATE_MS = 5 * 60_000;
/**
 * How many days before an authority's end the warning starts. A certificate is valid for one year and
 * must not outlive its authority, so an authority can sign nothing in its last year. The warning starts 60
 * days earlier.
 */
export const AUTHORITY_NOTICE_DAYS = 365 + 60;

export function daysFrom(issuedAt: Date, days: number): Validity {
  return { notBefore: new Date(wholeSecondMs(issuedAt) - BACKDATE_MS), notAfter: addDays(issuedAt, days) };
}

export function yearsFrom(issuedAt: Date, years: number): Validity {
  const notAfter = new Date(wholeSecondMs(issuedAt));
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + checkCount("years", years, 50));
  return { notBefore: new Date(wholeSecondMs(issuedAt) - BACKDATE_MS), notAfter };
}

/** Whether `notAfter` is less than `days` days later than `at`. */
export const endsWithin = (notAfter: Date, at: Date, days: number): boolean =>
  notAfter.getTime() - at.getTime() < days * DAY_MS;

function addDays(issuedAt: Date, days: number): Date {
  return new Date(wholeSecondMs(issuedAt) + checkCount("days", days, 3650) * DAY_MS);
}

/** Rounds down to whole seconds, because X.509 has no fractions. */
function wholeSecondMs(instant: Date): number {
  const ms = Math.floor(instant.getTime() / 1000) * 1000;
  if (Number.isFinite(ms)) return ms;
  throw new PkiError(
    "validity_invalid",
    "The instant of issue is not a valid date. Give one, such as 2026-01-31T09:00:00Z.",
  );
}

function checkCount(unit: string, count: number, most: number): number {
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new PkiError(
    "validity_invalid",
    `A certificate cannot be valid for ${count} ${unit}. Give a whole number from 1 to ${most}.`,
  );
}
