/**
 * Control characters (C0, DEL, C1), line separators, and marks that change the direction of text. A terminal
 * interprets them: a partner's name could move the cursor, hide a row or reverse an amount.
 */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const codeOf = (character: string) => character.codePointAt(0)!.toString(16);

/** Text for a terminal, on one line. An unprintable character is written as an escape, such as `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${codeOf(character)}}`);
}

/**
 * JSON on one line with every unprintable character escaped; JSON.stringify escapes only C0. A parser reads
 * the same value.
 */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(
    UNPRINTABLE,
    (character) => `\\u${codeOf(character).padStart(4, "0")}`,
  );
}
