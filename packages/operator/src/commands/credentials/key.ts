import { Buffer } from "node:buffer";
import { TOKEN_TTL_SECONDS } from "@gold-partner/protocol";
import type { KeySource, Sealing } from "@gold-partner/server";
import type { Row as SqlRow } from "postgres";
import type { Command, Invocation, Result } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { makeTokenKey } from "../../token_key.ts";
import { overlapSecondsOf } from "../../values.ts";
import { addAuthority, NEW_AUTHORITY } from "./new_authority.ts";
import { changeOrPropose, hexOf } from "../changes/proposing.ts";
import { readPepper, readSealing } from "./new_secret.ts";

/**
 * After this time, every service that still serves has read the new key. A service refuses requests when its
 * copy of the partners and keys is older than 5 s.
 */
const LEAD_SECONDS = 10;
/** After this time, every token of an older key has expired, even by a clock that is a minute behind. */
const OVERLAP_MINUTES = TOKEN_TTL_SECONDS / 60 + 1;
const ATTEMPTS_MAX = 10;

const rotateCa: Command = {
  words: "key rotate ca",
  usage: `key rotate ca ${NEW_AUTHORITY.usage}`,
  does:
    "adds a new certificate authority, which signs from now on; the older ones stay trusted until `ca retire`",
  options: NEW_AUTHORITY.options,
  run: (invocation) => addAuthority(invocation, false),
};

const rotateToken: Command = {
  words: "key rotate token",
  usage: `key rotate token [--overlap ${OVERLAP_MINUTES}m]`,
  does:
    `creates a new key that signs access tokens after ${LEAD_SECONDS} s; tokens signed with older keys are accepted until the overlap ends`,
  options: { overlap: { type: "string", default: `${OVERLAP_MINUTES}m` } },
  run: rotateTokenKey,
};

async function rotateTokenKey(invocation: Invocation): Promise<Result> {
  const { values, confirm, keys } = invocation;
  const overlapSeconds = overlapSecondsOf(values);
  const { sealing } = await readSealing(keys);
  if (overlapSeconds < OVERLAP_MINUTES * 60) {
    await confirm(
      `Access tokens are valid for ${
        TOKEN_TTL_SECONDS / 60
      } minutes. With an overlap of ${overlapSeconds} s, valid tokens stop working early, and every partner must request a new one. Continue?`,
    );
  }
  const { kid, publicJwk, sealed, sealingKey } = await makeTokenKey(sealing);
  return await changeOrPropose(invocation, {
    kind: "token_key.rotate",
    content: {
      kid,
      public_jwk: publicJwk,
      sealed: hexOf(sealed),
      sealing_key: sealingKey,
      lead_seconds: LEAD_SECONDS,
      overlap_seconds: overlapSeconds,
    },
  }, ({ begins_at, older_retire_at }) => ({
    object: {
      kid,
      begins_at: new Date(begins_at).toISOString(),
      older_retire_at: new Date(older_retire_at).toISOString(),
    },
  }));
}

const rotateKek: Command = {
  words: "key rotate webhook-kek",
  usage: "key rotate webhook-kek",
  does:
    "encrypts again every webhook secret and token key that has not retired, with the first key of the sealing key's source",
  run: rotateSealingKey,
};

async function rotateSealingKey(invocation: Invocation): Promise<Result> {
  const { db, keys } = invocation;
  const { sql } = await db();
  const { source, sealing } = await readSealing(keys);
  const readOlder = () =>
    sql`select * from gold.read_sealed() where sealing_key <> ${sealing.currentKeyName} order by kind, id`;
  let resealed = 0;
  // Repeat until no older row is left, because another command may encrypt a row with an older key during a
  // round.
  for (let attempt = 0, older = await readOlder(); older.length > 0; attempt++, older = await readOlder()) {
    if (attempt === ATTEMPTS_MAX) throw stillOlder(older);
    const secrets = await resealAll(older, sealing, source);
    const made = await changeOrPropose(invocation, {
      kind: "sealing_key.rotate",
      content: { sealing_key: sealing.currentKeyName, secrets },
    }, (noted) => {
      // No audit row: another command changed each of these secrets meanwhile.
      resealed += noted.resealed?.length ?? 0;
      return {};
    });
    if (made.object) return made;
  }
  return {
    title: resealed === 0
      ? `Everything is already encrypted with the first key of ${source}. Nothing was done.`
      : `Everything is now encrypted with the first key of ${source}. Run this command again. When it finds nothing to do, you can remove the older lines.`,
    object: { sealing_key: sealing.currentKeyName, resealed },
  };
}

const rotatePepper: Command = {
  words: "key rotate pepper",
  usage: "key rotate pepper",
  does:
    "declares the pepper that the key file names to be the one of the client secrets; older client secrets stop working when the service starts again",
  run: declarePepper,
};

async function declarePepper(invocation: Invocation): Promise<Result> {
  const { keys, confirm } = invocation;
  const source = await keys.locate("pepper");
  const { name } = await readPepper(source);
  await confirm(
    `Declare ${name}, of ${source}, the pepper of the client secrets? When the service starts again, the client secrets that were made with another pepper stop working, and each partner needs a new one.`,
  );
  return await changeOrPropose(invocation, { kind: "pepper.rotate", content: { pepper: name } }, (noted) => {
    const rotated = Object.keys(noted).length > 0;
    return {
      title: rotated
        ? `Client secrets are hashed with the pepper ${name} from now on. Restart the service, then rotate the client secret of each partner.`
        : "This is the pepper already. Nothing was done.",
      object: { pepper: name, rotated },
    };
  });
}

/** A stored secret before and after, in hexadecimal, as gold.reseal takes it. */
interface Resealed {
  readonly kind: string;
  readonly id: string;
  readonly before: string;
  readonly after: string;
}

export const KEY_COMMANDS: readonly Command[] = [rotateCa, rotateToken, rotateKek, rotatePepper];

/**
 * Encrypts all rows again with the first key, or throws: a row that cannot be decrypted is found before
 * anything is written.
 */
async function resealAll(
  rows: readonly SqlRow[],
  sealing: Sealing,
  source: KeySource,
): Promise<Resealed[]> {
  const opened = await Promise.all(
    rows.map(({ sealed, sealing_key }) => sealing.open(sealed, sealing_key).catch(() => null)),
  );
  const shut = rows.filter((_, index) => opened[index] === null);
  if (shut.length > 0) {
    throw new Failure(
      EXIT.refused,
      "sealing_key_missing",
      `${
        describe(shut)
      } cannot be decrypted with any key of ${source}. Nothing was changed. Put the line of the missing key back, below the first line. If that key is lost, replace these secrets as docs/recovery.md describes.`,
    );
  }
  return await Promise.all(rows.map(async ({ kind, id, sealed }, index) => ({
    kind,
    id,
    before: hexOf(sealed),
    after: hexOf(await sealing.seal(opened[index]!)),
  })));
}

/**
 * Throws if the ciphertexts of this proposal, which is of the kind sealing_key.rotate, do not contain the
 * stored secrets. A person whose key file names no sealing key cannot check this.
 */
export async function requireSameSecrets(
  { keys, query }: Pick<Invocation, "keys" | "query">,
  proposal: string,
  content: { readonly sealing_key: string; readonly secrets: readonly Resealed[] },
): Promise<void> {
  if (await keys.find("sealing_key") === undefined) return;
  const { sealing } = await readSealing(keys);
  const open = (sealed: Uint8Array, keyName: string) => sealing.open(sealed, keyName).catch(() => null);
  const stored = new Map(
    (await query`select * from gold.read_sealed()`).map((row) => [`${row.kind} ${row.id}`, row]),
  );
  for (const { kind, id, after } of content.secrets) {
    const row = stored.get(`${kind} ${id}`);
    if (!row) continue;
    const secret = await open(row.sealed, row.sealing_key);
    if (secret !== null && secret === await open(Buffer.from(after, "hex"), content.sealing_key)) continue;
    throw new Failure(
      EXIT.refused,
      "secret_differs",
      `The proposal ${proposal} would change the ${kind} ${id}: your sealing keys do not decrypt the old and the new ciphertext to the same secret. Nothing was approved. If your source lacks the key ${row.sealing_key}, add its line. Otherwise, reject the proposal with \`gold proposal reject ${proposal}\`, and report this.`,
    );
  }
}

const stillOlder = (older: readonly SqlRow[]) =>
  new Failure(
    EXIT.dependency,
    "busy",
    `Other processes still encrypt with an older key: ${
      describe(older)
    }. Make them read the new key, then run this command again.`,
  );

const describe = (rows: readonly SqlRow[]): string =>
  rows.map(({ kind, id, sealing_key }) => `${kind} ${id} (key ${sealing_key})`).join(", ");
