import { isHighSurrogate, isLowSurrogate } from "./code_point.ts";
import { type Cursor, peek } from "./cursor.ts";
import { CanonicalError } from "./errors.ts";

/**
 * The smallest code point of each encoded length in bytes. A smaller code point in that length is overlong:
 * a second encoding of the same character.
 */
const LEAST_CODE_POINT = { 2: 0x80, 3: 0x800, 4: 0x10000 } as const;

/** Reads one character of two to four bytes. */
export function readMultibyte(cursor: Cursor): number {
  const { bytes, at } = cursor;
  const lead = peek(cursor);
  const length = lengthByLead(lead);
  if (length === 0) throw malformed(at);
  let codePoint = lead & (0x7f >> length);
  for (let index = 1; index < length; index++) {
    const byte = bytes[at + index] ?? 0;
    if ((byte & 0xc0) !== 0x80) throw malformed(at);
    codePoint = (codePoint << 6) | (byte & 0x3f);
  }
  if (codePoint < LEAST_CODE_POINT[length] || codePoint > 0x10ffff) throw malformed(at);
  if (isHighSurrogate(codePoint) || isLowSurrogate(codePoint)) throw malformed(at);
  cursor.at += length;
  return codePoint;
}

function lengthByLead(lead: number): 0 | 2 | 3 | 4 {
  if (lead < 0xc0) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf8 ? 4 : 0;
}

function malformed(offset: number): CanonicalError {
  return new CanonicalError(
    "invalid_utf8",
    `The bytes from ${offset} on are not a valid UTF-8 character (truncated, overlong, a surrogate, beyond U+10FFFF, ` +
      `or in another encoding); encode the text as UTF-8.`,
    offset,
  );
}
