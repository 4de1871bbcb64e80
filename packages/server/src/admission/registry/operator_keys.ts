import { readFile } from "node:fs/promises";
import {
  type ApprovalDocument,
  OFF_REFUSED,
  type OperatorKeys,
  parseOperatorKeys,
  requireDeployment,
  UNVERIFIED,
} from "@gold-partner/approvals";
import { about, type Config } from "../../settings/config.ts";
import type { Query } from "../../database/query.ts";
import type { Log } from "../../operations/log.ts";
import { readDocument, type RegistryDocument } from "./snapshot.ts";

/**
 * Reads the file of OPERATOR_KEYS. Returns undefined, and logs a warning at each start in production, if the
 * service does not require the signatures of two people. Production refuses this once two people signed for
 * every row.
 */
export async function readOperatorKeys(
  { environment, operatorKeys: path }: Pick<Config, "environment" | "operatorKeys">,
  log: Log,
  sql: Query,
): Promise<OperatorKeys | undefined> {
  if (path !== undefined) return await about("OPERATOR_KEYS", readFileOfKeys(path, sql));
  if (environment === "production") {
    await about("OPERATOR_KEYS", requireUnsignedRows(sql));
    log("warn", "OPERATOR_KEYS is off: a superuser of the database can add certificates and keys alone", {
      setting: "OPERATOR_KEYS",
    });
  }
  return undefined;
}

async function readFileOfKeys(path: string, sql: Query): Promise<OperatorKeys> {
  const keys = await parseOperatorKeys(await readFile(path, "utf8"));
  const [read] = await sql<{ approvals: ApprovalDocument }[]>`
    select gold.read_registry_approvals() as approvals`;
  requireDeployment(keys, read!.approvals);
  return keys;
}

/** Throws if the first keys are registered and no row awaits `gold registry adopt`. */
async function requireUnsignedRows(sql: Query): Promise<void> {
  const [row] = await sql<{ document: RegistryDocument | null; approvals: ApprovalDocument }[]>`
    select document, gold.read_registry_approvals() as approvals
    from gold.read_registry(null) where gold.signatures_demanded()`;
  if (!row?.document) return;
  const { malformedRows } = await readDocument("", row.document, await UNVERIFIED.read(row.approvals));
  if (!malformedRows.some(({ code }) => code === "unsigned")) throw new Error(OFF_REFUSED);
}
