import { readFile } from "node:fs/promises";
import { type OperatorKey, parseOperatorKeys } from "@gold-partner/approvals";
import type { Invocation } from "./command.ts";
import { usage } from "./failure.ts";
import { optional } from "./values.ts";

type Place = Pick<Invocation, "values" | "path">;

/** The operators' first keys, from the file of --operator-keys; undefined without the option. */
export async function readOperatorKeys({ values, path }: Place): Promise<readonly OperatorKey[] | undefined> {
  const file = optional(values, "operator-keys");
  if (file === undefined) return undefined;
  const text = await readFile(path(file), "utf8").catch((error: Error) => {
    throw usage(`--operator-keys cannot be read: ${error.message}.`);
  });
  return await parseOperatorKeys(text).catch((error: Error) => {
    throw usage(`--operator-keys ${file} is invalid. ${error.message}`);
  });
}
