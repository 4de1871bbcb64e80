/**
 * How many seconds an event waits after each failed attempt. If the attempt after the last wait fails too,
 * the event is parked. The default is in settings.ts.
 */
export type RetrySchedule = readonly number[];

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const FORM = /^([1-9][0-9]{0,5})([smhd])$/;
const TRIES_MAX = 100;
const WAIT_MAX_SECONDS = 7 * SECONDS.d;

/** Reads waits as an operator writes them: `5s 30s 2m`. */
export function parseRetrySchedule(text: string): RetrySchedule {
  const words = text.split(" ").filter((word) => word !== "");
  if (words.length === 0 || words.length > TRIES_MAX) {
    throw new Error(`must be a list of 1 to ${TRIES_MAX} waits such as "5s 30s 2m 1h".`);
  }
  return words.map((word) => {
    const [, digits, unit] = FORM.exec(word) ?? [];
    const seconds = Number(digits) * SECONDS[unit as keyof typeof SECONDS];
    if (!digits || seconds > WAIT_MAX_SECONDS) {
      throw new Error(`has "${word}"; a wait must be a whole number with s, m, h or d, and at most 7 days.`);
    }
    return seconds;
  });
}
