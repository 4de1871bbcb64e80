import type { Command, Invocation, Result } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { instantOf } from "../../output.ts";
import { confirmEnd, type Credential, credentialsOf, lifeOf } from "./credential.ts";
import { readSigningKey } from "../partners/partner_terms.ts";
import { changeOrPropose, type Request } from "../changes/proposing.ts";

const add: Command = {
  words: "signing-key add",
  usage: "signing-key add ID FILE",
  does:
    "registers another public key of a partner, as PEM or JWK; the older keys stay valid until they are retired",
  takes: ["ID", "FILE"],
  async run(invocation) {
    const { path, positionals: [id, file] } = invocation;
    return await addSigningKey(invocation, id!, await readSigningKey(path(file!)));
  },
};

/** The key that `signing-key add` registers. */
export interface NewSigningKey {
  readonly thumbprint: string;
  readonly kid?: string | null;
  readonly jwk: Readonly<Record<string, unknown>>;
}

export async function addSigningKey(
  invocation: Invocation,
  id: string,
  { thumbprint, kid = null, jwk }: NewSigningKey,
  request?: Request,
): Promise<Result> {
  const content = { client_id: id, thumbprint, kid, jwk };
  const change = { kind: "signing_key.add", content, ...(request ? { request } : {}) } as const;
  return await changeOrPropose(invocation, change, {
    title: "The partner can sign with this key from now on.",
    object: { client_id: id, thumbprint, kid: kid ?? thumbprint },
  });
}

const list: Command = {
  words: "signing-key list",
  usage: "signing-key list ID",
  does: "lists a partner's signing keys with their validity and last use",
  takes: ["ID"],
  async run(invocation) {
    const found = await credentialsOf(invocation, "signing_key", invocation.positionals[0]!);
    return { items: found.map((one) => ({ thumbprint: one.name, kid: kidOf(one), ...lifeOf(one) })) };
  },
};

const retire: Command = {
  words: "signing-key retire",
  usage: "signing-key retire ID KID",
  does:
    "retires a key at once and permanently, by its kid or thumbprint; a key cannot be retired if every other key of the partner has an end date",
  takes: ["ID", "KID"],
  async run(invocation) {
    const { query, positionals } = invocation;
    const [id, kid] = positionals as [string, string];
    const found = findKey(await credentialsOf(invocation, "signing_key", id), id, kid);
    const seen = await confirmEnd(invocation, `the signing key ${kid} of ${id}`, found);
    const [row] =
      await query`select gold.retire_signing_key(${id}, ${found.name}, ${seen}::text::timestamptz) as at`;
    return {
      object: {
        client_id: id,
        thumbprint: found.name,
        kid: kidOf(found),
        status: "retired",
        retire_at: instantOf(row!.at),
      },
    };
  },
};

export const SIGNING_KEY_COMMANDS: readonly Command[] = [add, list, retire];

/**
 * The kid as GET /v1/credentials shows it: the partner's own name for the key, or else its thumbprint
 * (RFC 7638). A request may carry either.
 */
const kidOf = ({ kid, name }: Credential): string => kid ?? name;

function findKey(keys: readonly Credential[], id: string, kid: string): Credential {
  const [found, ...others] = keys.filter(({ name }) => name === kid).concat(
    keys.filter((one) => one.kid === kid),
  );
  if (!found) throw new Failure(EXIT.refused, "not_found", `${id} has no signing key ${kid}.`);
  // Refuse a kid that several keys share. `partner create` can register several keys with the same kid.
  if (found.name !== kid && others.length > 0) {
    throw new Failure(
      EXIT.refused,
      "refused",
      `${id} has several keys with the kid ${kid}. Name one by its thumbprint.`,
    );
  }
  return found;
}
