import type { CryptoKey } from "@gold-partner/jws";
import { hostBytes, type ProbeMistake } from "@gold-partner/protocol";
import { attempts, type FailedStep, type ProbedRequest } from "./attempts.ts";
import type { LooseSignature } from "./loose_signature.ts";

const ES256 = { name: "ECDSA", hash: "SHA-256" };
/**
 * Bounds the work for any body and any number of keys. With one key, all attempts fit; with several keys,
 * only the most frequent mistakes are tried.
 */
const MAX_VERIFICATIONS = 96;

/**
 * Returns the common mistake that explains why the step failed, or null. The mistake is proven, not guessed:
 * the signature verifies with one of the partner's keys over the text that this mistake produces.
 */
export async function diagnose(
  failed: FailedStep,
  { header, bytes, der }: LooseSignature,
  request: ProbedRequest,
  keys: readonly CryptoKey[],
): Promise<ProbeMistake | null> {
  const tried = new Set<string>();
  let verifications = 0;
  for (const { mistake, text } of attempts(failed, der, request)) {
    if (tried.has(text)) continue;
    tried.add(text);
    const input = new Uint8Array(hostBytes.utf8(`${header}.${text}`));
    for (const key of keys) {
      if (verifications++ === MAX_VERIFICATIONS) return null;
      if (await crypto.subtle.verify(ES256, key, bytes, input)) return mistake;
    }
  }
  return null;
}
