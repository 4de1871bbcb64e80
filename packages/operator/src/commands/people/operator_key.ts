import { readFile } from "node:fs/promises";
import { parsePublicKey, type SshPublicKey, SshsigError } from "@gold-partner/approvals";
import type { Command, Invocation } from "../../command.ts";
import { usage } from "../../failure.ts";
import { instantOf } from "../../output.ts";
import { repeated } from "../../values.ts";
import { changeOrPropose } from "../changes/proposing.ts";

const add: Command = {
  words: "operator key add",
  usage: "operator key add LOGIN PUBLIC_KEY_FILE",
  does:
    "proposes an SSH public key with which this login signs proposals and approvals; use it to replace a lost key, too: two other people with keys propose and approve",
  takes: ["LOGIN", "PUBLIC_KEY_FILE"],
  async run(invocation) {
    const [login, file] = invocation.positionals as [string, string];
    const { text, fingerprint } = await readPublicKeyFile(invocation, file);
    const change = { kind: "operator_key.add", content: { login, public_key: text } } as const;
    return await changeOrPropose(invocation, change, { object: { login, fingerprint } });
  },
};

const list: Command = {
  words: "operator key list",
  usage: "operator key list",
  does: "lists the operators' SSH keys, with the proposal that added each key; root is a first key",
  async run({ query }) {
    const rows = await query`select * from gold.operator_key_overview order by added_at, fingerprint`;
    return {
      items: rows.map(({ login, fingerprint, public_key, admitted_by, added_at, ended_at }) => ({
        login,
        fingerprint,
        type: public_key.split(" ")[0],
        status: ended_at === null ? "active" : "ended",
        admitted_by,
        added_at: instantOf(added_at),
        ended_at: instantOf(ended_at),
        public_key,
      })),
    };
  },
};

const end: Command = {
  words: "operator key end",
  usage: "operator key end FINGERPRINT",
  does:
    "ends a key at once: nothing that it signs is approved from then on; what it signed before stays valid",
  takes: ["FINGERPRINT"],
  async run({ query, confirm, positionals: [fingerprint] }) {
    const [key] = await query`
      select login from gold.operator_key_overview where fingerprint = ${fingerprint!} and ended_at is null`;
    // The database refuses to end a key that is not active.
    if (key) {
      await confirm(`End the operator key ${fingerprint} of ${key.login}? It can never be registered again.`);
    }
    await query`select gold.end_operator_key(${fingerprint!})`;
    return { object: { fingerprint: fingerprint!, status: "ended" } };
  },
};

export const OPERATOR_KEY_COMMANDS: readonly Command[] = [add, list, end];

/** The first public keys by login, from --operator-key. Undefined if the option is not given. */
export async function readRootKeys(
  invocation: Invocation,
): Promise<Readonly<Record<string, string>> | undefined> {
  const keys: Record<string, string> = {};
  for (const given of repeated(invocation.values, "operator-key")) {
    const [, login, file] = /^([^=\s]+)=(.+)$/.exec(given) ?? [];
    if (login === undefined || file === undefined) {
      throw usage(`--operator-key must be LOGIN=FILE, such as amal=/media/amal.pub; got ${given}.`);
    }
    if (Object.hasOwn(keys, login)) {
      throw usage(`--operator-key names ${login} twice. Give each login one key.`);
    }
    keys[login] = (await readPublicKeyFile(invocation, file)).text;
  }
  return Object.keys(keys).length === 0 ? undefined : keys;
}

async function readPublicKeyFile({ path }: Invocation, file: string): Promise<SshPublicKey> {
  const text = await readFile(path(file), "utf8").catch((error: Error) => {
    throw usage(`${file} cannot be read: ${error.message}.`);
  });
  return await parsePublicKey(text).catch((error) => {
    throw error instanceof SshsigError
      ? usage(`${file} must be an OpenSSH public key of a supported type. ${error.message}`)
      : error;
  });
}
