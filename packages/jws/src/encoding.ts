import { JwsError } from "./errors.ts";

/** Converts text to bytes and bytes to text. Pass your own if the runtime has faster functions. */
export interface TextEncoding {
  /** Encodes text as UTF-8. As in `TextEncoder`, a lone surrogate becomes U+FFFD. */
  utf8(text: string): Uint8Array;
  /** Encodes bytes as base64url without padding (RFC 7515, section 2). */
  base64url(bytes: Uint8Array): string;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const OUTSIDE = 255;

const CODES = Uint8Array.from([...ALPHABET], (letter) => letter.charCodeAt(0));
const SEXTETS = new Uint8Array(128).fill(OUTSIDE);
CODES.forEach((code, sextet) => SEXTETS[code] = sextet);

function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let end = 0;
  for (let index = 0; index < text.length; index++) {
    let code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = code < 0xdc00 ? text.charCodeAt(index + 1) : NaN;
      const paired = low >= 0xdc00 && low <= 0xdfff;
      code = paired ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
      if (paired) index++;
    }
    if (code < 0x80) {
      bytes[end++] = code;
    } else {
      if (code < 0x800) {
        bytes[end++] = 0xc0 | (code >> 6);
      } else {
        if (code < 0x10000) {
          bytes[end++] = 0xe0 | (code >> 12);
        } else {
          bytes[end++] = 0xf0 | (code >> 18);
          bytes[end++] = 0x80 | ((code >> 12) & 0x3f);
        }
        bytes[end++] = 0x80 | ((code >> 6) & 0x3f);
      }
      bytes[end++] = 0x80 | (code & 0x3f);
    }
  }
  return bytes.slice(0, end);
}

function encodeBase64url(bytes: Uint8Array): string {
  const tail = bytes.length - bytes.length % 3;
  let text = "";
  for (let index = 0; index < tail; index += 3) {
    text += letters(bytes[index]! << 16 | bytes[index + 1]! << 8 | bytes[index + 2]!);
  }
  const left = bytes.length - tail;
  if (left === 0) return text;
  return text + letters(bytes[tail]! << 16 | (bytes[tail + 1] ?? 0) << 8).slice(0, left + 1);
}

/** Encodes 24 bits as four letters. */
function letters(bits: number): string {
  return String.fromCharCode(
    CODES[bits >> 18]!,
    CODES[bits >> 12 & 63]!,
    CODES[bits >> 6 & 63]!,
    CODES[bits & 63]!,
  );
}

/**
 * A `TextEncoding` in plain JavaScript, which runs on every runtime. Its functions throw nothing.
 *
 * @example
 * ```ts
 * import { textEncoding } from "@gold-partner/jws";
 *
 * console.log(textEncoding.base64url(textEncoding.utf8("gold"))); // Z29sZA
 * ```
 */
export const textEncoding: TextEncoding = { utf8: encodeUtf8, base64url: encodeBase64url };

/**
 * Decodes strict base64url: only its alphabet, no padding, no white space, and zero in the unused bits of the
 * last character. So no two texts decode to the same bytes.
 *
 * @param text The base64url text.
 * @param what Names the text in an error message.
 * @returns The bytes.
 * @throws {JwsError} `base64url_invalid`: `text` is not a string, or holds a character outside the alphabet.
 * @throws {JwsError} `base64url_not_canonical`: the last character has unused bits that are not zero, or
 * completes no byte.
 *
 * @example
 * ```ts
 * import { decodeBase64url } from "@gold-partner/jws";
 *
 * console.log(new TextDecoder().decode(decodeBase64url("Z29sZA"))); // gold
 * ```
 */
export function decodeBase64url(text: string, what = "value"): Uint8Array {
  if (typeof text !== "string") {
    throw new JwsError(
      "base64url_invalid",
      `The ${what} must be a string of base64url characters.`,
    );
  }
  const bytes = new Uint8Array((text.length * 6) >> 3);
  let end = 0;
  let bits = 0;
  let pending = 0;
  for (let index = 0; index < text.length; index++) {
    const sextet = SEXTETS[text.charCodeAt(index)] ?? OUTSIDE;
    if (sextet === OUTSIDE) throw outsideAlphabet(text, index, what);
    bits = (bits << 6) | sextet;
    pending += 6;
    if (pending >= 8) {
      pending -= 8;
      bytes[end++] = bits >> pending;
      bits &= (1 << pending) - 1;
    }
  }
  // Refuse a single last character, which leaves six pending bits and no whole byte.
  if (pending === 6 || bits !== 0) {
    throw new JwsError(
      "base64url_not_canonical",
      `The ${what} is not canonical base64url: its last character has bits that are not part of any byte. ` +
        "It was truncated or changed; encode the bytes again.",
    );
  }
  return bytes;
}

function outsideAlphabet(text: string, index: number, what: string): JwsError {
  return new JwsError(
    "base64url_invalid",
    `The ${what} contains ${
      JSON.stringify(text[index])
    } at position ${index}. base64url allows only A-Z, a-z, ` +
      "0-9, - and _, without = padding, spaces or line breaks. Encode with the URL alphabet and strip the padding.",
  );
}
