import { textEncoding } from "./encoding.ts";
import { type Jwk, pointOf } from "./jwk.ts";

/**
 * Computes the JWK thumbprint (RFC 7638): SHA-256 of the required public members, in base64url. A public key
 * and its private key have the same thumbprint.
 *
 * @param jwk A P-256 key, public or private.
 * @returns The 43 characters of the thumbprint.
 * @throws {JwsError} `key_unsupported`: the JWK is not a P-256 key.
 * @throws {JwsError} `key_malformed`: x or y is not the base64url of 32 bytes.
 * @throws {JwsError} `key_not_on_curve`: the public point is not on P-256.
 *
 * @example
 * ```ts
 * import { exportPublicJwk, importVerifyingKey, jwkThumbprint } from "@gold-partner/jws";
 * import { readFile } from "node:fs/promises";
 *
 * const key = await importVerifyingKey(await readFile("partner_public.pem", "utf8"));
 * const thumbprint = await jwkThumbprint(await exportPublicJwk(key));
 * ```
 */
export async function jwkThumbprint(jwk: Jwk): Promise<string> {
  pointOf(jwk);
  const members = JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y });
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(textEncoding.utf8(members)));
  return textEncoding.base64url(new Uint8Array(digest));
}
