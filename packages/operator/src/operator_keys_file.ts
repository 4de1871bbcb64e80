import { readFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import {
  type ApprovalDocument,
  type OperatorKey,
  parseOperatorKeys,
  SignedRegistry,
  type SignedRows,
} from "@gold-partner/approvals";
import type { Invocation } from "./command.ts";
import { usage } from "./failure.ts";
import { optional } from "./values.ts";

type Place = Pick<Invocation, "values" | "path" | "env">;

/** The option of the commands that verify signatures. */
export const OPERATOR_KEYS_OPTION = { "operator-keys": { type: "string" } } as const;

/**
 * The operators' first keys, from the file of --operator-keys, else of OPERATOR_KEYS. Returns undefined if there is
 * neither, or if OPERATOR_KEYS is `off`.
 */
export async function readOperatorKeys(
  { values, path, env }: Place,
): Promise<readonly OperatorKey[] | undefined> {
  const option = optional(values, "operator-keys");
  const given = option ?? env.OPERATOR_KEYS;
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

/**
 * The rows for which two people signed, or undefined without the operators' first keys. A person must say
 * OPERATOR_KEYS=off to do without them in production.
 */
export async function readSignedRows(invocation: Invocation): Promise<SignedRows | undefined> {
  const keys = await readOperatorKeys(invocation);
  if (!keys) {
    const { environment } = await (await invocation.db()).deployment();
    if (environment !== "production" || invocation.env.OPERATOR_KEYS === "off") return undefined;
    throw usage(
      "OPERATOR_KEYS is not set, so gold cannot verify what two people signed. Set it to the absolute path of the file with the operators' first keys, or to off.",
    );
  }
  const [read] = await invocation.query`select gold.read_approvals() as approvals`;
  return await new SignedRegistry(keys).read(read!.approvals as ApprovalDocument);
}
