import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { PRIVATE_FILE, replaceFile } from "./new_file.ts";

/** A running `npm start`: its state folder, and the URLs in its run.json. */
export interface LocalStart {
  readonly stateDir: string;
  readonly database_url: string;
  readonly second_database_url: string;
}

/** The key file of an `npm start`. It is in the state folder, beside run.json. */
export const KEY_FILE = "keys.json";

const ACCESS_OF_OTHERS = 0o077;
/** Does not depend on TMPDIR or HOME, so that every `gold` of this user finds the same file. */
export const SHARED_FOLDER = process.platform === "win32" ? tmpdir() : "/tmp";

/**
 * Returns the `npm start` that runs with this state folder. Reads synchronously, because on Deno 2.9 an
 * asynchronous read failed rarely.
 */
export function startIn(stateDir: string): LocalStart | undefined {
  try {
    return { ...JSON.parse(readFileSync(join(stateDir, "run.json"), "utf8")), stateDir };
  } catch {
    return undefined;
  }
}

/**
 * The file in which `npm start` writes its state folder, for the address of its database. With it, `gold`
 * finds the key file by DATABASE_URL alone.
 */
export function statePointer(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  const name = createHash("sha256").update(`${host}${pathname}`).digest("hex").slice(0, 16);
  return join(SHARED_FOLDER, `gold-${process.getuid?.() ?? 0}-${name}-state`);
}

/**
 * Writes the state folder of an `npm start` into its pointer. Follows no link that another user made there.
 */
export async function writeStatePointer(databaseUrl: string, stateDir: string): Promise<void> {
  await replaceFile(statePointer(databaseUrl), stateDir, PRIVATE_FILE);
}

/** Returns the key file of the running `npm start` that has exactly this DATABASE_URL. */
export async function findKeyFileOf(databaseUrl: string): Promise<string | undefined> {
  const start = await findStart(databaseUrl);
  return start && join(start.stateDir, KEY_FILE);
}

/** The SSH key of an operator of an `npm start -- --two-people`. */
export const operatorKeyFile = (stateDir: string, person: "first" | "second"): string =>
  join(stateDir, "keys", `operator_${person}_ssh_key`);

/** The file of OPERATOR_KEYS of an `npm start -- --two-people`. */
export const operatorKeysFile = (stateDir: string): string => join(stateDir, "keys", "operator_keys");

/** Returns the running `npm start` of this database: by DATABASE_URL if it is set, else by the state folder. */
export const findStartOf = async (
  env: Readonly<Record<string, string | undefined>>,
  stateDir: string,
  databaseUrl: () => string | Promise<string>,
): Promise<LocalStart | undefined> =>
  env.DATABASE_URL ? await findStart(await databaseUrl()) : startIn(stateDir);

/**
 * Returns the running `npm start` whose run.json has exactly this DATABASE_URL, so that the keys of a start
 * that was killed are not used for another database at the same address. Every user can write into the shared
 * folder, so a pointer that another user made is ignored.
 */
async function findStart(databaseUrl: string): Promise<LocalStart | undefined> {
  // A URL with several hosts cannot be parsed. `npm start` has one host.
  if (!URL.canParse(databaseUrl)) return undefined;
  const pointer = statePointer(databaseUrl);
  const file = await lstat(pointer).catch(() => undefined);
  if (!file?.isFile() || file.uid !== (process.getuid?.() ?? file.uid)) return undefined;
  if (process.getuid && (file.mode & ACCESS_OF_OTHERS) !== 0) return undefined;
  const start = startIn(readFileSync(pointer, "utf8"));
  const urls = [start?.database_url, start?.second_database_url];
  return urls.includes(databaseUrl) ? start : undefined;
}
