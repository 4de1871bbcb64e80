// Request signing for k6: the SDK's signing code with k6's own primitives. The code is imported by path,
// because k6 resolves no package names.
import { sha256 } from "k6/crypto";
import encoding from "k6/encoding";
import { canonicalRequest } from "../../packages/canonical/src/mod.ts";
import { signDetached } from "../../packages/jws/src/mod.ts";
import {
  type BytePrimitives,
  requestSigner,
  type SignRequest,
} from "../../packages/protocol/src/request/mod.ts";

export { importSigningKey, keySigner } from "../../packages/jws/src/mod.ts";

/** Copies a view of a larger buffer, because k6 reads the whole buffer of a view. */
function bufferOf(bytes: Uint8Array): ArrayBuffer {
  const buffer = bytes.buffer as ArrayBuffer;
  return bytes.length === buffer.byteLength ? buffer : bytes.slice().buffer;
}

/**
 * Encodes text by way of base64, because k6 has no TextEncoder. base64 runs in Go and takes 5 µs; a loop in
 * JavaScript takes 500 µs.
 */
export const k6Bytes: BytePrimitives = {
  utf8: (text) => new Uint8Array(encoding.b64decode(encoding.b64encode(text, "rawurl"), "rawurl")),
  base64url: (bytes) => encoding.b64encode(bufferOf(bytes), "rawurl"),
  sha256Hex: (bytes) => sha256(bufferOf(bytes), "hex"),
};

export const signRequest: SignRequest = requestSigner({ canonicalRequest, signDetached, bytes: k6Bytes });
