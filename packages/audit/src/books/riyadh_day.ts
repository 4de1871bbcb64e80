import { instantText } from "../values.ts";

// Days in Riyadh, which has no summer time. Instants are Unix milliseconds.
export const DAY_MS = 86_400_000;
const RIYADH_MS = 3 * 3_600_000;

export const isMidnight = (at: number): boolean => (at + RIYADH_MS) % DAY_MS === 0;
/**
 * The day that contains the instant, such as 2026-01-31. An edited row may have an instant without a day. Its
 * text is then no day, so that the row becomes a finding.
 */
export const dayOf = (at: number): string => instantText(at + RIYADH_MS).slice(0, 10);
/** The instant at which the day begins. */
export const beginOf = (day: string): number => Date.parse(day) - RIYADH_MS;
