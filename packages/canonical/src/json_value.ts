import { CanonicalError } from "./errors.ts";

/**
 * A number as it was written. JSON says nothing about precision, so the text is kept and whoever needs a value
 * decides how to read it: `1.50`, `15e-1` and `1e400` all arrive whole.
 */
export class JsonNumber {
  /** Its text, to the letter. */
  readonly source: string;

  /** Takes the text as it is; `readJson` passes only what JSON's grammar allows. */
  constructor(source: string) {
    this.source = source;
  }

  /** Its text. */
  toString(): string {
    return this.source;
  }

  /** Throws: JSON.stringify() could only write it as a double or as an object. */
  toJSON(): never {
    throw new CanonicalError(
      "unsupported_value",
      `JSON.stringify() cannot keep the digits of ${
        this.source.slice(0, 40)
      }; write what readJson() gave with ` +
        "writeJson() of @gold-partner/protocol, or convert the number yourself.",
    );
  }
}

/** An object without a prototype: `__proto__` and `constructor` are members like any other. */
export interface JsonObject {
  /** A member, by its name after unescaping. */
  readonly [name: string]: JsonValue;
}

/** What `readJson` returns. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;

/** How deep both functions go at most: they recurse, and no input may use up the stack. */
export const DEEPEST_LEVEL = 512;
