/**
 * Control characters (C0, DEL, C1), line separators, and invisible characters, which include marks that
 * change the direction of text. A terminal interprets or hides them: a partner's name could move the cursor,
 * hide a row, reverse an amount, or look the same as another name.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Text for a terminal, on one line. An unprintable character is written as an escape, such as `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/**
 * JSON on one line with every unprintable character escaped; JSON.stringify escapes only C0. A parser reads
 * the same value.
 */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(UNPRINTABLE, jsonEscape);
}

/** JSON escapes a character above U+FFFF as two code units. */
const jsonEscape = (character: string) =>
  character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
