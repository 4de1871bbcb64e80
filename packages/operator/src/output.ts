import {
  groupDigits,
  hasIsolates,
  isInstant,
  isNumber,
  isolate,
  mapIsolates,
  pairsText,
  riyadhTime,
  type Screen,
  shortId,
  styled,
  tableText,
  wrap,
} from "@gold-partner/command-line";
import { printable, printableJson } from "@gold-partner/server";
import type { Cell, Result, Row } from "./command.ts";

/** Makes a text printable on one line. Keeps isolated parts isolated. */
export const shownText = (text: string): string => mapIsolates(text, printable);

/** Postgres also stores infinite instants, which a Date cannot hold. */
export const instantOf = (at: Date | null): string | null =>
  at !== null && Number.isNaN(at.getTime()) ? "infinite" : at?.toISOString() ?? null;

/** Formats a result as one JSON object. Its member `items` holds the list. */
export function printJson({ object, parts, items, lists }: Result): string {
  return printableJson({ ...object, ...parts, ...(items ? { items } : {}), ...lists });
}

/**
 * Yields the JSON text of a result in parts, with the items of `rest`. If an error ends it before the last
 * part, the text is not valid JSON, so that the reader notices.
 */
export async function* jsonParts({ object, items = [], lists = {}, rest }: Result): AsyncGenerator<string> {
  const rowsOf = (rows: readonly Row[]) => rows.map(printableJson).join(",");
  yield `${printableJson({ ...object }).slice(0, -1)},"items":[${rowsOf(items)}`;
  for await (const rows of rest ?? []) yield `,${rowsOf(rows)}`;
  yield `],${printableJson(lists).slice(1)}`;
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
    ...(title ? wrapTo(shownText(title), screen).map((line) => styled(screen, "bold", line)) : []),
    ...(object ? [pairs(object, screen)] : []),
    ...Object.entries(parts).map(([name, row]) => `${heading(name)}\n${pairs(row, screen)}`),
    ...(items ? [table(items, screen)] : []),
    ...Object.entries(lists).map(([name, rows]) => `${heading(name)}\n${table(rows, screen)}`),
  ].join("\n");
}

const wrapTo = (text: string, screen: Screen | undefined): string[] =>
  screen ? wrap(text, screen.columns) : [text];

const pairs = (row: Row, screen: Screen | undefined): string => pairsText(row, screen, cellText);
const table = (rows: readonly Row[], screen: Screen | undefined): string =>
  tableText(Object.keys(rows[0] ?? {}), rows, screen, cellText);

/** The members that are amounts of money or gold. */
const QUANTITY = /(^|_)(sar|grams)(_|$)|^(change|balance_after)$/;
export const isQuantity = (name: string): boolean => QUANTITY.test(name);

/** PEM certificates are printed with their line breaks. They consist only of these characters. */
const PEM = /^(-----BEGIN [A-Z ]+-----\n[A-Za-z0-9+/=\n]+-----END [A-Z ]+-----\n?)+$/;

/** The members that contain JSON. People read it before they sign it. */
const SIGNED = /^(canonical_text|detail|body|request_body)$/;
export const isolateQuoted = (text: string): string =>
  hasIsolates(text) ? text : text.replace(/"(?:[^"\\]|\\.)*"/g, isolate);

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
  if (Array.isArray(value)) {
    return value.map((one) => cellText(name, one, screen, isBrief))
      .map((text) => hasIsolates(text) ? text : isolate(text)).join(", ");
  }
  if (value === null) return "-";
  const text = `${value}`;
  if (PEM.test(text)) return text;
  if (screen && isInstant(text)) return riyadhTime(text, screen, isBrief);
  if (screen && QUANTITY.test(name) && isNumber(text)) return groupDigits(text);
  if (SIGNED.test(name)) return shownText(isolateQuoted(text));
  return shownText(screen && isBrief ? text.split(" ").map(shortId).join(" ") : text);
}
