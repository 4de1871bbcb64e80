import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import type { BytePrimitives } from "./request/byte_primitives.ts";

const encoder = new TextEncoder();

/**
 * The byte primitives of Node and Deno. The hash is the synchronous one that both have built in: it takes about 1 µs
 * for a body of this API's size, where a digest by Web Crypto takes tens of them to cross threads.
 */
export const hostBytes: BytePrimitives = {
  utf8: (text) => encoder.encode(text),
  base64url: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64url"),
  sha256Hex: (bytes) => hash("sha256", bytes, "hex"),
};
