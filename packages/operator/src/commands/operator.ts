import { Buffer } from "node:buffer";
import type { Sql } from "postgres";
import type { Command, Result } from "../command.ts";
import { connect } from "../database.ts";
import { EXIT, Failure } from "../failure.ts";
import { instantOf } from "../output.ts";
import { readRoles } from "../roles.ts";
import { changeOrPropose } from "./proposing.ts";
import { scramVerifier } from "../scram_verifier.ts";
import { parsed, parsedRequired } from "../values.ts";

const PASSWORD_BYTES = 24;

const add: Command = {
  words: "operator add",
  usage: "operator add NAME [--roles treasury,credentials,pricing,keys,audit]",
  does:
    "creates a database login for one person, under which the audit records what this person does; its URL is shown only once; --roles says what this person may do, and only a single-operator sandbox may leave it out",
  takes: ["NAME"],
  options: { roles: { type: "string" } },
  async run(invocation) {
    const { migrationUrl, random, values, positionals: [name] } = invocation;
    const roles = parsed(values, "roles", readRoles);
    const url = new URL(await migrationUrl());
    const password = Buffer.from(random(PASSWORD_BYTES)).toString("base64url");
    return await asMigration(url.href, (sql) =>
      changeOrPropose(invocation, async () => {
        await sql`select gold.add_operator(${name!}, ${scramVerifier(password, random)}, ${
          arrayOf(roles)
        }::text::text[])`;
        [url.username, url.password] = [name!, password];
        return {
          title:
            "The URL contains the login's password and is shown only once. Send it to the person over a secure channel.",
          object: { login: name!, database_url: url.href },
        };
      }, () => ({
        kind: "operator.add",
        content: { name: name!, roles },
        again: `gold operator add ${name} --roles ${roles}`,
      })));
  },
};

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
      changeOrPropose(
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
    "removes a login and ends its sessions; its audit records stay, and its name is never given to anyone again",
  takes: ["NAME"],
  asks: ([name]) => `Remove the login ${name}? Nobody can be given this name again.`,
  async run(invocation) {
    const { migrationUrl, positionals: [name] } = invocation;
    return await asMigration(await migrationUrl(), (sql) =>
      changeOrPropose(
        invocation,
        async () => {
          await sql`select gold.remove_operator(${name!})`;
          return { object: { login: name!, status: "removed" } };
        },
        () => ({ kind: "operator.remove", content: { name: name! }, again: `gold operator remove ${name}` }),
      ));
  },
};

export const OPERATOR_COMMANDS: readonly Command[] = [add, set, list, remove];

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
