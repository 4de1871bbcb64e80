// The data types of RFC 4251, section 5.
import { SshsigError, type SshsigReason } from "./errors.ts";

const UINT32_BYTES = 4;
/** Far above the largest supported key or signature, which has a few hundred bytes. */
const MAX_BASE64_CHARACTERS = 8192;

/**
 * Reads a blob from its start to its end. Throws a SshsigError with `reason` if the blob has another form.
 */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #reason: SshsigReason;
  #offset = 0;

  constructor(bytes: Uint8Array, reason: SshsigReason) {
    this.#bytes = bytes;
    this.#reason = reason;
  }

  bytes(count: number): Uint8Array {
    if (count > this.#bytes.length - this.#offset) {
      throw new SshsigError(
        this.#reason,
        "The data ends too early. Copy the key or the signature completely.",
      );
    }
    this.#offset += count;
    return this.#bytes.slice(this.#offset - count, this.#offset);
  }

  byte(): number {
    return this.bytes(1)[0]!;
  }

  uint32(): number {
    const four = this.bytes(UINT32_BYTES);
    return new DataView(four.buffer).getUint32(0);
  }

  string(): Uint8Array {
    return this.bytes(this.uint32());
  }

  text(): string {
    return new TextDecoder().decode(this.string());
  }

  /** A positive number of at most `count` bytes, padded to `count` bytes. It has exactly one spelling. */
  scalar(count: number): Uint8Array {
    const number = this.string();
    const [first = 0, second = 0] = number;
    const isPadded = first === 0 && second >= 0x80;
    const digits = isPadded ? number.slice(1) : number;
    if (first >= 0x80 || first === 0 && !isPadded || digits.length > count) {
      throw new SshsigError(
        this.#reason,
        `A number of the signature is not positive, not minimal or too large.`,
      );
    }
    const padded = new Uint8Array(count);
    padded.set(digits, count - digits.length);
    return padded;
  }

  end(): void {
    const left = this.#bytes.length - this.#offset;
    if (left === 0) return;
    throw new SshsigError(this.#reason, `${left} byte(s) follow the end of the data. Remove them.`);
  }
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

export function uint32(value: number): Uint8Array {
  const four = new Uint8Array(UINT32_BYTES);
  new DataView(four.buffer).setUint32(0, value);
  return four;
}

export const wireString = (value: Uint8Array | string): Uint8Array => {
  const bytes = typeof value === "string" ? utf8(value) : value;
  return concat(uint32(bytes.length), bytes);
};

export async function hash(name: "SHA-256" | "SHA-512", bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest(name, concat(bytes)));
}

/** Decodes base64 in its one canonical spelling. */
export function decodeBase64(text: string, reason: SshsigReason): Uint8Array {
  if (text.length <= MAX_BASE64_CHARACTERS && /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0) {
    const binary = atob(text);
    if (btoa(binary) === text) return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  }
  throw new SshsigError(reason, "The base64 is invalid. Copy the key or the signature without changes.");
}

export const encodeBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
