import { Buffer } from "node:buffer";

const IV_BYTES = 12;

/** Seals what must not stand in the database in the clear: AES-256-GCM, the key named by its own hash. */
export interface Sealing {
  readonly currentKeyName: string;
  seal(text: string): Promise<Uint8Array>;
  open(sealed: Uint8Array, keyName: string): Promise<string>;
}

export async function createSealing(keys: readonly Uint8Array[]): Promise<Sealing> {
  const named = new Map<string, CryptoKey>();
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey("raw", new Uint8Array(bytes), "AES-GCM", false, [
      "encrypt",
      "decrypt",
    ]);
    named.set(await nameOf(bytes), key);
  }
  const [current] = named;
  if (!current) throw new Error("There is no sealing key.");
  const [currentKeyName, currentKey] = current;
  return {
    currentKeyName,
    async seal(text) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const sealed = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv },
        currentKey,
        new TextEncoder().encode(text),
      );
      return Buffer.concat([iv, new Uint8Array(sealed)]);
    },
    async open(sealed, keyName) {
      const key = named.get(keyName);
      if (!key) {
        throw new Error(
          `The sealing key ${keyName} is not among the configured ones; keep it until nothing is sealed with it.`,
        );
      }
      const bytes = new Uint8Array(sealed);
      const opened = await crypto.subtle.decrypt(
        { name: "AES-GCM", iv: bytes.slice(0, IV_BYTES) },
        key,
        bytes.slice(IV_BYTES),
      );
      return new TextDecoder().decode(opened);
    },
  };
}

async function nameOf(key: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(key)));
  return Buffer.from(digest.subarray(0, 8)).toString("hex");
}

type CryptoKey = Parameters<typeof crypto.subtle.encrypt>[1];
