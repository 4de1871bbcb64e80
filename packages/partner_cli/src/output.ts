import { JsonNumber, type JsonValue } from "@gold-partner/canonical";
import { Quantity } from "@gold-partner/client";
import { writeJson } from "@gold-partner/protocol";
import type { Finding, Row } from "./command.ts";

/** Control characters, line separators, and invisible characters, which a terminal interprets or hides. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Returns text that is safe to print on a terminal, on one line. The text may come from a receiver, a proxy
 * or a file.
 */
const printable = (text: string): string => text.replace(UNPRINTABLE, escapeCharacter);

/** The escape is valid in JSON, which escapes a character above U+FFFF as two code units. */
const escapeCharacter = (character: string) =>
  character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

/** Writes a reply as JSON in the service's form: every Quantity of the client becomes a JSON number again. */
export function wireJson(value: unknown): string {
  return writeJson(wireValue(value));
}

function wireValue(value: unknown): JsonValue {
  if (typeof value === "number" || value instanceof Quantity) return new JsonNumber(`${value}`);
  if (Array.isArray(value)) return value.map(wireValue);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, wireValue(member)]));
}

/** JSON on one line. A parser reads the same value, and a terminal interprets none of its characters. */
export const printableJson = (value: unknown): string =>
  wireJson(value).replace(UNPRINTABLE, escapeCharacter);

/** A reply for people: one line for each member, and a table for each list. */
export function replyText(reply: object): string {
  const [lists, others] = [membersOf(reply, isList), membersOf(reply, (value) => !isList(value))];
  const row = flat(Object.fromEntries(others));
  const width = Math.max(...Object.keys(row).map((name) => name.length));
  const pairs = Object.entries(row).map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  const tables = lists.map(([name, items]) => `\n${name}:\n${tableText((items as object[]).map(flat))}`);
  return [...pairs, ...tables].join("\n");
}

const isList = (value: unknown) => Array.isArray(value);
const membersOf = (value: object, wanted: (value: unknown) => boolean) =>
  Object.entries(value).filter(([, member]) => wanted(member));

/** Puts members of members into one row: `{sar: {held: 1}}` becomes `{"sar.held": "1"}`. */
function flat(value: object): Record<string, string> {
  const cells = Object.entries(value).flatMap(([name, member]): [string, string][] => {
    if (member instanceof Quantity) return [[name, `${member} ${member.unit}`]];
    if (typeof member !== "object" || member === null) return [[name, cellText(member)]];
    return Object.entries(flat(member)).map(([inner, text]) => [`${name}.${inner}`, text]);
  });
  return Object.fromEntries(cells);
}

const cellText = (value: unknown) => value === null ? "-" : printable(`${value}`);

/** A table whose columns are as wide as their widest cell. A row may lack some of the columns. */
export function tableText(rows: readonly Row[]): string {
  if (rows.length === 0) return "none";
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => cellText(row[name] ?? null)))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd())
    .join("\n");
}

/** A row on one line, without the cells that have no value. */
export const lineText = (row: Row): string =>
  Object.values(row).filter((cell) => cell !== null).map(cellText).join("  ");

const MARKS: Readonly<Record<Finding["result"], string>> = {
  ok: "ok     ",
  failed: "FAILED ",
  skipped: "skipped",
};
const CHECK_WIDTH = 14;

/** One line for a finding: the result, the check, what was found, and what to do. */
export function findingText({ check, result, detail, cure }: Finding): string {
  return printable(`${MARKS[result]} ${check.padEnd(CHECK_WIDTH)} ${detail}${cure ? ` → ${cure}` : ""}`);
}
