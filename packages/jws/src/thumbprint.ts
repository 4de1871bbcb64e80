import { textEncoding } from "./encoding.ts";
import { type Jwk, pointOf } from "./jwk.ts";

/** The JWK thumbprint (RFC 7638): SHA-256 of the required public members, in base64url. */
export async function jwkThumbprint(jwk: Jwk): Promise<string> {
  pointOf(jwk);
  const members = JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y });
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(textEncoding.utf8(members)));
  return textEncoding.base64url(new Uint8Array(digest));
}
