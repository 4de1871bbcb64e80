// The bytes that JSON's grammar is made of.
export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
const NINE = 0x39;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const LETTER_A = 0x61;
export const LETTER_E = 0x65;
export const LETTER_F = 0x66;
export const LETTER_N = 0x6e;
export const LETTER_T = 0x74;
export const LETTER_U = 0x75;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** The bit that is set in a lower-case ASCII letter and clear in the same capital letter. */
export const LOWER_CASE_BIT = 0x20;

export function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
