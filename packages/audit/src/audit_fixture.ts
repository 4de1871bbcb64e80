import postgres, { type Sql, type TransactionSql } from "postgres";
import { auditBooks, type AuditOptions, type AuditReport } from "./full_audit.ts";
import { openAuditConnection, SESSION_SETTINGS, withSnapshot } from "./snapshot.ts";

type Look<Seen> = (transaction: TransactionSql) => Promise<Seen>;

/** Connects with this login, whose password is its name. */
export function connectAs({ url }: { readonly url: string }, login: string): Sql {
  const own = new URL(url);
  [own.username, own.password] = [login, login];
  return postgres(own.href, { max: 1, onnotice: () => {} });
}

export const auditAt = (url: string, options: AuditOptions = {}): Promise<AuditReport> =>
  withSnapshot(url, (sql) => auditBooks(sql, options));

/** Edits the books as a superuser, looks with the settings of the audit at what this did, and undoes the edit. */
export async function lookAfter<Seen>(url: string, edit: Look<unknown>, look: Look<Seen>): Promise<Seen> {
  const undone = new Error("undone");
  const connection = openAuditConnection(url);
  let seen: Seen;
  await connection.begin(async (transaction) => {
    await edit(transaction);
    for (const setting of SESSION_SETTINGS) await transaction.unsafe(setting);
    seen = await look(transaction);
    throw undone;
  }).catch((error) => {
    if (error !== undone) throw error;
  }).finally(() => connection.end({ timeout: 1 }));
  return seen!;
}
