import type { Command, Invocation } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { overlapSecondsOf, required, wholeNumber } from "../../values.ts";
import { instantOf } from "../../output.ts";
import { type Change, changeAlone, makeOrPropose } from "../changes/proposing.ts";
import { confirmEnd, type Credential, credentialsOf, lifeOf } from "./credential.ts";

interface NewSecret {
  readonly text: string;
  /** The stored form, as the content of a proposal. */
  readonly content: Change["content"];
}

/** The differences between client secrets and webhook secrets. */
interface SecretKind {
  readonly word: string;
  readonly kind: "client_secret" | "webhook_secret";
  readonly noun: string;
  /** A sentence for the title of the result: how the older secrets work until they retire. */
  readonly meanwhile: string;
  readonly make: (invocation: Invocation) => Promise<NewSecret>;
  readonly retire: (
    invocation: Invocation,
    id: string,
    secretId: string,
    seen: string | null,
  ) => Promise<Date>;
}

export function secretCommands(secret: SecretKind): readonly Command[] {
  const { word, kind, noun } = secret;
  const takesEndpoint = kind === "webhook_secret";
  return [{
    words: `${word} rotate`,
    usage: `${word} rotate ID [--overlap 24h]${takesEndpoint ? " [--endpoint N]" : ""}`,
    does:
      `creates a new ${noun} and shows it once; the older ones retire after the overlap, such as 30m, 24h or 7d, at most 90d; 0 retires them at once`,
    options: {
      overlap: { type: "string", default: "24h" },
      ...(takesEndpoint ? { endpoint: { type: "string" } } : {}),
    },
    takes: ["ID"],
    run: (invocation) => rotate(secret, invocation),
  }, {
    words: `${word} list`,
    usage: `${word} list ID`,
    does: `lists a partner's ${noun}s with their validity and last use, never their values`,
    takes: ["ID"],
    async run(invocation) {
      const found = await credentialsOf(invocation, kind, invocation.positionals[0]!);
      return {
        items: found.map((one) => ({
          secret_id: one.name,
          ...(takesEndpoint ? { endpoint: one.endpoint ?? 1 } : {}),
          ...lifeOf(one),
        })),
      };
    },
  }, {
    words: `${word} retire`,
    usage: `${word} retire ID SECRET_ID`,
    does: `retires a ${noun} at once and permanently; the last one without an end date cannot be retired`,
    takes: ["ID", "SECRET_ID"],
    run: (invocation) => retire(secret, invocation),
  }];
}

async function rotate({ word, kind, noun, meanwhile, make }: SecretKind, invocation: Invocation) {
  const { values, positionals } = invocation;
  const id = positionals[0]!;
  const overlapSeconds = overlapSecondsOf(values);
  const endpoint = values.endpoint === undefined
    ? undefined
    : wholeNumber(required(values, "endpoint"), "endpoint");
  const older = (await credentialsOf(invocation, kind, id)).filter((one) =>
    (one.status === "active" || one.status === "retiring") && (one.endpoint ?? 1) === (endpoint ?? 1)
  );
  const seen = overlapSeconds === 0 ? await confirmEnds(invocation, `${noun} of ${id}`, older) : {};
  const { text, content } = await make(invocation);
  const { sql } = await invocation.db();
  const change: Change = {
    kind: `${kind}.rotate`,
    content: {
      client_id: id,
      ...content,
      overlap_seconds: overlapSeconds,
      ...(endpoint === undefined ? {} : { endpoint }),
    },
    secrets: { [kind]: text },
  };
  return await makeOrPropose(invocation, async () => {
    const alone = { ...change, content: { ...change.content, ...seen } };
    const { secret_id, older_retire_at } = await changeAlone(sql, alone);
    return {
      title: `The secret is shown only once. ${
        overlapSeconds === 0 ? `gold ${word} list ${id} shows which secrets were retired.` : meanwhile
      }`,
      object: {
        client_id: id,
        secret_id: `${secret_id}`,
        [kind]: text,
        retires_at: new Date(older_retire_at).toISOString(),
      },
    };
  }, () => change);
}

/**
 * Asks before all older secrets are retired at once. Returns the member `seen` of the change: the secrets that
 * the person saw, each with its last use. The database refuses the retirement if another secret was created
 * since then. It also refuses if a secret was used within the last hour and the person did not see this use.
 * With --yes the person sees no question, and the change has no such member.
 */
async function confirmEnds(
  { confirm, values }: Invocation,
  what: string,
  older: readonly Credential[],
): Promise<Change["content"]> {
  const uses = older.map(({ name, last_used_at }) => `${name}, ${usedAt(last_used_at)}`).join("; ");
  await confirm(`Retire every older ${what} now (${uses})? A client that still uses one will stop working.`);
  if (values.yes) return {};
  const seen = older.map(({ name, last_used_at }) => [name, instantOf(last_used_at)]);
  return { seen: Object.fromEntries(seen) };
}

const usedAt = (at: Date | null) =>
  at === null ? "its use was never recorded" : `last used at ${at.toISOString()}`;

async function retire({ kind, noun, retire }: SecretKind, invocation: Invocation) {
  const [id, secretId] = invocation.positionals as [string, string];
  const found = (await credentialsOf(invocation, kind, id)).find(({ name }) => name === secretId);
  if (!found) throw new Failure(EXIT.refused, "not_found", `${id} has no ${noun} ${secretId}.`);
  const seen = await confirmEnd(invocation, `the ${noun} ${secretId} of ${id}`, found);
  const retiredAt = await retire(invocation, id, secretId, seen);
  return {
    object: { client_id: id, secret_id: secretId, status: "retired", retire_at: instantOf(retiredAt) },
  };
}
