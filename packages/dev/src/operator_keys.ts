import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { operatorKeyFile } from "@gold-partner/operator";
import type { Database } from "./database.ts";
import { asOperator } from "./operator.ts";
import type { State } from "./state.ts";

const run = promisify(execFile);

export const PEOPLE = ["first", "second"] as const;

/**
 * Ends the single-operator mode. Both demo operators get an SSH key, with which `gold` signs. Without
 * ssh-keygen, changes still need two people, but nobody signs. Returns what the start reports.
 */
export async function beginTwoPeople(
  state: State,
  { migration, operators }: Database["urls"],
): Promise<string> {
  const operator = asOperator(migration);
  const { items } = await operator("operator key list") as { items: unknown[] };
  if (items.length > 0) return "both operators sign with the SSH keys of an earlier start";
  const made = await makeKeys(state);
  if (!made) {
    await operator("db migrate --two-people");
    return "changes need two people, but ssh-keygen is missing, so NOBODY SIGNS; install openssh-client";
  }
  await operator(
    "db migrate",
    ...operators.flatMap((url, index) => [
      "--operator-key",
      `${new URL(url).username}=${operatorKeyFile(state.dir, PEOPLE[index]!)}.pub`,
    ]),
  );
  return "changes need two people, and both operators have an SSH key to sign with";
}

/** Returns false if there is no ssh-keygen. */
async function makeKeys(state: State): Promise<boolean> {
  for (const person of PEOPLE) {
    const file = operatorKeyFile(state.dir, person);
    if (await stat(`${file}.pub`).then(() => true, () => false)) continue;
    try {
      await run("ssh-keygen", [
        "-q",
        "-t",
        "ed25519",
        "-N",
        "",
        "-C",
        `npm start, ${person} operator`,
        "-f",
        file,
      ]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }
  return true;
}
