import { Buffer } from "node:buffer";
import { newWebhookSecret } from "@gold-partner/protocol";
import {
  createSealing,
  hashSecret,
  type KeySource,
  nameOfKey,
  readKeys,
  type Sealing,
} from "@gold-partner/server";
import type { Invocation } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { keyEnvironment } from "../../key_environment.ts";
import type { KeyFile } from "../../key_file.ts";

const SECRET_BYTES = 32;

type Random = (length: number) => Uint8Array;

/** Makes a client secret, and the hash that is stored instead of it. */
export async function newClientSecret(
  { keys, query, random }: Pick<Invocation, "keys" | "query" | "random">,
) {
  const source = await keys.locate("pepper");
  const { pepper, name } = await readPepper(source);
  const [row] = await query`select pepper_name from gold.deployment_overview`;
  requireSamePepper(source, name, row?.pepper_name ?? null);
  const text = Buffer.from(random(SECRET_BYTES)).toString("base64url");
  return { text, hash: hashSecret(pepper, text) };
}

/** Reads the pepper, which is the first key of its source, and makes its name. */
export async function readPepper(source: KeySource): Promise<{ pepper: Uint8Array; name: string }> {
  const [pepper] = await readKeys(source, keyEnvironment());
  return { pepper: pepper!, name: await nameOfKey(pepper!) };
}

/** Throws if the client secrets of the database are hashed with another pepper than that of this source. */
export function requireSamePepper(source: KeySource, given: string, known: string | null): void {
  if (known === null || known === given) return;
  throw new Failure(
    EXIT.refused,
    "pepper_differs",
    `${source} gives the pepper ${given}, but the client secrets of this database are hashed with the pepper ${known}. ` +
      'Nothing was done. Name the place of that pepper. If it is lost, see "A lost pepper" in docs/recovery.md.',
  );
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
