import { JwsError, type JwsReason } from "./errors.ts";

export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OCTET_STRING = 0x04;
export const OBJECT_IDENTIFIER = 0x06;
export const SEQUENCE = 0x30;
/** The context-specific tag [n] of a constructed element, such as an element that wraps another. */
export const tagged = (n: number): number => 0xa0 | n;

/**
 * Reads DER (X.690) one element after another. A length must be in its shortest form and at most 65,535. That
 * is far more than any key or signature needs.
 */
export class DerReader {
  readonly #bytes: Uint8Array;
  readonly #reason: JwsReason;
  #position = 0;

  constructor(bytes: Uint8Array, reason: JwsReason) {
    this.#bytes = bytes;
    this.#reason = reason;
  }

  /** The next element's tag, or undefined at the end. */
  get tag(): number | undefined {
    return this.#bytes[this.#position];
  }

  /** Reads the next element and returns its content. The element must have this tag. */
  read(tag: number): Uint8Array {
    if (this.tag !== tag) throw this.#malformed(`expected tag ${tag}, found ${this.tag ?? "the end"}`);
    this.#position++;
    const length = this.#readLength();
    const content = this.#bytes.subarray(this.#position, this.#position + length);
    if (content.length !== length) throw this.#malformed("an element is longer than its container");
    this.#position += length;
    return content;
  }

  /** Reads the next element and returns a reader of its content. The element must have this tag. */
  enter(tag: number): DerReader {
    return new DerReader(this.read(tag), this.#reason);
  }

  /** Refuses bytes that are left over. */
  end(): void {
    if (this.tag !== undefined) throw this.#malformed("bytes are left over after the last element");
  }

  #readLength(): number {
    const first = this.#bytes[this.#position++] ?? 0;
    if (first < 0x80) return first;
    const count = first & 0x7f;
    let length = 0;
    for (let index = 0; index < count && index < 3; index++) {
      length = (length << 8) | (this.#bytes[this.#position++] ?? 0);
    }
    const shortest = count === 1 ? length >= 0x80 : count === 2 && length >= 0x100;
    if (!shortest) throw this.#malformed("a length is not in its shortest form, or is above 65,535");
    return length;
  }

  #malformed(what: string): JwsError {
    return new JwsError(
      this.#reason,
      `This is not valid DER: ${what} (byte ${this.#position}). The bytes were truncated or changed, or are not DER.`,
    );
  }
}
