import type { Sql } from "postgres";
import { EXIT, Failure, usage } from "./failure.ts";

/** The roles of operators, in the order in which the database lists them. */
export const ROLES = ["treasury", "credentials", "pricing", "keys", "audit"] as const;

/** Reads `--roles treasury,keys`. Returns the roles in the order of ROLES. */
export function readRoles(text: string): string[] {
  const words = text.split(",");
  const unknown = words.find((word) => !(ROLES as readonly string[]).includes(word));
  if (unknown !== undefined) {
    throw usage(`--roles must be some of ${ROLES.join(",")}, separated by commas; got "${text}".`);
  }
  return ROLES.filter((role) => words.includes(role));
}

const PERMISSION_DENIED = "42501";
const ROLE_MISSING = "role_missing";

/**
 * Replaces the database's "permission denied" by the role that is missing. An error of gold.change_alone has
 * the role of its change. For any other function or view, finds its name in the message, because the server
 * may write its messages in any language.
 */
export async function explainDenied(sql: Sql | undefined, error: unknown): Promise<unknown> {
  const { code, detail, message = "", role } = error as Readonly<Record<string, string | undefined>>;
  if (!sql || code !== PERMISSION_DENIED && (detail !== ROLE_MISSING || role === undefined)) return error;
  const words = `{${message.match(/\w+/g)?.join() ?? ""}}`;
  const [row] = await sql`
    with item as (
      select p.proname as name, p.proacl as acl from pg_proc p where p.pronamespace = 'gold'::regnamespace
      union all select c.relname, c.relacl from pg_class c where c.relnamespace = 'gold'::regnamespace and c.relkind = 'v'
    )
    select array(
      select distinct substr(granted.grantee::regrole::text, 6) from item, aclexplode(item.acl) granted
      where item.name = any(${words}::text::text[])
    ) as roles, session_user as login`.catch(() => []);
  const holders = role === undefined ? row?.roles as string[] | undefined : row && [role];
  const roles = ROLES.filter((one) => holders?.includes(one));
  if (roles.length === 0) return error;
  const needed = roles.length === 1 ? `the role ${roles[0]}` : `one of the roles ${roles.join(", ")}`;
  return new Failure(
    EXIT.refused,
    "not_permitted",
    `This command needs ${needed}, which the login ${row!.login} does not have. ` +
      "`gold operator list` shows who has it, and `gold operator set` changes the roles of a login.",
  );
}
