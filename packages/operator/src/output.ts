import { printable, printableJson } from "@gold-partner/server";
import type { Cell, Result, Row } from "./command.ts";

/** Postgres also stores infinite instants, which a Date cannot hold. */
export const instantOf = (at: Date | null): string | null =>
  at !== null && Number.isNaN(at.getTime()) ? "infinite" : at?.toISOString() ?? null;

/** Formats a result as one JSON object. Its member `items` holds the list. */
export function printJson({ object, items, lists }: Result): string {
  return printableJson({ ...object, ...(items ? { items } : {}), ...lists });
}

/** Formats a result as text for people, with tables whose columns are as wide as their widest cell. */
export function printText({ title, object, items, lists = {} }: Result): string {
  const parts = [
    ...(title ? [printable(title)] : []),
    ...(object ? [pairs(object)] : []),
    ...(items ? [table(items)] : []),
    ...Object.entries(lists).map(([name, rows]) => `\n${name}:\n${table(rows)}`),
  ];
  return parts.join("\n");
}

function pairs(row: Row): string {
  const names = Object.keys(row);
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `${name.padEnd(width)}  ${cellText(row[name]!)}`).join("\n");
}

function table(rows: readonly Row[]): string {
  if (rows.length === 0) return "none";
  const names = Object.keys(rows[0]!);
  const lines = [names, ...rows.map((row) => names.map((name) => cellText(row[name] ?? null)))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd())
    .join("\n");
}

/** PEM certificates are printed with their line breaks. They consist only of these characters. */
const PEM = /^(-----BEGIN [A-Z ]+-----\n[A-Za-z0-9+/=\n]+-----END [A-Z ]+-----\n?)+$/;

/**
 * A cell may hold text that a partner chose. printable() escapes the characters that a terminal would
 * interpret.
 */
function cellText(value: Cell | readonly Cell[]): string {
  if (Array.isArray(value)) return value.map((one) => cellText(one)).join(", ");
  if (value === null) return "-";
  return PEM.test(`${value}`) ? `${value}` : printable(`${value}`);
}
