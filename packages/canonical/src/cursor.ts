import { CanonicalError } from "./errors.ts";

/** A position in the bytes. A reading function starts at `at` and moves `at` past the bytes that it read. */
export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

/** Returned by `peek` after the last byte. */
export const END = -1;

/** The byte under the cursor, or END. */
export function peek(cursor: Cursor): number {
  return cursor.bytes[cursor.at] ?? END;
}

/** The error for a byte that the grammar does not allow here, or for a text that ends too early. */
export function unexpected(cursor: Cursor, wanted: string): CanonicalError {
  const byte = peek(cursor);
  if (byte === END) {
    return new CanonicalError(
      "unexpected_end",
      `The text ends at byte ${cursor.at}, where ${wanted} is expected; send the complete text.`,
      cursor.at,
    );
  }
  return new CanonicalError(
    "unexpected_byte",
    `Byte ${cursor.at} is ${nameByte(byte)}, but ${wanted} is expected; send JSON as RFC 8259 defines it.`,
    cursor.at,
  );
}

/**
 * Names a byte in a message: in hex, followed by the character if it is visible. Omits a control character,
 * because it would break a log line.
 */
export function nameByte(byte: number): string {
  const hex = `0x${byte.toString(16).padStart(2, "0")}`;
  return byte > 0x20 && byte < 0x7f ? `${hex} (${String.fromCharCode(byte)})` : hex;
}

/** Engines limit the number of arguments of one call. This number stays below those limits. */
const CHUNK_BYTES = 4096;

/** Decodes a run of ASCII bytes. It does not use TextDecoder, because k6 has none. */
export function sliceAscii(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let start = from; start < to; start += CHUNK_BYTES) {
    const chunk = bytes.subarray(start, Math.min(to, start + CHUNK_BYTES));
    text += Reflect.apply(String.fromCharCode, null, chunk);
  }
  return text;
}
