import { printable, printableJson } from "@gold-partner/server";
import type { Cell, Result, Row } from "./command.ts";
import {
  groupDigits,
  isInstant,
  padEnd,
  padStart,
  riyadhTime,
  type Screen,
  styled,
  widthOf,
  wordsOf,
  wrap,
} from "./screen.ts";
import { shortId } from "./short_id.ts";

/** Postgres also stores infinite instants, which a Date cannot hold. */
export const instantOf = (at: Date | null): string | null =>
  at !== null && Number.isNaN(at.getTime()) ? "infinite" : at?.toISOString() ?? null;

/** Formats a result as one JSON object. Its member `items` holds the list. */
export function printJson({ object, parts, items, lists }: Result): string {
  return printableJson({ ...object, ...parts, ...(items ? { items } : {}), ...lists });
}

/**
 * Formats a result as text for people, with tables whose columns are as wide as their widest cell. On a
 * terminal, no line is wider than the screen, times are those of Riyadh, and tables have short ids.
 */
export function printText(
  { title, object, parts = {}, items, lists = {} }: Result,
  screen?: Screen,
): string {
  const heading = (name: string) => `\n${styled(screen, "bold", `${name}:`)}`;
  return [
    ...(title ? wrapTo(printable(title), screen).map((line) => styled(screen, "bold", line)) : []),
    ...(object ? [pairs(object, screen)] : []),
    ...Object.entries(parts).map(([name, row]) => `${heading(name)}\n${pairs(row, screen)}`),
    ...(items ? [table(items, screen)] : []),
    ...Object.entries(lists).map(([name, rows]) => `${heading(name)}\n${table(rows, screen)}`),
  ].join("\n");
}

const wrapTo = (text: string, screen: Screen | undefined): string[] =>
  screen ? wrap(text, screen.columns) : [text];

function pairs(row: Row, screen: Screen | undefined): string {
  const names = Object.keys(row);
  const width = Math.max(...names.map((name) => name.length));
  return names.flatMap((name) => {
    const text = cellText(name, row[name]!, screen, false);
    const lines = screen && !PEM.test(text) ? wrap(text, Math.max(1, screen.columns - width - 2)) : [text];
    return lines.map((line, index) =>
      `${styled(screen, "dim", (index === 0 ? name : "").padEnd(width))}  ${line}`
    );
  }).join("\n");
}

const GAP = 2;
/** A column with words may become this narrow. */
const WORDS_MIN = 14;
const NUMBER = /^-?[0-9][0-9,]*(?:\.[0-9]+)?$/;
/** The members that are amounts of money or gold. */
const QUANTITY = /(^|_)(sar|grams)(_|$)|^(change|balance_after)$/;
export const isQuantity = (name: string): boolean => QUANTITY.test(name);
const EMPTY = "-";

function table(rows: readonly Row[], screen: Screen | undefined): string {
  if (rows.length === 0) return "none";
  const all = Object.keys(rows[0]!);
  // A terminal has no room for columns without a value.
  const names = screen ? all.filter((name) => rows.some((row) => (row[name] ?? null) !== null)) : all;
  const cells = rows.map((row) => names.map((name) => cellText(name, row[name] ?? null, screen, true)));
  const columns = names.map((name, index) => [name, ...cells.map((line) => line[index]!)]);
  const widths = columns.map((texts) => Math.max(...texts.map(widthOf)));
  if (screen && !narrow(widths, columns, screen.columns)) {
    return rows.map((row) => pairs(row, screen)).join("\n\n");
  }
  const pad = columns.map(([, ...texts]) =>
    screen && texts.every((text) => text === EMPTY || NUMBER.test(text)) ? padStart : padEnd
  );
  return [names, ...cells].flatMap((line, row) => {
    const wrapped = line.map((cell, column) => screen ? wrap(cell, widths[column]!) : [cell]);
    const height = Math.max(...wrapped.map(({ length }) => length));
    return Array.from({ length: height }, (_, n) => {
      const text = wrapped.map((part, column) => pad[column]!(part[n] ?? "", widths[column]!))
        .join(" ".repeat(GAP)).trimEnd();
      return row === 0 ? styled(screen, "dim", text) : text;
    });
  }).join("\n");
}

/** Makes columns narrower, the widest first, until the table fits. Returns false if it cannot fit. */
function narrow(widths: number[], columns: readonly (readonly string[])[], room: number): boolean {
  const excess = () => widths.reduce((total, width) => total + width + GAP, -GAP) - room;
  const least = columns.map(([name, ...texts]) =>
    Math.max(
      longestPart(name!),
      ...texts.map((text) => text.includes(" ") ? Math.min(WORDS_MIN, widthOf(text)) : longestPart(text)),
    )
  );
  while (excess() > 0) {
    const slack = widths.map((width, column) => width - least[column]!);
    const column = slack.indexOf(Math.max(...slack));
    if (slack[column]! <= 0) return false;
    widths[column]! -= 1;
  }
  return true;
}

const longestPart = (text: string): number => Math.max(...wordsOf(text).map(widthOf));

/** PEM certificates are printed with their line breaks. They consist only of these characters. */
const PEM = /^(-----BEGIN [A-Z ]+-----\n[A-Za-z0-9+/=\n]+-----END [A-Z ]+-----\n?)+$/;

/**
 * A cell may hold text that a partner chose. printable() escapes the characters that a terminal would
 * interpret.
 */
function cellText(
  name: string,
  value: Cell | readonly Cell[],
  screen: Screen | undefined,
  isBrief: boolean,
): string {
  if (Array.isArray(value)) return value.map((one) => cellText(name, one, screen, isBrief)).join(", ");
  if (value === null) return EMPTY;
  const text = `${value}`;
  if (PEM.test(text)) return text;
  if (screen && isInstant(text)) return riyadhTime(text, screen, isBrief);
  if (screen && QUANTITY.test(name) && NUMBER.test(text)) return groupDigits(text);
  return printable(screen && isBrief ? text.split(" ").map(shortId).join(" ") : text);
}
