import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { withLogin } from "@gold-partner/database";
import type { Sql } from "postgres";
import type { Command, Invocation, Result } from "../../command.ts";
import { connect } from "../../database.ts";
import { EXIT, Failure, usage } from "../../failure.ts";
import { withNewFile } from "../../new_file.ts";
import { instantOf } from "../../output.ts";
import { readRoles } from "../../roles.ts";
import { isScramVerifier, scramVerifier } from "../../scram_verifier.ts";
import { optional, parsed, parsedRequired, required } from "../../values.ts";
import { makeOrPropose } from "../changes/proposing.ts";

const PASSWORD_BYTES = 24;

const newPassword = (random: Invocation["random"]): string =>
  Buffer.from(random(PASSWORD_BYTES)).toString("base64url");

const password: Command = {
  words: "operator password",
  usage: "operator password --out FILE",
  does:
    "makes the password of your new login, shows it once, and writes its SCRAM verifier to a file; nobody can compute the password from the file; run it before another person runs `operator add`; needs no database",
  options: { out: { type: "string" } },
  async run({ values, path, random }) {
    const file = path(required(values, "out"));
    const password = newPassword(random);
    await withNewFile(file, `${scramVerifier(password, random)}\n`, () => Promise.resolve());
    return {
      title:
        "The password is shown only once. Keep it to yourself. Give the file to the person who creates your login with `gold operator add --scram-verifier`.",
      object: { password, scram_verifier: file },
    };
  },
};

const add: Command = {
  words: "operator add",
  usage: "operator add NAME [--roles treasury,credentials,pricing,keys,audit] [--scram-verifier FILE]",
  does:
    "creates a database login for one person, and shows its URL once, or admits a login with roles that was created by hand; the audit trail records this login with each change of the person; --roles says what the person may do, and only a single-operator sandbox may leave it out; with the file of `operator password`, only the person knows the password",
  takes: ["NAME"],
  options: { roles: { type: "string" }, "scram-verifier": { type: "string" } },
  async run(invocation) {
    const { migrationUrl, random, values, positionals: [name] } = invocation;
    const roles = parsed(values, "roles", readRoles);
    const file = optional(values, "scram-verifier");
    const password = file === undefined ? newPassword(random) : "";
    const verifier = file === undefined
      ? scramVerifier(password, random)
      : await readVerifier(invocation.path(file));
    const migration = await migrationUrl();
    return await asMigration(migration, (sql) =>
      makeOrPropose(invocation, async () => {
        const [known] = await sql`select gold.is_made_by_hand(${name!}) as by_hand`;
        await sql`select gold.add_operator(${name!}, ${verifier}, ${arrayOf(roles)}::text::text[])`;
        return {
          title: known!.by_hand
            ? "The login existed and keeps its password."
            : file === undefined
            ? "The URL contains the login's password and is shown only once. Send it to the person over a secure channel."
            : "The URL has no password. The person adds it, or sets PGPASSWORD.",
          object: { login: name!, database_url: withLogin(migration, name!, known!.by_hand ? "" : password) },
        };
      }, () => ({
        kind: "operator.add",
        content: { name: name!, roles },
        again: `gold operator add ${name} --roles ${roles}${
          file === undefined ? "" : ` --scram-verifier ${file}`
        }`,
      })));
  },
};

/** Reads a SCRAM verifier. The error does not quote the file, because the file may contain a password. */
async function readVerifier(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw usage(`--scram-verifier cannot be read: ${error.message}.`);
  });
  if (isScramVerifier(text.trimEnd())) return text.trimEnd();
  throw usage(
    `--scram-verifier must be a file with one SCRAM-SHA-256 verifier, which \`gold operator password\` writes; ${file} has other content.`,
  );
}

const arrayOf = (roles: readonly string[] | undefined): string | null => roles ? `{${roles}}` : null;

const set: Command = {
  words: "operator set",
  usage: "operator set NAME --roles treasury,credentials,…",
  does:
    "makes the roles of a login exactly these, at once; another person must approve a role that the login does not have yet",
  takes: ["NAME"],
  options: { roles: { type: "string" } },
  async run(invocation) {
    const { migrationUrl, values, positionals: [name] } = invocation;
    const roles = parsedRequired(values, "roles", readRoles);
    return await asMigration(await migrationUrl(), (sql) =>
      makeOrPropose(
        invocation,
        async () => {
          await sql`select gold.set_operator(${name!}, ${arrayOf(roles)}::text::text[])`;
          return { object: { login: name!, roles } };
        },
        () => ({
          kind: "operator.set",
          content: { name: name!, roles },
          again: `gold operator set ${name} --roles ${roles}`,
        }),
      ));
  },
};

const list: Command = {
  words: "operator list",
  usage: "operator list",
  does: "lists the operators' logins, their roles, and the time of each login's last change",
  async run({ query }) {
    const rows = await query`select * from gold.operator_overview order by login`;
    return {
      items: rows.map(({ login, roles, added_at, added_by, last_change_at }) => ({
        login,
        roles,
        added_at: instantOf(added_at),
        added_by,
        last_change_at: instantOf(last_change_at),
      })),
    };
  },
};

const remove: Command = {
  words: "operator remove",
  usage: "operator remove NAME",
  does:
    "removes a login, and ends its sessions and its SSH keys; its audit records stay, and its name is never given to anyone again",
  takes: ["NAME"],
  async run(invocation) {
    const { migrationUrl, confirm, positionals: [name] } = invocation;
    return await asMigration(await migrationUrl(), async (sql) => {
      const [operator] = await sql`select roles from gold.operator_overview where login = ${name!}`;
      // The database refuses to remove a login that is no operator's.
      if (operator) {
        await confirm(
          `Remove the login ${name} with the roles ${
            operator.roles.join(", ")
          }? Nobody can be given this name again.`,
        );
      }
      return await makeOrPropose(
        invocation,
        async () => {
          await sql`select gold.remove_operator(${name!})`;
          return { object: { login: name!, status: "removed" } };
        },
        () => ({ kind: "operator.remove", content: { name: name! }, again: `gold operator remove ${name}` }),
      );
    });
  },
};

export const OPERATOR_COMMANDS: readonly Command[] = [password, add, set, list, remove];

/**
 * Runs `act` as the migration login. Operators' logins cannot create logins, because one person could then
 * act as two.
 */
async function asMigration(url: string, act: (sql: Sql) => Promise<Result>): Promise<Result> {
  const sql = connect(url);
  try {
    const [own] =
      await sql`select rolname as login, rolsuper or rolcreaterole as makes_logins from pg_roles where rolname = current_user`;
    if (!own!.makes_logins) {
      throw new Failure(
        EXIT.refused,
        "not_permitted",
        `The login ${
          own!.login
        } may not create or remove logins. Set MIGRATION_DATABASE_URL to the migration login, which has CREATEROLE.`,
      );
    }
    return await act(sql);
  } finally {
    await sql.end({ timeout: 2 });
  }
}
