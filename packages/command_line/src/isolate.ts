const [FIRST_STRONG, POP] = ["\u2068", "\u2069"];
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const ISOLATED = /\u2068([^\u2066-\u2069]*)\u2069/;
const CONTROLS = /[\u2066-\u2069\u202a-\u202e]/g;

/**
 * Puts a text that somebody else chose, such as a name, between U+2068 and U+2069. Without these controls, a
 * terminal can show a number on the wrong side of an Arabic name. Returns a text without right-to-left
 * letters unchanged. Removes direction controls from the text, because they could end the isolation.
 */
export function isolate(text: unknown): string {
  const plain = `${text}`;
  return RIGHT_TO_LEFT.test(plain) ? FIRST_STRONG + plain.replace(CONTROLS, "") + POP : plain;
}

/** Whether the text contains a part between U+2068 and U+2069. */
export const hasIsolates = (text: string): boolean => ISOLATED.test(text);

/** Splits a text into its plain parts, at even indexes, and its isolated parts, at odd indexes. */
export const splitIsolates = (text: string): string[] => text.split(ISOLATED);

/** Applies `change` to each part of a text. Isolated parts stay isolated. */
export const mapIsolates = (text: string, change: (part: string) => string): string =>
  splitIsolates(text).map((part, n) => n % 2 === 0 ? change(part) : FIRST_STRONG + change(part) + POP).join(
    "",
  );

/**
 * Ends an isolated part that spans two lines at the end of the first line, and opens it again on the next. A
 * terminal treats each line as a paragraph, so an isolation does not reach the next line.
 */
export function closeLines(lines: readonly string[]): string[] {
  let isOpen = false;
  return lines.map((line) => {
    const text = (isOpen ? FIRST_STRONG : "") + line;
    isOpen = text.lastIndexOf(FIRST_STRONG) > text.lastIndexOf(POP);
    return isOpen ? text + POP : text;
  });
}
