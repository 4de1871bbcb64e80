import { Buffer } from "node:buffer";
import { nameOfKey } from "./key_source.ts";

const IV_BYTES = 12;

/** Encrypts secrets for the database with AES-256-GCM. */
export interface Sealing {
  readonly currentKeyName: string;
  seal(text: string): Promise<Uint8Array>;
  open(sealed: Uint8Array, keyName: string): Promise<string>;
}

/** Creates a sealing with keys that do not change. The first key encrypts, and every key decrypts. */
export async function createSealing(keys: readonly Uint8Array[]): Promise<Sealing> {
  return sealWith(await importKeys(keys));
}

const REREAD_PAUSE_MS = 1000;

/**
 * Creates a sealing with keys from a source. If open() needs an unknown key, it reads the source again, at
 * most once a second. So an operator can add a new key to the source and use it without restarting a service.
 */
export async function openSealing(
  read: () => Promise<readonly Uint8Array[]>,
  monotonicMs: () => number,
): Promise<Sealing> {
  let keys = await importKeys(await read());
  let readAtMs = -Infinity;
  let reading: Promise<void> | undefined;
  const reread = () =>
    reading ??= read().then(importKeys).then((current) => void (keys = current)).finally(() => {
      readAtMs = monotonicMs();
      reading = undefined;
    });
  return {
    get currentKeyName() {
      return keys.currentName;
    },
    seal: (text) => sealWith(keys).seal(text),
    async open(sealed, keyName) {
      const isPaused = monotonicMs() - readAtMs < REREAD_PAUSE_MS;
      // Keep the earlier keys if the source fails.
      if (!keys.named.has(keyName) && !isPaused) await reread().catch(() => {});
      return await sealWith(keys).open(sealed, keyName);
    },
  };
}

/** At least one key. `named` holds every key by its name. */
interface Keys {
  readonly currentName: string;
  readonly current: CryptoKey;
  readonly named: ReadonlyMap<string, CryptoKey>;
}

async function importKeys(keys: readonly Uint8Array[]): Promise<Keys> {
  const named = new Map<string, CryptoKey>();
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey("raw", new Uint8Array(bytes), "AES-GCM", false, [
      "encrypt",
      "decrypt",
    ]);
    named.set(await nameOfKey(bytes), key);
  }
  const [first] = named;
  if (!first) throw new Error("The source contains no sealing key.");
  return { currentName: first[0], current: first[1], named };
}

const sealWith = ({ currentName, current, named }: Keys): Sealing => ({
  currentKeyName: currentName,
  async seal(text) {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const sealed = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv },
      current,
      new TextEncoder().encode(text),
    );
    return Buffer.concat([iv, new Uint8Array(sealed)]);
  },
  async open(sealed, keyName) {
    const key = named.get(keyName);
    if (!key) {
      throw new Error(
        `The sealing key ${keyName} is not among the configured keys. Add it again, and keep it until no secret is encrypted with it.`,
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
});

type CryptoKey = Parameters<typeof crypto.subtle.encrypt>[1];
