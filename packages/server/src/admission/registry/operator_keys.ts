import { readFile } from "node:fs/promises";
import { type OperatorKey, parseOperatorKeys } from "@gold-partner/approvals";
import { about, type Config } from "../../config.ts";
import type { Log } from "../../operations/log.ts";

/**
 * Reads the file of OPERATOR_KEYS. Returns undefined, and logs a warning at each start in production, if the
 * service does not require the signatures of two people.
 */
export async function readOperatorKeys(
  { environment, operatorKeys: path }: Pick<Config, "environment" | "operatorKeys">,
  log: Log,
): Promise<readonly OperatorKey[] | undefined> {
  if (path !== undefined) return await about("OPERATOR_KEYS", readFile(path, "utf8").then(parseOperatorKeys));
  if (environment === "production") {
    log("warn", "OPERATOR_KEYS is off: a superuser of the database can add certificates and keys alone", {
      setting: "OPERATOR_KEYS",
    });
  }
  return undefined;
}
