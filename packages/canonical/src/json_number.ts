import { isDigit, LETTER_E, LOWER_CASE_BIT, MINUS, PLUS, POINT, ZERO } from "./ascii.ts";
import { type Cursor, END, nameByte, peek, sliceAscii, unexpected } from "./cursor.ts";
import { CanonicalError } from "./errors.ts";
import { JsonNumber } from "./json_value.ts";

/** Reads a number and keeps its source text. The caller decides how to convert it to a value. */
export function readNumber(cursor: Cursor): JsonNumber {
  const start = cursor.at;
  if (peek(cursor) === MINUS) cursor.at++;
  if (peek(cursor) === ZERO) {
    cursor.at++;
    if (isDigit(peek(cursor))) throw malformed(cursor, "a number must not have a leading zero");
  } else {
    readDigits(cursor);
  }
  if (peek(cursor) === POINT) {
    cursor.at++;
    readDigits(cursor);
  }
  if ((peek(cursor) | LOWER_CASE_BIT) === LETTER_E) {
    cursor.at++;
    if (peek(cursor) === PLUS || peek(cursor) === MINUS) cursor.at++;
    readDigits(cursor);
  }
  return new JsonNumber(sliceAscii(cursor.bytes, start, cursor.at));
}

function readDigits(cursor: Cursor): void {
  if (peek(cursor) === END) throw unexpected(cursor, "a digit");
  if (!isDigit(peek(cursor))) throw malformed(cursor, "a digit is expected");
  while (isDigit(peek(cursor))) cursor.at++;
}

function malformed(cursor: Cursor, why: string): CanonicalError {
  const found = nameByte(peek(cursor));
  return new CanonicalError(
    "invalid_number",
    `The number has ${found} at byte ${cursor.at}, but ${why}. Write it as in -12.5 or 1e6.`,
    cursor.at,
  );
}
