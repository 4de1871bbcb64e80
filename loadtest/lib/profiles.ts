// The shapes of a load test: how much load, and for how long. Each profile has an arrival rate, so that a
// slow service does not receive fewer requests.

/**
 * `share` is the stage's part of the whole duration. During the stage, the rate changes linearly until it is
 * `ofPeak` times the peak.
 */
type Stage = readonly [share: number, ofPeak: number];

interface Profile {
  /** Iterations per second at the peak, for all partners together. */
  readonly peakPerSecond: number;
  readonly durationSeconds: number;
  /** The starting rate, as a share of the peak. */
  readonly start: number;
  readonly stages: readonly Stage[];
  /** Which service levels apply: see service_levels.ts. */
  readonly level: "signed" | "strained" | "breaking";
}

const HELD: readonly Stage[] = [[0.1, 1], [0.8, 1], [0.1, 0]];

export const PROFILES = {
  smoke: { peakPerSecond: 10, durationSeconds: 10, start: 1, stages: [[1, 1]], level: "signed" },
  average: { peakPerSecond: 50, durationSeconds: 300, start: 0, stages: HELD, level: "signed" },
  soak: { peakPerSecond: 50, durationSeconds: 3600, start: 0, stages: HELD, level: "signed" },
  stress: { peakPerSecond: 150, durationSeconds: 600, start: 0, stages: HELD, level: "strained" },
  spike: {
    peakPerSecond: 250,
    durationSeconds: 120,
    start: 0.1,
    stages: [[0.4, 0.1], [0.05, 1], [0.1, 1], [0.05, 0.1], [0.4, 0.1]],
    level: "strained",
  },
  breakpoint: { peakPerSecond: 400, durationSeconds: 600, start: 0, stages: [[1, 1]], level: "breaking" },
} as const satisfies Record<string, Profile>;
export type ProfileName = keyof typeof PROFILES;

const isProfile = (name: string): name is ProfileName => Object.keys(PROFILES).includes(name);

/** The environment variables that set the load. */
interface Scale {
  readonly PROFILE?: string | undefined;
  readonly RATE?: string | undefined;
  readonly DURATION?: string | undefined;
  readonly PARTNERS?: string | undefined;
}

export interface Load {
  readonly name: ProfileName;
  readonly peakPerSecond: number;
  readonly durationSeconds: number;
  readonly partners: number;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };

/** Throws one sentence that names the invalid variable. */
export function loadOf({ PROFILE = "smoke", RATE, DURATION, PARTNERS = "1" }: Scale): Load {
  if (!isProfile(PROFILE)) {
    throw `PROFILE must be one of ${Object.keys(PROFILES).join(", ")}; got ${PROFILE}.`;
  }
  const { peakPerSecond, durationSeconds } = PROFILES[PROFILE];
  return {
    name: PROFILE,
    peakPerSecond: RATE ? wholeNumber("RATE", RATE) : peakPerSecond,
    durationSeconds: DURATION ? secondsOf(DURATION) : durationSeconds,
    partners: wholeNumber("PARTNERS", PARTNERS),
  };
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw `${name} must be a whole number from 1 to 999999; got ${text}.`;
}

/** Converts a duration such as `1h30m` into seconds: 5400. */
export function secondsOf(text: string): number {
  const parts = /^(?:[0-9]{1,6}[hms])+$/.test(text) ? text.match(/[0-9]+[hms]/g) ?? [] : [];
  const seconds = parts.reduce(
    (sum, part) => sum + Number(part.slice(0, -1)) * UNIT_SECONDS[part.slice(-1)]!,
    0,
  );
  if (seconds > 0) return seconds;
  throw `DURATION must be a duration such as 30s, 5m or 1h30m; got ${text}.`;
}

/**
 * The rate that a breakpoint run had reached after this many iterations of all partners. Undefined for every
 * other profile, because only a breakpoint run rises until its end.
 */
export function rateReached(
  { name, peakPerSecond, durationSeconds }: Load,
  iterations: number,
): number | undefined {
  if (PROFILES[name].level !== "breaking") return undefined;
  // For a rate that rises linearly from 0 to r in t seconds, there are r × t / 2 iterations.
  return Math.sqrt(2 * iterations * peakPerSecond / durationSeconds);
}

/**
 * The arrivals of one partner's process: its share of the rate. k6 takes only integers as targets. So the
 * target is the rate of all partners, and the time unit has one second per partner.
 */
export function arrivalsOf({ name, peakPerSecond, durationSeconds, partners }: Load) {
  const { start, stages } = PROFILES[name];
  const ownPeak = peakPerSecond / partners;
  return {
    executor: "ramping-arrival-rate" as const,
    startRate: Math.round(start * peakPerSecond),
    timeUnit: `${partners}s`,
    stages: stages.map(([share, ofPeak]) => ({
      duration: `${Math.round(share * durationSeconds * 1000)}ms`,
      target: Math.round(ofPeak * peakPerSecond),
    })),
    // Start enough VUs for replies that take one second each, so that even such a slow service gets the full
    // arrival rate.
    preAllocatedVUs: Math.ceil(ownPeak) + 15,
    maxVUs: Math.ceil(ownPeak * 4) + 15,
    // Wait long enough for a late reply and a retry, so that no outcome stays unknown.
    gracefulStop: "75s",
  };
}
