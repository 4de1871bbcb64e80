import { closeLines } from "./isolate.ts";

/** The terminal on which a person reads the output. Without one, the output goes to a file or a program. */
export interface Screen {
  readonly columns: number;
  readonly hasColor: boolean;
  /** The time at which times of the same day need no date. */
  readonly now: Date;
}

const DEFAULT_COLUMNS = 80;

/** The terminal behind an output, if there is one. */
export const screenOf = (
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number },
  { NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
): Screen | undefined =>
  isTTY
    ? { columns: columns || DEFAULT_COLUMNS, hasColor: !NO_COLOR && TERM !== "dumb", now: new Date() }
    : undefined;

const ZERO_WIDTH = /[\p{Mn}\p{Me}\u2066-\u2069]/u;
const DOUBLE_WIDTH =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;

/** How many columns of a terminal a text takes. It has no control characters, because printable() escaped them. */
export const widthOf = (text: string): number =>
  [...text].reduce((sum, one) => sum + (ZERO_WIDTH.test(one) ? 0 : DOUBLE_WIDTH.test(one) ? 2 : 1), 0);

export const padEnd = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - widthOf(text)));
export const padStart = (text: string, width: number): string =>
  " ".repeat(Math.max(0, width - widthOf(text))) + text;

/** The parts between which a line may break: after a space, and after a dot or underscore between letters. */
export const wordsOf = (text: string): string[] => text.split(/(?<= )|(?<=[a-z][._])(?=[a-z])/);

/**
 * Breaks a text into lines of at most `width` columns: between words, or inside a word that is longer than a
 * line.
 */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of wordsOf(paragraph).flatMap((one) => breakWord(one, width))) {
      if (line !== "" && widthOf((line + word).trimEnd()) > width) {
        lines.push(line.trimEnd());
        line = "";
      }
      line += word;
    }
    return closeLines([...lines, line.trimEnd()]);
  });
}

function breakWord(word: string, width: number): string[] {
  if (widthOf(word.trimEnd()) <= width) return [word];
  const parts = [""];
  for (const one of word) {
    if (widthOf((parts.at(-1)! + one).trimEnd()) > width) parts.push("");
    parts[parts.length - 1] += one;
  }
  return parts;
}

/** Separates the thousands of a decimal number. */
export const groupDigits = (number: string): string =>
  number.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ","));

const INSTANTS = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z/g;
const INSTANT = new RegExp(`^${INSTANTS.source}$`);
const RIYADH = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Asia/Riyadh",
  ...{ year: "numeric", month: "short", day: "2-digit" },
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
});

export const isInstant = (text: string): boolean => INSTANT.test(text);

/**
 * The time in Riyadh. `brief` is for tables: only the time of a time of today, and no seconds of another day's.
 */
export function riyadhTime(instant: string, { now }: Screen, brief: boolean): string {
  const [at, today] = [new Date(instant), now].map((date) =>
    Object.fromEntries(RIYADH.formatToParts(date).map(({ type, value }) => [type, value]))
  ) as [Record<string, string>, Record<string, string>];
  const [day, time] = [`${at.day} ${at.month}`, `${at.hour}:${at.minute}`];
  if (!brief) return `${day} ${at.year} ${time}:${at.second}`;
  if (at.year !== today.year) return `${day} ${at.year}`;
  return day === `${today.day} ${today.month}` ? `${time}:${at.second}` : `${day} ${time}`;
}

/**
 * Replaces each instant in a text with the time in Riyadh, so that all times of an output have one zone.
 * Appends ` +03:00`, except in a table (`brief`), which has no room for it.
 */
export const riyadhTimes = (text: string, screen: Screen, brief: boolean): string =>
  text.replace(INSTANTS, (instant) => riyadhTime(instant, screen, brief) + (brief ? "" : " +03:00"));

/** Returns text in a style of the terminal, if it has colours. */
export const styled = (
  screen: Screen | undefined,
  style: "bold" | "dim" | "red" | "yellow",
  text: string,
): string => screen?.hasColor ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
const STYLES = { bold: 1, dim: 2, red: 31, yellow: 33 } as const;
