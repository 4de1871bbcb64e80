import { usage } from "../../failure.ts";

/** Opening hours of one day, in Riyadh time. */
interface Session {
  /** 0 is Sunday. */
  readonly day: number;
  readonly opens: string;
  readonly closes: string;
}

interface MarketHours {
  readonly alwaysOpen: boolean;
  readonly sessions: readonly Session[];
}

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
const SESSION_FORM =
  /^(sun|mon|tue|wed|thu|fri|sat)(?:-(sun|mon|tue|wed|thu|fri|sat))? ((?:[01][0-9]|2[0-3]):[0-5][0-9])-((?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/;

/** Reads `always`, `never`, or sessions such as `sun-thu 10:00-15:00`. */
export function readMarketHours(texts: readonly string[]): MarketHours {
  const [first] = texts;
  if (texts.length === 1 && (first === "always" || first === "never")) {
    return { alwaysOpen: first === "always", sessions: [] };
  }
  const sessions = texts.flatMap(readSessions).sort((one, other) =>
    one.day - other.day || (one.opens < other.opens ? -1 : 1)
  );
  sessions.forEach(({ day, opens }, index) => {
    const before = sessions[index - 1];
    if (before?.day === day && opens < before.closes) {
      throw usage(
        `--open has two sessions on ${DAYS[day]} at ${opens}. The sessions of one day must not overlap.`,
      );
    }
  });
  return { alwaysOpen: false, sessions };
}

function readSessions(text: string): Session[] {
  const [, from, to = from, opens, closes] = SESSION_FORM.exec(text) ?? [];
  if (opens === undefined || closes === undefined || opens >= closes) {
    throw usage(
      `--open ${
        JSON.stringify(text)
      } is invalid. Give always, never, or sessions in Riyadh time such as "sun-thu 10:00-15:00". Split a session that passes midnight into two.`,
    );
  }
  const [first, last] = [from, to].map((name) => DAYS.findIndex((day) => day === name)) as [number, number];
  // A range may cross the end of the week: fri-sun is three days.
  const days = (last - first + 7) % 7 + 1;
  return Array.from({ length: days }, (_, index) => ({ day: (first + index) % 7, opens, closes }));
}

/**
 * Writes market hours in the form that readMarketHours() takes.
 * Consecutive days with the same session become one range.
 */
export function writeMarketHours({ alwaysOpen, sessions }: MarketHours): string[] {
  if (alwaysOpen) return ["always"];
  if (sessions.length === 0) return ["never"];
  const daysOf = new Map<string, number[]>();
  for (const { day, opens, closes } of sessions) {
    const hours = `${opens}-${closes}`;
    daysOf.set(hours, [...daysOf.get(hours) ?? [], day]);
  }
  return [...daysOf].flatMap(([hours, days]) => runsOf(days).map((run) => `${run} ${hours}`));
}

function runsOf(days: readonly number[]): string[] {
  const runs: number[][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    if (run?.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  return runs.map((run) => run.length === 1 ? DAYS[run[0]!]! : `${DAYS[run[0]!]}-${DAYS[run.at(-1)!]}`);
}
