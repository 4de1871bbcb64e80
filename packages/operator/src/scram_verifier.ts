import { Buffer } from "node:buffer";
import { createHash, createHmac, pbkdf2Sync } from "node:crypto";

const ITERATIONS = 4096;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Makes the verifier that Postgres checks a password by (RFC 5803). The server may log a statement that sets
 * a password, so the statement carries this verifier instead. The password must be ASCII.
 */
export function scramVerifier(password: string, random: (length: number) => Uint8Array): string {
  const salt = random(SALT_BYTES);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, KEY_BYTES, "sha256");
  const keyed = (text: string) => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
  const salt64 = Buffer.from(salt).toString("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt64}$${stored}:${keyed("Server Key").toString("base64")}`;
}
