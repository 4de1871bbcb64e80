import { exportPublicJwk, importVerifyingKey, type Jwk, jwkThumbprint } from "@gold-partner/jws";
import type { Sealing } from "@gold-partner/server";
import { generateKeyPair } from "./pki/key_pair.ts";

interface TokenKey {
  readonly kid: string;
  readonly publicJwk: Jwk;
  /** The private key in its stored form, which is encrypted with the sealing key. */
  readonly sealed: Uint8Array;
  readonly sealingKey: string;
}

/** Makes a key with which the service signs its access tokens. */
export async function makeTokenKey(sealing: Sealing): Promise<TokenKey> {
  const { privateKey } = await generateKeyPair();
  const privateJwk = await crypto.subtle.exportKey("jwk", privateKey);
  const { kty, crv, x, y } = privateJwk as { kty: string; crv: string; x: string; y: string };
  const publicJwk = await exportPublicJwk(await importVerifyingKey({ kty, crv, x, y }));
  return {
    kid: await jwkThumbprint(publicJwk),
    publicJwk,
    sealed: await sealing.seal(JSON.stringify({ kty, crv, x, y, d: privateJwk.d })),
    sealingKey: sealing.currentKeyName,
  };
}
