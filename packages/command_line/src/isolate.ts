const [FIRST_STRONG, POP] = ["\u2068", "\u2069"];
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const ISOLATED = /\u2068([^\u2066-\u2069]*)\u2069/;
const CONTROLS = /[\u2066-\u2069\u202a-\u202e]/g;

/**
 * Isolates a text that somebody else chose, such as a name, from the sentence around it (U+2068 and U+2069). Without
 * them, a name in Arabic takes the number beside it to its other side. A text without such letters stays as it is.
 * Controls within the text are removed, because they could end the isolation.
 */
export function isolate(text: unknown): string {
  const plain = `${text}`;
  return RIGHT_TO_LEFT.test(plain) ? FIRST_STRONG + plain.replace(CONTROLS, "") + POP : plain;
}

/** Whether isolate() isolates a part of the text, or the whole. */
export const hasIsolates = (text: string): boolean => ISOLATED.test(text);

/** Splits a text at its isolated parts, which have the odd places. */
export const splitIsolates = (text: string): string[] => text.split(ISOLATED);

/** Changes each part of a text by itself, and keeps it isolated. */
export const mapIsolates = (text: string, change: (part: string) => string): string =>
  splitIsolates(text).map((part, n) => n % 2 === 0 ? change(part) : FIRST_STRONG + change(part) + POP).join(
    "",
  );

/** Each line of a terminal is a paragraph: one that ends within an isolated part closes it, and the next opens it. */
export function closeLines(lines: readonly string[]): string[] {
  let isOpen = false;
  return lines.map((line) => {
    const text = (isOpen ? FIRST_STRONG : "") + line;
    isOpen = text.lastIndexOf(FIRST_STRONG) > text.lastIndexOf(POP);
    return isOpen ? text + POP : text;
  });
}
