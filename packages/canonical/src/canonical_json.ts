import { isHighSurrogate, isLowSurrogate, isNoncharacter, nameCodePoint } from "./code_point.ts";
import { CanonicalError } from "./errors.ts";
import { DEEPEST_LEVEL } from "./json_value.ts";

/** Any JSON value, as JavaScript represents it. */
export type CanonicalValue =
  | null
  | boolean
  | number
  | string
  | readonly CanonicalValue[]
  | { readonly [name: string]: CanonicalValue };

/** A value's position in its parent: a member's name or an item's index. Undefined for the outermost. */
type Place = string | number | undefined;

/**
 * Writes a value as its one canonical JSON text (RFC 8785). Equal values give equal text, regardless of the
 * order of their members.
 *
 * A `JsonNumber` is refused, because a double may not hold all digits of its text. The caller must decide how
 * to convert it.
 *
 * @param value Null, booleans, numbers, strings, arrays and plain objects, at most 512 levels deep.
 * @returns The text, without white space.
 * @throws {CanonicalError} `not_finite`: a number is NaN or infinite.
 * @throws {CanonicalError} `unsupported_value`: JSON cannot represent a value, such as undefined, a bigint, a
 * hole in an array or an instance of a class.
 * @throws {CanonicalError} `lone_surrogate` or `noncharacter`: I-JSON (RFC 7493) forbids a character in a
 * string or in a member's name.
 * @throws {CanonicalError} `too_deep`: the value has more than 512 levels, or contains itself.
 *
 * @example
 * ```ts
 * import { canonicalJson } from "@gold-partner/canonical";
 *
 * console.log(canonicalJson({ side: "buy", gold_grams: 1.50 })); // {"gold_grams":1.5,"side":"buy"}
 * ```
 */
export function canonicalJson(value: CanonicalValue): string {
  return writeValue(value, undefined, 1);
}

function writeValue(value: CanonicalValue, place: Place, depth: number): string {
  switch (typeof value) {
    case "string":
      return writeString(value, place);
    case "number":
      return writeNumber(value, place);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth > DEEPEST_LEVEL) throw tooDeep();
      return isArray(value) ? writeArray(value, depth) : writeObject(value, place, depth);
    default:
      throw unsupported(typeof value, place);
  }
}

function writeArray(items: readonly CanonicalValue[], depth: number): string {
  let text = "[";
  for (const [index, item] of items.entries()) {
    if (index > 0) text += ",";
    text += writeValue(item, index, depth + 1);
  }
  return text + "]";
}

function writeObject(
  object: { readonly [name: string]: CanonicalValue },
  place: Place,
  depth: number,
): string {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== null && prototype !== Object.prototype) {
    throw unsupported("an instance of a class", place);
  }
  let text = "{";
  for (const name of Object.keys(object).sort(compareCodeUnits)) {
    if (text.length > 1) text += ",";
    text += `${writeString(name, name)}:${writeValue(object[name] as CanonicalValue, name, depth + 1)}`;
  }
  return text + "}";
}

/**
 * RFC 8785 (3.2.3) sorts names by UTF-16 code units. Standard `sort()` and `<` do the same, but k6's engine
 * compares code points. The two orders differ when U+E000 to U+FFFF is compared with a surrogate pair.
 */
function compareCodeUnits(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const difference = left.charCodeAt(at) - right.charCodeAt(at);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function writeNumber(value: number, place: Place): string {
  if (!Number.isFinite(value)) {
    throw new CanonicalError(
      "not_finite",
      `${describe(place)} is ${value}, which JSON cannot represent; send a finite number.`,
    );
  }
  // Use ECMAScript's own shortest form, which RFC 8785 (3.2.2.3) prescribes. It writes -0 as 0.
  return String(value);
}

function writeString(text: string, place: Place): string {
  refuseUnfitCharacters(text, place);
  // JSON.stringify escapes well-formed text as RFC 8785 (3.2.2.2) prescribes.
  return JSON.stringify(text);
}

/** Refuses characters that I-JSON forbids in strings. `readJson` could not read them back either. */
function refuseUnfitCharacters(text: string, place: Place): void {
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (codePoint < 0xd800) continue;
    const name = nameCodePoint(codePoint);
    if (isHighSurrogate(codePoint) || isLowSurrogate(codePoint)) {
      throw new CanonicalError(
        "lone_surrogate",
        `${
          describe(place)
        } contains ${name}, half of a surrogate pair; check whether the text was cut inside a character.`,
      );
    }
    if (isNoncharacter(codePoint)) {
      throw new CanonicalError(
        "noncharacter",
        `${describe(place)} contains ${name}, a noncharacter, which RFC 7493 (2.1) forbids; remove it.`,
      );
    }
  }
}

function isArray(value: object): value is readonly CanonicalValue[] {
  return Array.isArray(value);
}

function unsupported(found: string, place: Place): CanonicalError {
  return new CanonicalError(
    "unsupported_value",
    `${describe(place)} is ${found}, which JSON cannot represent; convert it or leave it out.`,
  );
}

function tooDeep(): CanonicalError {
  return new CanonicalError(
    "too_deep",
    `The value is nested deeper than ${DEEPEST_LEVEL} levels; flatten it, or look for an object that contains itself.`,
  );
}

function describe(place: Place): string {
  if (place === undefined) return "The value";
  return typeof place === "number" ? `Item ${place}` : `Member ${JSON.stringify(place)}`;
}
