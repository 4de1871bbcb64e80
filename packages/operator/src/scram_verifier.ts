import { Buffer } from "node:buffer";
import { createHash, createHmac, pbkdf2Sync } from "node:crypto";

const ITERATIONS = 4096;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const VERIFIER_FORM =
  /^SCRAM-SHA-256\$[1-9][0-9]{3,8}:[A-Za-z0-9+/]+={0,2}\$[A-Za-z0-9+/]{43}=:[A-Za-z0-9+/]{43}=$/;

/** Postgres would accept any other text as the password itself. */
export const isScramVerifier = (text: string): boolean => VERIFIER_FORM.test(text);

/**
 * Makes the SCRAM verifier (RFC 5803) with which Postgres checks a password. The server may log a statement
 * that sets a password, so `gold` sends this verifier instead. The password must be ASCII, because SASLprep
 * may change other characters.
 */
export function scramVerifier(password: string, random: (length: number) => Uint8Array): string {
  const salt = random(SALT_BYTES);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, KEY_BYTES, "sha256");
  const keyed = (text: string) => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
  const salt64 = Buffer.from(salt).toString("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt64}$${stored}:${keyed("Server Key").toString("base64")}`;
}
