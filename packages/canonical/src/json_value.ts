import { CanonicalError } from "./errors.ts";

/**
 * A JSON number as its source text. JSON does not limit a number's precision, so the text is kept and the
 * caller decides how to convert it. `1.50`, `15e-1` and `1e400` all keep every digit.
 */
export class JsonNumber {
  /** The exact source text. */
  readonly source: string;

  /** @param source The text. It is not checked here; `readJson` passes only numbers in JSON's grammar. */
  constructor(source: string) {
    this.source = source;
  }

  /** The source text. */
  toString(): string {
    return this.source;
  }

  /**
   * Always throws, because JSON.stringify() could write the number only as an object, or as a double that may
   * lose digits.
   *
   * @throws {CanonicalError} With the reason `unsupported_value`.
   */
  toJSON(): never {
    throw new CanonicalError(
      "unsupported_value",
      `JSON.stringify() cannot keep the digits of ${
        this.source.slice(0, 40)
      }; write values from readJson() with ` +
        "writeJson() of @gold-partner/protocol, or convert the number yourself.",
    );
  }
}

/** An object without a prototype: `__proto__` and `constructor` are members like any other. */
export interface JsonObject {
  /** The value of a member, by the member's unescaped name. */
  readonly [name: string]: JsonValue;
}

/** Any value that `readJson` returns. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;

/** Maximum nesting in readJson() and canonicalJson(). Both recurse; deeper input could exhaust the stack. */
export const DEEPEST_LEVEL = 512;
