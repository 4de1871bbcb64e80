import type { TextEncoding } from "@gold-partner/jws";

/**
 * The functions that signing needs from its host. The host passes them in, because k6 has neither TextEncoder
 * nor node:crypto, and a digest by Web Crypto is not synchronous.
 */
export interface BytePrimitives extends TextEncoding {
  /** SHA-256 as 64 lower-case hexadecimal digits. */
  sha256Hex(bytes: Uint8Array): string;
}
