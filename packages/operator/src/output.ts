import { printable, printableJson } from "@gold-partner/server";
import type { Cell, Result, Row } from "./command.ts";
import { isInstant, padEnd, padStart, riyadhTime, type Screen, styled, widthOf, wrap } from "./screen.ts";
import { shortId } from "./short_id.ts";

/** Postgres also stores infinite instants, which a Date cannot hold. */
export const instantOf = (at: Date | null): string | null =>
  at !== null && Number.isNaN(at.getTime()) ? "infinite" : at?.toISOString() ?? null;

/** Formats a result as one JSON object. Its member `items` holds the list. */
export function printJson({ object, items, lists }: Result): string {
  return printableJson({ ...object, ...(items ? { items } : {}), ...lists });
}

/**
 * Formats a result as text for people, with tables whose columns are as wide as their widest cell. On a
 * terminal, no line is wider than the screen, times are those of Riyadh, and tables have short ids.
 */
export function printText({ title, object, items, lists = {} }: Result, screen?: Screen): string {
  const parts = [
    ...(title ? wrapTo(printable(title), screen).map((line) => styled(screen, "bold", line)) : []),
    ...(object ? [pairs(object, screen)] : []),
    ...(items ? [table(items, screen)] : []),
    ...Object.entries(lists).map(([name, rows]) =>
      `\n${styled(screen, "bold", `${name}:`)}\n${table(rows, screen)}`
    ),
  ];
  return parts.join("\n");
}

const wrapTo = (text: string, screen: Screen | undefined): string[] =>
  screen ? wrap(text, screen.columns) : [text];

function pairs(row: Row, screen: Screen | undefined): string {
  const names = Object.keys(row);
  const width = Math.max(...names.map((name) => name.length));
  return names.flatMap((name) => {
    const text = cellText(row[name]!, screen, false);
    const lines = screen && !PEM.test(text) ? wrap(text, Math.max(1, screen.columns - width - 2)) : [text];
    return lines.map((line, index) =>
      `${styled(screen, "dim", (index === 0 ? name : "").padEnd(width))}  ${line}`
    );
  }).join("\n");
}

const GAP = 2;
/** A column with words may become this narrow. */
const WORDS_MIN = 14;
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;

function table(rows: readonly Row[], screen: Screen | undefined): string {
  if (rows.length === 0) return "none";
  const names = Object.keys(rows[0]!);
  const cells = rows.map((row) => names.map((name) => cellText(row[name] ?? null, screen, true)));
  const widths = names.map((name, column) =>
    Math.max(name.length, ...cells.map((line) => widthOf(line[column]!)))
  );
  if (screen && !narrow(widths, names, cells, screen.columns)) {
    return rows.map((row) => pairs(row, screen)).join("\n\n");
  }
  const isNumeric = names.map((_, column) =>
    cells.every((line) => /^-$/.test(line[column]!) || NUMBER.test(line[column]!))
  );
  const lines = [names, ...cells].flatMap((line, row) => {
    const wrapped = line.map((cell, column) => screen ? wrap(cell, widths[column]!) : [cell]);
    const height = Math.max(...wrapped.map(({ length }) => length));
    return Array.from({ length: height }, (_, n) => {
      const text = wrapped.map((part, column) =>
        (screen && isNumeric[column] ? padStart : padEnd)(part[n] ?? "", widths[column]!)
      ).join(" ".repeat(GAP)).trimEnd();
      return row === 0 ? styled(screen, "dim", text) : text;
    });
  });
  return lines.join("\n");
}

/** Makes the widest columns with words narrower until the table fits. Returns false if it cannot fit. */
function narrow(
  widths: number[],
  names: readonly string[],
  cells: readonly string[][],
  columns: number,
): boolean {
  const sum = () => widths.reduce((total, width) => total + width + GAP, -GAP);
  const least = names.map((name, column) =>
    Math.max(
      name.length,
      ...cells.map((line) =>
        line[column]!.includes(" ") ? Math.min(WORDS_MIN, widthOf(line[column]!)) : widthOf(line[column]!)
      ),
    )
  );
  while (sum() > columns) {
    const slack = widths.map((width, column) => width - least[column]!);
    const most = Math.max(...slack);
    if (most <= 0) return false;
    const column = slack.indexOf(most);
    widths[column]! -= Math.min(most, sum() - columns);
  }
  return true;
}

/** PEM certificates are printed with their line breaks. They consist only of these characters. */
const PEM = /^(-----BEGIN [A-Z ]+-----\n[A-Za-z0-9+/=\n]+-----END [A-Z ]+-----\n?)+$/;

/**
 * A cell may hold text that a partner chose. printable() escapes the characters that a terminal would
 * interpret.
 */
function cellText(value: Cell | readonly Cell[], screen: Screen | undefined, isBrief: boolean): string {
  if (Array.isArray(value)) return value.map((one) => cellText(one, screen, isBrief)).join(", ");
  if (value === null) return "-";
  const text = `${value}`;
  if (PEM.test(text)) return text;
  if (screen && isInstant(text)) return riyadhTime(text, screen, isBrief);
  return printable(screen && isBrief ? shortId(text) : text);
}
