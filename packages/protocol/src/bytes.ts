import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import type { BytePrimitives } from "./request/byte_primitives.ts";

const encoder = new TextEncoder();

/**
 * The byte primitives of Node and Deno. The hash is synchronous and takes about 1 µs for a body of this API's
 * size. A digest by Web Crypto takes tens of microseconds, because it crosses threads.
 *
 * @example
 * ```ts
 * import { hostBytes } from "@gold-partner/protocol";
 *
 * console.log(hostBytes.sha256Hex(hostBytes.utf8("{}")).slice(0, 8)); // 44136fa3
 * ```
 */
export const hostBytes: BytePrimitives = {
  utf8: (text) => encoder.encode(text),
  base64url: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64url"),
  sha256Hex: (bytes) => hash("sha256", bytes, "hex"),
};
