import type { TextEncoding } from "@gold-partner/jws";

/** What signing needs of its host, injected, because k6 has neither TextEncoder nor a synchronous Web Crypto. */
export interface BytePrimitives extends TextEncoding {
  /** SHA-256 as 64 lower-case hexadecimal digits. */
  sha256Hex(bytes: Uint8Array): string;
}
