import { decodeBase64url, textEncoding } from "./encoding.ts";
import { type CryptoKey, isP256 } from "./es256.ts";
import { JwsError } from "./errors.ts";
import { isOnCurve, POINT_BYTES, SCALAR_BYTES } from "./p256.ts";

/**
 * A JSON Web Key (RFC 7517) as received. Members that do not matter for ES256 are ignored, except that
 * `importVerifyingKey` refuses the private members of every key type.
 */
export interface Jwk {
  readonly kty?: string | undefined;
  readonly crv?: string | undefined;
  readonly x?: string | undefined;
  readonly y?: string | undefined;
  readonly d?: string | undefined;
  readonly use?: string | undefined;
  readonly alg?: string | undefined;
  readonly key_ops?: readonly string[] | undefined;
}

/** The public members of a P-256 key. */
export interface PublicJwk {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
}

/** Refuses a JWK whose use, alg or key_ops do not allow this operation. */
export function checkUse({ use, alg, key_ops }: Jwk, operation: "sign" | "verify"): void {
  const serves = (use ?? "sig") === "sig" && (alg ?? "ES256") === "ES256" &&
    (key_ops === undefined || Array.isArray(key_ops) && key_ops.includes(operation));
  if (serves) return;
  throw new JwsError(
    "key_unusable",
    `The JWK's use, alg or key_ops do not allow it to ${operation} with ES256. Use the key that is meant for ` +
      "signatures.",
  );
}

/** Returns the JWK's uncompressed point 04 ‖ x ‖ y. Refuses a point that is not on the curve. */
export function pointOf(jwk: Jwk): Uint8Array {
  // Read null as an empty JWK, because a JavaScript caller may pass null.
  const { kty, crv, x, y }: Jwk = jwk ?? {};
  if (kty !== "EC" || crv !== "P-256") {
    throw new JwsError(
      "key_unsupported",
      'This is not a P-256 key. ES256 needs a JWK with kty "EC" and crv "P-256".',
    );
  }
  const point = new Uint8Array(POINT_BYTES);
  point[0] = 4;
  point.set(readNumber(x, "x"), 1);
  point.set(readNumber(y, "y"), 1 + SCALAR_BYTES);
  return checkPoint(point);
}

/** Reads a 32-byte number of a JWK. */
export function readNumber(text: unknown, name: "x" | "y" | "d"): Uint8Array {
  try {
    const bytes = typeof text === "string" && text.length === 43 ? decodeBase64url(text) : undefined;
    if (bytes) return bytes;
  } catch {
    // Use the error below for every malformed value. It never quotes the value, which may be private.
  }
  throw new JwsError("key_malformed", `The JWK's ${name} must be the 43 base64url characters of 32 bytes.`);
}

export function checkPoint(point: Uint8Array): Uint8Array {
  if (isOnCurve(point)) return point;
  throw new JwsError(
    "key_not_on_curve",
    "The public key is not a point on the P-256 curve: it is damaged or was never a real key. Export it from the " +
      "private key again.",
  );
}

/**
 * Exports the public members of an extractable P-256 key. Keys from `importVerifyingKey` are extractable.
 *
 * @param key The public key, or an extractable private key.
 * @returns Only the public members, even for a private key.
 * @throws {JwsError} `key_unusable`: the key is not a P-256 ECDSA key, or is not extractable.
 *
 * @example
 * ```ts
 * import { exportPublicJwk } from "@gold-partner/jws";
 *
 * const algorithm = { name: "ECDSA", namedCurve: "P-256" };
 * const { publicKey } = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
 * console.log((await exportPublicJwk(publicKey)).crv); // P-256
 * ```
 */
export async function exportPublicJwk(key: CryptoKey): Promise<PublicJwk> {
  if (!isP256(key) || !key.extractable) {
    throw new JwsError(
      "key_unusable",
      "Only an extractable P-256 ECDSA key can be exported. Export the public key of the pair.",
    );
  }
  if (key.type === "public") {
    // Export raw, because Node 20 deadlocks during a JWK export if garbage collection frees the job that
    // generated the key.
    const point = new Uint8Array(await crypto.subtle.exportKey("raw", key));
    const [x, y] = [point.subarray(1, 1 + SCALAR_BYTES), point.subarray(1 + SCALAR_BYTES)];
    return { kty: "EC", crv: "P-256", x: textEncoding.base64url(x), y: textEncoding.base64url(y) };
  }
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", key);
  return { kty: "EC", crv: "P-256", x: allBytes(x), y: allBytes(y) };
}

/** Pads a coordinate to 32 bytes. RFC 7518 (6.2.1.2) requires the leading zeros, but k6 leaves them out. */
function allBytes(text: string): string {
  const found = decodeBase64url(text);
  if (found.length >= SCALAR_BYTES) return text;
  const bytes = new Uint8Array(SCALAR_BYTES);
  bytes.set(found, SCALAR_BYTES - found.length);
  return textEncoding.base64url(bytes);
}
