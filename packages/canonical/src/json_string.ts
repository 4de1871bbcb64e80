import {
  BACKSLASH,
  isDigit,
  LETTER_A,
  LETTER_F,
  LETTER_U,
  LOWER_CASE_BIT,
  QUOTE,
  SPACE,
  ZERO,
} from "./ascii.ts";
import { isHighSurrogate, isLowSurrogate, isNoncharacter, nameCodePoint } from "./code_point.ts";
import { type Cursor, END, nameByte, peek, sliceAscii, unexpected } from "./cursor.ts";
import { CanonicalError } from "./errors.ts";
import { readMultibyte } from "./utf8.ts";

/** The two-character escapes, by the character after the backslash. */
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** Reads a string. The cursor starts at the opening quote and ends after the closing quote. */
export function readString(cursor: Cursor): string {
  cursor.at++;
  let text = "";
  for (;;) {
    text += readPlainRun(cursor);
    const byte = peek(cursor);
    if (byte === QUOTE) {
      cursor.at++;
      return text;
    }
    text += byte === BACKSLASH ? readEscape(cursor) : readNonAscii(cursor);
  }
}

/** Reads a run of unescaped ASCII in one slice, because most strings are one such run. */
function readPlainRun(cursor: Cursor): string {
  const { bytes, at: start } = cursor;
  let at = start;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? END;
    if (byte < SPACE || byte > 0x7f || byte === QUOTE || byte === BACKSLASH) break;
  }
  cursor.at = at;
  return sliceAscii(bytes, start, at);
}

function readNonAscii(cursor: Cursor): string {
  const start = cursor.at;
  const byte = peek(cursor);
  if (byte === END) throw unexpected(cursor, "the end of a string");
  if (byte < SPACE) throw controlCharacter(byte, start);
  return characterOf(readMultibyte(cursor), start);
}

function readEscape(cursor: Cursor): string {
  const start = cursor.at++;
  const letter = peek(cursor);
  if (letter === END) throw unexpected(cursor, "the rest of an escape");
  cursor.at++;
  if (letter === LETTER_U) return readUnicodeEscape(cursor, start);
  const character = SHORT_ESCAPES.get(String.fromCharCode(letter));
  if (character === undefined) {
    const found = nameByte(letter);
    throw new CanonicalError(
      "invalid_escape",
      `The escape at byte ${start} is a backslash followed by ${found}; only " \\ / b f n r t and u may follow.`,
      start,
    );
  }
  return character;
}

/** Reads the four hex digits after `\u`. After a high surrogate, also reads the second escape of the pair. */
function readUnicodeEscape(cursor: Cursor, start: number): string {
  const unit = readHexUnit(cursor);
  if (isLowSurrogate(unit)) throw loneSurrogate(unit, start);
  if (!isHighSurrogate(unit)) return characterOf(unit, start);
  const { bytes, at } = cursor;
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) throw loneSurrogate(unit, start);
  cursor.at += 2;
  const low = readHexUnit(cursor);
  if (!isLowSurrogate(low)) throw loneSurrogate(unit, start);
  return characterOf(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), start);
}

function readHexUnit(cursor: Cursor): number {
  let unit = 0;
  for (const end = cursor.at + 4; cursor.at < end; cursor.at++) {
    const byte = peek(cursor);
    if (byte === END) throw unexpected(cursor, "the rest of an escape");
    const digit = hexDigit(byte);
    if (digit === -1) {
      throw new CanonicalError(
        "invalid_escape",
        `Byte ${cursor.at} is ${nameByte(byte)} but a hex digit is expected; \\u takes exactly four.`,
        cursor.at,
      );
    }
    unit = unit * 16 + digit;
  }
  return unit;
}

function hexDigit(byte: number): number {
  if (isDigit(byte)) return byte - ZERO;
  const letter = byte | LOWER_CASE_BIT;
  return letter >= LETTER_A && letter <= LETTER_F ? letter - LETTER_A + 10 : -1;
}

function characterOf(codePoint: number, start: number): string {
  if (!isNoncharacter(codePoint)) return String.fromCodePoint(codePoint);
  const name = nameCodePoint(codePoint);
  throw new CanonicalError(
    "noncharacter",
    `The string contains ${name} at byte ${start}, a noncharacter, which RFC 7493 (2.1) forbids; remove it.`,
    start,
  );
}

function loneSurrogate(unit: number, start: number): CanonicalError {
  const name = nameCodePoint(unit);
  return new CanonicalError(
    "lone_surrogate",
    `The escape at byte ${start} is ${name}, half of a surrogate pair; send both halves, high then low, or neither.`,
    start,
  );
}

function controlCharacter(byte: number, start: number): CanonicalError {
  const escape = `\\u${byte.toString(16).padStart(4, "0")}`;
  return new CanonicalError(
    "control_character",
    `The string contains an unescaped control character at byte ${start}; escape it: ${escape}.`,
    start,
  );
}
