const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/**
 * Returns a function that verifies a signature over this many bytes with Web Crypto alone. The key is imported,
 * like the service's keys: Deno recomputes the public key at each verification if Deno generated the key pair.
 */
export async function createVerify(bytes: number): Promise<() => Promise<void>> {
  const { privateKey, publicKey: generated } = await crypto.subtle.generateKey(ES256, true, [
    "sign",
    "verify",
  ]);
  const jwk = await crypto.subtle.exportKey("jwk", generated);
  const publicKey = await crypto.subtle.importKey("jwk", jwk, ES256, false, ["verify"]);
  const signed = crypto.getRandomValues(new Uint8Array(bytes));
  const signature = await crypto.subtle.sign(ES256, privateKey, signed);
  return async () => {
    if (await crypto.subtle.verify(ES256, publicKey, signature, signed)) return;
    throw new Error("A valid signature was refused.");
  };
}
