import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { gold } from "@gold-partner/operator";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";

/** Runs one `gold` command. `words` is split at spaces. Arguments that may contain spaces go into `more`. */
export type Operator = (words: string, ...more: string[]) => Promise<Record<string, unknown>>;

/**
 * Runs the operator's real commands, so that onboarding works as in production. Some commands need a second
 * operator's login. Without `keyFile`, the commands use the key file of the `npm start` with this database.
 */
export function asOperator(
  databaseUrl: string,
  secondDatabaseUrl?: string,
  keyFile?: string,
  more: Readonly<Record<string, string | undefined>> = {},
): Operator {
  return async (words, ...given) => {
    const out: string[] = [];
    const err: string[] = [];
    const exit = await gold([...words.split(" "), ...given, "--json", "--yes"], {
      env: { DATABASE_URL: databaseUrl, SECOND_DATABASE_URL: secondDatabaseUrl, GOLD_KEYS: keyFile, ...more },
      out: (text) => out.push(text),
      err: (text) => err.push(text),
      now: () => new Date(),
      random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    });
    if (exit !== 0) {
      throw new Error(`gold ${words}: ${(JSON.parse(err.at(-1)!) as { detail: string }).detail}`);
    }
    return JSON.parse(out.join("")) as Record<string, unknown>;
  };
}

const run = promisify(execFile);

/** Runs the commands of the version in the tree at `root`, each in its own process. */
export function asOperatorFrom(root: string, databaseUrl: string, keyFile?: string): Operator {
  return async (words, ...more) => {
    const main = runtimeArguments(join(root, "packages", "operator", "src", "main.ts"), root);
    const { stdout } = await run(
      process.execPath,
      [...main, ...words.split(" "), ...more, "--json", "--yes"],
      {
        cwd: root,
        env: { ...process.env, DATABASE_URL: databaseUrl, ...(keyFile ? { GOLD_KEYS: keyFile } : {}) },
      },
    );
    return JSON.parse(stdout) as Record<string, unknown>;
  };
}
