import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { KEY_FILE, openKeyFile, statePointer, writeStatePointer } from "@gold-partner/operator";
import { partnerCaKey, type State, StateError } from "./state.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The file in which `gold` finds the keys of this state. */
export const keyFileOf = (state: State): string => state.path(KEY_FILE);

/** Records where the pepper and the sealing key are. Does not change the entries of CA keys. */
export async function recordKeys(state: State): Promise<void> {
  const keys = openKeyFile(() => Promise.resolve(keyFileOf(state)));
  for (const name of ["pepper", "sealing_key"] as const) {
    await keys.record(name, `file:${state.path("keys", name)}`);
  }
}

/**
 * Records where the key of an earlier start's CA is. If the state folder was moved, the key file has the old
 * place. A state folder of 0.4.0 has no key file.
 */
export async function recordPartnerCa(state: State, certificates: string): Promise<void> {
  const keys = openKeyFile(() => Promise.resolve(keyFileOf(state)));
  const pem = await readFile(partnerCaKey(state)).catch(() => undefined);
  // If a person moved the key elsewhere, `gold ca move-key` recorded its place.
  if (!pem) return;
  const key = createPrivateKey(pem);
  for (const [text] of certificates.matchAll(CERTIFICATE)) {
    const certificate = new X509Certificate(text);
    if (!certificate.checkPrivateKey(key)) continue;
    const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
    await keys.record(`ca:${fingerprint}`, `file:${partnerCaKey(state)}`);
  }
}

/** Lets `gold` find the key file by DATABASE_URL alone. The returned function undoes this. */
export async function announceKeys(state: State, databaseUrl: string): Promise<() => Promise<void>> {
  const pointer = statePointer(databaseUrl);
  await writeStatePointer(databaseUrl, state.dir).catch((error: Error) => {
    throw new StateError(
      `${pointer} cannot be written: ${error.message}. With this file, gold finds the keys. ` +
        `Its owner or root must remove it.`,
    );
  });
  return () => rm(pointer, { force: true });
}
