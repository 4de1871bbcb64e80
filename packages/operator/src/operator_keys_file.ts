import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import {
  type ApprovalDocument,
  type OperatorKeys,
  parseOperatorKeys,
  SignedRegistry,
  type SignedRows,
  type StoredApproval,
} from "@gold-partner/approvals";
import type { Sql } from "postgres";
import type { Invocation } from "./command.ts";
import { usage } from "./failure.ts";
import { findStartOf, operatorKeysFile } from "./run_file.ts";
import { optional } from "./values.ts";

type Place = Pick<Invocation, "values" | "path" | "env" | "stateDir" | "databaseUrl">;

/** The option of the commands that verify signatures. */
export const OPERATOR_KEYS_OPTION = { "operator-keys": { type: "string" } } as const;

/**
 * The deployment and the operators' first keys, from the file of --operator-keys, else of OPERATOR_KEYS, else of
 * the `npm start -- --two-people` with this database. Returns undefined if there is none, or if OPERATOR_KEYS is
 * `off`.
 */
export async function readOperatorKeys(place: Place): Promise<OperatorKeys | undefined> {
  const { values, path, env } = place;
  const option = optional(values, "operator-keys");
  const given = option ?? env.OPERATOR_KEYS ?? await findStartsFile(place);
  if (!given || (option === undefined && given === "off")) return undefined;
  const name = option === undefined ? "OPERATOR_KEYS" : "--operator-keys";
  if (option === undefined && !isAbsolute(given)) {
    throw usage(`OPERATOR_KEYS must be an absolute path or off; got ${given}.`);
  }
  const text = await readFile(path(given), "utf8").catch((error: Error) => {
    throw usage(`${name} cannot be read: ${error.message}.`);
  });
  return await parseOperatorKeys(text).catch((error: Error) => {
    throw usage(`${name} ${given} is invalid. ${error.message}`);
  });
}

async function findStartsFile({ env, stateDir, databaseUrl }: Place): Promise<string | undefined> {
  const start = await findStartOf(env, stateDir, databaseUrl);
  const file = start && operatorKeysFile(start.stateDir);
  return file !== undefined && existsSync(file) ? resolve(file) : undefined;
}

/** Whether the first operators' keys are registered, so that every approval needs two signatures. */
export async function areSignaturesDemanded(sql: Sql): Promise<boolean> {
  const [row] = await sql`select gold.signatures_demanded() as demanded`;
  return row!.demanded;
}

/**
 * Like readOperatorKeys, but throws if gold must verify what two people signed. `off` is accepted only until
 * the first keys are registered. A sandbox may leave OPERATOR_KEYS out.
 */
export async function demandOperatorKeys(
  invocation: Invocation,
): Promise<OperatorKeys | undefined> {
  const keys = await readOperatorKeys(invocation);
  if (keys) return keys;
  const { sql, deployment } = await invocation.db();
  const isOff = invocation.env.OPERATOR_KEYS === "off";
  const isDemanded = await areSignaturesDemanded(sql);
  if (isOff ? !isDemanded : (await deployment()).environment !== "production") return undefined;
  throw usage(
    `OPERATOR_KEYS must be the absolute path of the file with the operators' first keys${
      isDemanded ? "" : ", or off until these keys are registered"
    }; got ${
      isOff ? "off" : '""'
    }. gold verifies with this file what two people signed. The first line names the deployment, and each other line has a login and its public key, such as: amal ssh-ed25519 AAAA…`,
  );
}

/**
 * The names, IBANs and payout accounts for which two people signed, or undefined without the operators' first
 * keys. `more` are approvals of other kinds.
 */
export async function readSignedPayees(
  invocation: Invocation,
  more: readonly StoredApproval[] = [],
): Promise<SignedRows | undefined> {
  const keys = await demandOperatorKeys(invocation);
  if (!keys) return undefined;
  const [read] = await invocation.query`select gold.read_payee_approvals() as approvals`;
  const { ends, approvals } = read!.approvals as ApprovalDocument;
  return await new SignedRegistry(keys).read({ ends, approvals: [...approvals, ...more] });
}
