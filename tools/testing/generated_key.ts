const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;

/** A new P-256 signing key. */
export interface GeneratedJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/**
 * Generates a P-256 key. Exports an imported copy of the key, because Node 20 can deadlock while it exports a
 * generated key as a JWK. That happens if garbage collection frees the job that generated the key during the
 * export.
 */
export async function generateJwk(): Promise<GeneratedJwk> {
  const { privateKey } = await crypto.subtle.generateKey(P256, true, ["sign", "verify"]);
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", privateKey);
  const copy = await crypto.subtle.importKey("pkcs8", pkcs8, P256, true, ["sign"]);
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", copy) as unknown as GeneratedJwk;
  return { kty, crv, x, y, d };
}
