import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import type { BytePrimitives } from "./request/byte_primitives.ts";

const encoder = new TextEncoder();

/**
 * The byte primitives of Node and Deno. Hashes a body of this API's size synchronously, in about 1 µs. Web
 * Crypto would take tens of microseconds, because its digest crosses threads.
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
