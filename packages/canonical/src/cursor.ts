import { CanonicalError } from "./errors.ts";

/** A place in the bytes. Each reading function starts at `at` and leaves it behind what it has read. */
export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

/** What `peek` returns behind the last byte. */
export const END = -1;

/** The byte under the cursor, or END. */
export function peek(cursor: Cursor): number {
  return cursor.bytes[cursor.at] ?? END;
}

/** The error for a byte, or an end, where the grammar wants something else. */
export function unexpected(cursor: Cursor, wanted: string): CanonicalError {
  const byte = peek(cursor);
  if (byte === END) {
    return new CanonicalError(
      "unexpected_end",
      `The text ends at byte ${cursor.at} where ${wanted} belongs; send the whole text.`,
      cursor.at,
    );
  }
  return new CanonicalError(
    "unexpected_byte",
    `Byte ${cursor.at} is ${nameByte(byte)} where ${wanted} belongs; send JSON as RFC 8259 defines it.`,
    cursor.at,
  );
}

/** A byte for a message: as itself where it can be seen, in hex where not, so that no log line is broken by it. */
export function nameByte(byte: number): string {
  const hex = `0x${byte.toString(16).padStart(2, "0")}`;
  return byte > 0x20 && byte < 0x7f ? `${hex} (${String.fromCharCode(byte)})` : hex;
}

/** Below what an engine takes as arguments of one call. */
const CHUNK_BYTES = 4096;

/** The text of a run of ASCII bytes. TextDecoder would do it, but k6 has none. */
export function sliceAscii(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let start = from; start < to; start += CHUNK_BYTES) {
    const chunk = bytes.subarray(start, Math.min(to, start + CHUNK_BYTES));
    text += Reflect.apply(String.fromCharCode, null, chunk);
  }
  return text;
}
