import { Buffer } from "node:buffer";
import { newWebhookSecret } from "@gold-partner/protocol";
import { createSealing, hashSecret, type KeySource, readKeys, type Sealing } from "@gold-partner/server";
import { keyEnvironment } from "../key_environment.ts";
import type { KeyFile } from "../key_file.ts";

const SECRET_BYTES = 32;

type Random = (length: number) => Uint8Array;

/** Makes a client secret, and the hash that is stored instead of it. */
export async function newClientSecret(keys: KeyFile, random: Random) {
  const [pepper] = await readKeys(await keys.locate("pepper"), keyEnvironment());
  const text = Buffer.from(random(SECRET_BYTES)).toString("base64url");
  return { text, hash: hashSecret(pepper!, text) };
}

/** Reads the sealing keys from their source. The returned `sealing` encrypts with the first key. */
export async function readSealing(keys: KeyFile): Promise<{ source: KeySource; sealing: Sealing }> {
  const source = await keys.locate("sealing_key");
  return { source, sealing: await createSealing(await readKeys(source, keyEnvironment())) };
}

/** Makes a webhook secret, and its stored form, which is encrypted with the current sealing key. */
export async function newSealedSecret(keys: KeyFile, random: Random) {
  const { sealing } = await readSealing(keys);
  const text = newWebhookSecret(random);
  return { text, sealed: await sealing.seal(text), keyName: sealing.currentKeyName };
}
