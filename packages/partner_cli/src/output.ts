import { JsonNumber, type JsonValue } from "@gold-partner/canonical";
import { Quantity } from "@gold-partner/client";
import {
  groupDigits,
  hang,
  isNumber,
  isolate,
  pairsText,
  riyadhTimes,
  type Screen,
  shortId,
  styled,
  tableText,
  wrap,
} from "@gold-partner/command-line";
import { writeJson } from "@gold-partner/protocol";
import type { Cell, Finding, Row } from "./command.ts";

/** Control characters, line separators, and invisible characters, which a terminal interprets or hides. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Returns text that is safe to print on a terminal, on one line. The text may come from a receiver, a proxy
 * or a file.
 */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escapeCharacter);

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

/** Breaks a text into lines that fit the terminal. Without one it stays on its lines. */
export const fold = (text: string, screen: Screen | undefined): string =>
  screen ? wrap(text, screen.columns).join("\n") : text;

/** A reply for people: one line for each member, and a table for each list. */
export function replyText(reply: object, screen?: Screen): string {
  const [lists, others] = [membersOf(reply, isList), membersOf(reply, (value) => !isList(value))];
  const tables = lists.map(([name, items]) =>
    `\n${styled(screen, "bold", `${name}:`)}\n${rowsText((items as object[]).map(flat), screen)}`
  );
  return [pairsText(flat(Object.fromEntries(others)), screen, cellText), ...tables].join("\n");
}

const isList = (value: unknown) => Array.isArray(value);
const membersOf = (value: object, wanted: (value: unknown) => boolean) =>
  Object.entries(value).filter(([, member]) => wanted(member));

/** Puts members of members into one row: `{sar: {held: 1}}` becomes `{"sar.held": 1}`. */
function flat(value: object): Row {
  const cells = Object.entries(value).flatMap(([name, member]): [string, Cell][] => {
    if (member instanceof Quantity) return [[name, `${member} ${member.unit}`]];
    if (typeof member !== "object" || member === null) return [[name, member]];
    return Object.entries(flat(member)).map(([inner, cell]) => [`${name}.${inner}`, cell]);
  });
  return Object.fromEntries(cells);
}

/** Makes a text printable. On a terminal, replaces its times with those of Riyadh. */
export const readable = (text: string, screen: Screen | undefined): string =>
  printable(screen ? riyadhTimes(text, screen, false) : text);

/** On a terminal, times are those of Riyadh, amounts have separated thousands, and tables have short ids. */
function cellText(_name: string, value: Cell, screen: Screen | undefined, isBrief: boolean): string {
  if (value === null) return "-";
  const text = screen ? riyadhTimes(`${value}`, screen, isBrief) : `${value}`;
  if (screen && text.includes(" ") && isNumber(text)) return groupDigits(text);
  return printable(screen && isBrief ? shortId(text) : text);
}

/** A table of rows. A row may lack some of the columns. */
export const rowsText = (rows: readonly Row[], screen?: Screen): string =>
  tableText([...new Set(rows.flatMap((row) => Object.keys(row)))], rows, screen, cellText);

/** A row on one line, without the cells that have no value. */
export function lineText(row: Row, screen?: Screen): string {
  const cells = Object.values(row).filter((cell) => cell !== null);
  return fold(cells.map((cell) => isolate(cellText("", cell, screen, false))).join("  "), screen);
}

const MARKS: Readonly<Record<Finding["result"], string>> = {
  ok: "ok     ",
  failed: "FAILED ",
  skipped: "skipped",
};
const CHECK_WIDTH = 14;

/** A finding: the result, the check, what was found, and what to do. Without a terminal it is one line. */
export function findingText({ check, result, detail, cure }: Finding, screen?: Screen): string {
  const label = `${MARKS[result]} ${check.padEnd(CHECK_WIDTH)} `;
  const text = readable(`${detail}${cure ? ` → ${cure}` : ""}`, screen);
  if (!screen) return label + text;
  return hang(label, text, screen.columns).join("\n")
    .replace(/^FAILED/, (mark) => styled(screen, "red", mark));
}
