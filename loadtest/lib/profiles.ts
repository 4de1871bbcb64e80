// How much load, and for how long: the shapes of a load test, each at an arrival rate, so that a slow service is not asked less.

/** Until when, as a share of the whole, the rate goes straight to which share of the peak. */
type Stage = readonly [share: number, ofPeak: number];

interface Profile {
  /** Iterations a second at the peak, of all partners together. */
  readonly peakPerSecond: number;
  readonly durationSeconds: number;
  /** Share of the peak at the beginning. */
  readonly start: number;
  readonly stages: readonly Stage[];
  /** What is asked of it: see service_levels.ts. */
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

/** What the environment may say: `PROFILE`, `RATE`, `DURATION` and `PARTNERS`. */
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

/** Throws one sentence for what it cannot read. */
export function loadOf({ PROFILE = "smoke", RATE, DURATION, PARTNERS = "1" }: Scale): Load {
  if (!isProfile(PROFILE)) {
    throw `PROFILE=${PROFILE} is none; there are: ${Object.keys(PROFILES).join(", ")}.`;
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
  throw `${name}=${text} is no whole number from 1 to 999999.`;
}

/** `1h30m` as 5400. */
export function secondsOf(text: string): number {
  const parts = /^(?:[0-9]{1,6}[hms])+$/.test(text) ? text.match(/[0-9]+[hms]/g) ?? [] : [];
  const seconds = parts.reduce(
    (sum, part) => sum + Number(part.slice(0, -1)) * UNIT_SECONDS[part.slice(-1)]!,
    0,
  );
  if (seconds > 0) return seconds;
  throw `DURATION=${text} is no time; write it as in 30s, 5m or 1h30m.`;
}

/** Which rate a breakpoint's run had come to after so many iterations of all partners; of a run that does not rise to its end, none. */
export function rateReached(
  { name, peakPerSecond, durationSeconds }: Load,
  iterations: number,
): number | undefined {
  if (PROFILES[name].level !== "breaking") return undefined;
  // What rises from 0 by as much each second has brought half of what it came to, times its seconds.
  return Math.sqrt(2 * iterations * peakPerSecond / durationSeconds);
}

/** Of one partner's process: its share of the rate. Whole arrivals in as many seconds as there are partners divide exactly. */
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
    // As many iterations are open as arrive while one lasts: with so many VUs, a service that takes a second is asked no less.
    preAllocatedVUs: Math.ceil(ownPeak) + 15,
    maxVUs: Math.ceil(ownPeak * 4) + 15,
    // Long enough for a reply that is late and for asking again, so that no outcome stays unknown.
    gracefulStop: "75s",
  };
}
