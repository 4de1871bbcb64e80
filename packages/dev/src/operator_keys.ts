import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, rename, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { operatorKeyFile, operatorKeysFile } from "@gold-partner/operator";
import type { Database } from "./database.ts";
import { keyFileOf } from "./key_file.ts";
import { asOperator } from "./operator.ts";
import type { State } from "./state.ts";

const run = promisify(execFile);

export const PEOPLE = ["first", "second"] as const;

/** What `npm start` reports, and whether the service must start again because it has a new file of keys. */
interface TwoPeople {
  readonly said: string;
  readonly hasNewFile: boolean;
}

/**
 * Ends the single-operator mode. Both demo operators get an SSH key, with which `gold` signs, and sign for what
 * exists already. Without ssh-keygen, changes still need two people, but nobody signs.
 */
export async function beginTwoPeople(
  state: State,
  urls: Database["urls"],
  baseUrl: string,
): Promise<TwoPeople> {
  const operator = asOperator(urls.migration);
  const { items } = await operator("operator key list") as { items: unknown[] };
  if (items.length === 0) {
    if (!await makeKeys(state)) {
      await operator("db migrate --two-people");
      const said =
        "changes need two people, but ssh-keygen is missing, so NOBODY SIGNS; install openssh-client";
      return { said, hasNewFile: false };
    }
    await operator(
      "db migrate",
      ...urls.operators.flatMap((url, index) => [
        "--operator-key",
        `${new URL(url).username}=${operatorKeyFile(state.dir, PEOPLE[index]!)}.pub`,
      ]),
    );
  }
  const file = operatorKeysFile(state.dir);
  const hasNewFile = !existsSync(file);
  // The file gets its name when both people have signed. So an interrupted start signs again.
  const written = hasNewFile ? `${file}.new` : file;
  await writeFileOfKeys(state, urls, baseUrl, written);
  if (hasNewFile) {
    await signForRows(state, urls, written);
    await rename(written, file);
  }
  return { said: "changes need two people, and both operators have an SSH key to sign with", hasNewFile };
}

async function writeFileOfKeys(
  state: State,
  urls: Database["urls"],
  baseUrl: string,
  file: string,
): Promise<void> {
  const { deployment_id } = await asOperator(urls.migration)("db status");
  const lines = [`# deployment ${deployment_id} ${baseUrl} npm start`];
  for (const [index, url] of urls.operators.entries()) {
    const key = await readFile(`${operatorKeyFile(state.dir, PEOPLE[index]!)}.pub`, "utf8");
    lines.push(`${new URL(url).username} ${key.trim()}`);
  }
  const text = `${lines.join("\n")}\n`;
  // A file of the same content keeps its time, which isMigrated() compares.
  if (await readFile(file, "utf8").catch(() => "") !== text) await state.writePrivate(file, text);
}

/** Both people sign for what existed before the file: first for older approvals, then for rows. */
async function signForRows(
  state: State,
  { migration, operators }: Database["urls"],
  file: string,
): Promise<void> {
  const [one, two] = operators.map((url, index) =>
    asOperator(url, undefined, keyFileOf(state), {
      MIGRATION_DATABASE_URL: migration,
      GOLD_SSH_KEY: operatorKeyFile(state.dir, PEOPLE[index]!),
      OPERATOR_KEYS: file,
    })
  );
  for (const words of ["proposal adopt", "registry adopt"]) {
    const { proposal_id, sha256 } = await one!(words);
    if (proposal_id) await two!("proposal approve", `${proposal_id}`, "--sha256", `${sha256}`);
  }
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
