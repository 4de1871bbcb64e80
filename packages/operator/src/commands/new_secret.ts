import { Buffer } from "node:buffer";
import { newWebhookSecret } from "@gold-partner/protocol";
import { createSealing, hashSecret, type KeySource, readKeys, type Sealing } from "@gold-partner/server";
import type { Deployment } from "../database.ts";
import { EXIT, Failure } from "../failure.ts";

const SECRET_BYTES = 32;

type Random = (length: number) => Uint8Array;

/** Makes a client secret, and the hash that is stored instead of it. */
export async function newClientSecret({ pepperSource }: Deployment, random: Random) {
  if (!pepperSource) {
    throw new Failure(
      EXIT.usage,
      "not_settled",
      "The database has no pepper source. Set it with `gold db migrate --env … --base-url … --pepper … --sealing-key …`.",
    );
  }
  const [pepper] = await readKeys(pepperSource);
  const text = Buffer.from(random(SECRET_BYTES)).toString("base64url");
  return { text, hash: hashSecret(pepper!, text) };
}

/** Reads the sealing keys from their source. The returned `sealing` encrypts with the first key. */
export async function readSealing(
  { sealingKeySource: source }: Deployment,
): Promise<{ source: KeySource; sealing: Sealing }> {
  if (source) return { source, sealing: await createSealing(await readKeys(source)) };
  throw new Failure(
    EXIT.usage,
    "not_settled",
    "The database has no sealing key source. Set it with `gold db migrate --env … --base-url … --pepper … --sealing-key …`.",
  );
}

/** Makes a webhook secret, and its stored form, which is encrypted with the current sealing key. */
export async function newSealedSecret(settled: Deployment, random: Random) {
  const { sealing } = await readSealing(settled);
  const text = newWebhookSecret(random);
  return { text, sealed: await sealing.seal(text), keyName: sealing.currentKeyName };
}
