import {
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isDigit,
  LETTER_F,
  LETTER_N,
  LETTER_T,
  LINE_FEED,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  TAB,
} from "./ascii.ts";
import { type Cursor, nameByte, peek, unexpected } from "./cursor.ts";
import { CanonicalError } from "./errors.ts";
import { readNumber } from "./json_number.ts";
import { readString } from "./json_string.ts";
import { DEEPEST_LEVEL, type JsonObject, type JsonValue } from "./json_value.ts";

/** Limits for `readJson`. */
export interface JsonLimits {
  /** Maximum length in bytes. Default 65,536. */
  readonly maxBytes?: number;
  /** Maximum nesting of arrays and objects. Default 32. A value above 512 counts as 512. */
  readonly maxDepth?: number;
}

/**
 * Reads I-JSON (RFC 7493) strictly from its bytes. Input that two readers could understand differently is
 * refused.
 *
 * Numbers keep their source text as `JsonNumber`. Objects have no prototype. Members keep their order, except
 * that JavaScript moves names that are array indices (such as `"7"`) to the front.
 *
 * @param bytes The JSON text in UTF-8, as received.
 * @param limits Maximum length and nesting. Default: 65,536 bytes and 32 levels.
 * @returns The value.
 * @throws {CanonicalError} `unexpected_end`, `unexpected_byte`, `trailing_content`, `invalid_number`,
 * `invalid_escape`, `control_character` or `invalid_utf8`: the bytes are not JSON (RFC 8259).
 * @throws {CanonicalError} `byte_order_mark`, `duplicate_name`, `lone_surrogate` or `noncharacter`: the text
 * is not I-JSON.
 * @throws {CanonicalError} `too_long` or `too_deep`: the text exceeds a limit.
 * @throws {CanonicalError} `unsupported_value`: `bytes` is not a Uint8Array, or `limits` is not an object.
 *
 * @example
 * ```ts
 * import { type JsonNumber, readJson } from "@gold-partner/canonical";
 *
 * const body = new TextEncoder().encode('{"side":"buy","gold_grams":1.50}');
 * const quote = readJson(body, { maxBytes: 1024 }) as { side: string; gold_grams: JsonNumber };
 * console.log(quote.gold_grams.source); // 1.50
 * ```
 */
export function readJson(bytes: Uint8Array, limits: JsonLimits = {}): JsonValue {
  if (typeof limits !== "object" || limits === null) throw invalidLimits();
  const { maxBytes = 65_536, maxDepth = 32 } = limits;
  refuseByWhole(bytes, maxBytes);
  const cursor: Cursor = { bytes, at: 0 };
  const value = readValue(cursor, Math.min(maxDepth, DEEPEST_LEVEL), 1);
  skipSpace(cursor);
  if (cursor.at < bytes.length) throw trailingContent(cursor);
  return value;
}

function refuseByWhole(bytes: Uint8Array, maxBytes: number): void {
  if (!(bytes instanceof Uint8Array)) {
    throw new CanonicalError(
      "unsupported_value",
      "readJson() takes the received bytes as a Uint8Array; wrap an ArrayBuffer in one, or encode a text as UTF-8.",
    );
  }
  // Written as a negation, so that a limit of NaN refuses every text instead of allowing every text.
  if (!(bytes.length <= maxBytes)) {
    throw new CanonicalError(
      "too_long",
      `The text is ${bytes.length} bytes long, but at most ${maxBytes} are allowed; send a shorter text.`,
      maxBytes,
    );
  }
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw new CanonicalError(
      "byte_order_mark",
      "Bytes 0 to 2 are a byte order mark (EF BB BF), which RFC 8259 (8.1) forbids; send UTF-8 without one.",
      0,
    );
  }
}

function invalidLimits(): CanonicalError {
  return new CanonicalError(
    "unsupported_value",
    "The limits must be an object; leave them out, or pass maxBytes, maxDepth or both.",
  );
}

function readValue(cursor: Cursor, maxDepth: number, depth: number): JsonValue {
  skipSpace(cursor);
  const byte = peek(cursor);
  switch (byte) {
    case QUOTE:
      return readString(cursor);
    case OPEN_BRACE:
      return readObject(cursor, maxDepth, depth);
    case OPEN_BRACKET:
      return readArray(cursor, maxDepth, depth);
    case LETTER_T:
      return readLiteral(cursor, "true", true);
    case LETTER_F:
      return readLiteral(cursor, "false", false);
    case LETTER_N:
      return readLiteral(cursor, "null", null);
  }
  if (byte === MINUS || isDigit(byte)) return readNumber(cursor);
  throw unexpected(cursor, "a value");
}

function readObject(cursor: Cursor, maxDepth: number, depth: number): JsonObject {
  enter(cursor, maxDepth, depth);
  // Give the object no prototype. So `in` finds only members that were read, and `__proto__` is an ordinary
  // name.
  const object: Record<string, JsonValue> = Object.create(null);
  if (leave(cursor, CLOSE_BRACE)) return object;
  do {
    skipSpace(cursor);
    if (peek(cursor) !== QUOTE) throw unexpected(cursor, "a member's name in double quotes");
    const nameAt = cursor.at;
    const name = readString(cursor);
    if (name in object) throw duplicateName(name, nameAt);
    skipSpace(cursor);
    if (peek(cursor) !== COLON) throw unexpected(cursor, "a colon");
    cursor.at++;
    object[name] = readValue(cursor, maxDepth, depth + 1);
  } while (continues(cursor, CLOSE_BRACE));
  return object;
}

function readArray(cursor: Cursor, maxDepth: number, depth: number): readonly JsonValue[] {
  enter(cursor, maxDepth, depth);
  const items: JsonValue[] = [];
  if (leave(cursor, CLOSE_BRACKET)) return items;
  do items.push(readValue(cursor, maxDepth, depth + 1)); while (continues(cursor, CLOSE_BRACKET));
  return items;
}

/** Moves past an opening bracket. Throws if it would exceed `maxDepth`. */
function enter(cursor: Cursor, maxDepth: number, depth: number): void {
  if (!(depth <= maxDepth)) {
    throw new CanonicalError(
      "too_deep",
      `The value at byte ${cursor.at} is nested deeper than the ${maxDepth} allowed levels; send a flatter structure.`,
      cursor.at,
    );
  }
  cursor.at++;
}

/** If the closing bracket comes next, moves past it and returns true. Otherwise returns false. */
function leave(cursor: Cursor, close: number): boolean {
  skipSpace(cursor);
  if (peek(cursor) !== close) return false;
  cursor.at++;
  return true;
}

/** Moves past a comma and returns true, or past the closing bracket and returns false. */
function continues(cursor: Cursor, close: number): boolean {
  if (leave(cursor, close)) return false;
  if (peek(cursor) !== COMMA) throw unexpected(cursor, `a comma or ${nameByte(close)}`);
  cursor.at++;
  return true;
}

function readLiteral<T>(cursor: Cursor, word: string, value: T): T {
  for (let index = 0; index < word.length; index++, cursor.at++) {
    if (peek(cursor) !== word.charCodeAt(index)) throw unexpected(cursor, `the rest of ${word}`);
  }
  return value;
}

function skipSpace(cursor: Cursor): void {
  for (;;) {
    const byte = peek(cursor);
    if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) return;
    cursor.at++;
  }
}

function duplicateName(name: string, offset: number): CanonicalError {
  const quoted = JSON.stringify(name.slice(0, 40));
  return new CanonicalError(
    "duplicate_name",
    `The name ${quoted} at byte ${offset} appears twice in one object, and parsers disagree about which value ` +
      "counts; send it once.",
    offset,
  );
}

function trailingContent(cursor: Cursor): CanonicalError {
  const found = nameByte(peek(cursor));
  return new CanonicalError(
    "trailing_content",
    `The value ends before byte ${cursor.at}, but ${found} follows; send exactly one JSON value.`,
    cursor.at,
  );
}
