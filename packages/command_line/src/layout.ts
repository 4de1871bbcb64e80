import { hasIsolates, isolate } from "./isolate.ts";
import { padEnd, padStart, type Screen, styled, widthOf, wordsOf, wrap } from "./screen.ts";

/**
 * Writes a value as text without control characters. `isBrief` is for tables. A text with line breaks is
 * printed with them.
 */
type CellText<Value> = (
  name: string,
  value: Value | null,
  screen: Screen | undefined,
  isBrief: boolean,
) => string;
type Members<Value> = Readonly<Record<string, Value | null>>;

const GAP = 2;
/** A column with words may become this narrow. */
const WORDS_MIN = 14;
const NUMBER = /^-?[0-9][0-9,]*(?:\.[0-9]+)?(?: (?:SAR|g|SAR\/g))?$/;
const EMPTY = "-";

const isolateCell = (text: string): string => hasIsolates(text) ? text : isolate(text);

/** Whether a text is a number, with or without the unit of an amount. */
export const isNumber = (text: string): boolean => NUMBER.test(text);

/** A text behind a label. Its further lines begin below its first one. */
export const hang = (label: string, text: string, columns: number): string[] =>
  wrap(text, Math.max(1, columns - label.length)).map((line, index) =>
    (index === 0 ? label : " ".repeat(label.length)) + line
  );

/** One line for each member. On a terminal, a value takes as many lines as it needs. */
export function pairsText<Value>(
  row: Members<Value>,
  screen: Screen | undefined,
  cellText: CellText<Value>,
): string {
  const names = Object.keys(row);
  const width = Math.max(...names.map((name) => name.length));
  return names.flatMap((name) => {
    const text = isolateCell(cellText(name, row[name] ?? null, screen, false));
    const isWrapped = screen && !text.includes("\n");
    const lines = isWrapped ? wrap(text, Math.max(1, screen.columns - width - GAP)) : [text];
    return lines.map((line, index) =>
      `${styled(screen, "dim", (index === 0 ? name : "").padEnd(width))}  ${line}`
    );
  }).join("\n");
}

/**
 * A table whose columns are as wide as their widest cell. On a terminal it has no empty columns, and its
 * widest columns become narrower until it fits. If it cannot fit, each row becomes a block of pairs.
 */
export function tableText<Value>(
  members: readonly string[],
  rows: readonly Members<Value>[],
  screen: Screen | undefined,
  cellText: CellText<Value>,
): string {
  if (rows.length === 0) return "none";
  const names = screen ? members.filter((name) => rows.some((row) => (row[name] ?? null) !== null)) : members;
  const cells = rows.map((row) =>
    names.map((name) => isolateCell(cellText(name, row[name] ?? null, screen, true)))
  );
  const columns = names.map((name, index) => [name, ...cells.map((line) => line[index]!)]);
  const widths = columns.map((texts) => Math.max(...texts.map(widthOf)));
  if (screen && !narrow(widths, columns, screen.columns)) {
    return rows.map((row) => pairsText(row, screen, cellText)).join("\n\n");
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

/** An error for a person at a terminal: the sentences, and below them the notes, such as its code. */
export function failureText(
  program: string,
  message: string,
  notes: readonly string[],
  screen: Screen,
): string {
  const [first, ...others] = wrap(`${program}: ${message}`, screen.columns);
  return [
    styled(screen, "red", `${program}:`) + first!.slice(program.length + 1),
    ...others,
    ...notes.flatMap((note) => wrap(note, screen.columns)).map((line) => styled(screen, "dim", line)),
  ].join("\n");
}
