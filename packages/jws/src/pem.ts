import { decodeBase64url } from "./encoding.ts";
import { JwsError } from "./errors.ts";

/** One block of a PEM file (RFC 7468). */
export interface PemBlock {
  readonly label: string;
  readonly body: string;
}

/** Returns the blocks of a PEM file. Text around the blocks is ignored. */
export function readPem(text: string): PemBlock[] {
  const blocks = text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----((?:(?!-----)[^])*)-----END \1-----/g);
  return Array.from(blocks, ([, label = "", body = ""]) => ({ label, body }));
}

/** Decodes a block to its DER bytes. */
export function decodePem({ label, body }: PemBlock): Uint8Array {
  if (body.includes("ENCRYPTED")) {
    throw new JwsError(
      "key_unsupported",
      "The private key is encrypted. Decrypt it first: openssl pkey -in encrypted.pem -out key.pem",
    );
  }
  const base64 = body.replace(/\s+/g, "");
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    throw new JwsError("key_malformed", `The PEM block ${label} is not base64. Copy the whole file again.`);
  }
  return decodeBase64url(
    base64.replace(/=/g, "").replace(/\+/g, "-").replace(/\//g, "_"),
    `PEM block ${label}`,
  );
}
