import type { CryptoKey } from "@gold-partner/jws";
import { hostBytes, type ProbeMistake } from "@gold-partner/protocol";
import { attempts, type FailedStep, type ProbedRequest } from "./attempts.ts";
import type { LooseSignature } from "./loose_signature.ts";

const ES256 = { name: "ECDSA", hash: "SHA-256" };
/** Bounds the work, whatever the body and however many keys: all attempts with one key, the most usual with several. */
const MAX_VERIFICATIONS = 96;

/**
 * The usual mistake that explains why the step failed, or null. It is proven, never guessed: one of the partner's own
 * keys made this very signature over what that mistake would have signed.
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
