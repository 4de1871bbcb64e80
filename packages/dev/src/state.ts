import { createHash, randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { type Lock, takeLock } from "./lock.ts";
import { findPostmaster, removeFolder, stopPostmaster } from "./postgres/mod.ts";
import { awaitEarlierWatchdog } from "./watchdog.ts";

/** The folder that holds everything of one `npm start`: database, keys, credentials, logs. */
export interface State {
  readonly dir: string;
  path(...parts: string[]): string;
  /** Returns the path for a Unix socket of this name. */
  socket(name: string): string;
  /**
   * Returns a random value in hexadecimal. The first call creates it and keeps it in a file that only its
   * owner can read.
   */
  secret(name: string, bytes?: number): Promise<string>;
  writePrivate(path: string, text: string): Promise<void>;
  release(): Promise<void>;
}

/** The folder cannot be used as it is. The message says what to do. */
export class StateError extends Error {
  override readonly name: string = "StateError";
}

/** The default state folder. */
export const DEFAULT_STATE = ".gold";
/** The key file of the partner CA. The first start that reaches the database creates it. */
export const partnerCaKey = (state: State): string => state.path("pki", "partner_ca_key.pem");

const MARKER = "gold-trading-partner-service.state";
/**
 * Folders inside the state folder that belong to other programs: the secrets of docker-compose.yml, and the
 * partners and results of load tests. They may exist before the first start, and --reset keeps them.
 */
const KEPT_ENTRIES: readonly string[] = ["compose", "loadtest"];
/**
 * The system limits a socket's path to about 100 characters. A socket with a longer path is put into
 * SHORT_FOLDER.
 */
const SOCKET_PATH_MAX = 100;
const HEXADECIMAL = /^[0-9a-f]+$/;
/** Does not depend on TMPDIR, because two starts must find the same lock. */
const SHORT_FOLDER = process.platform === "win32" ? tmpdir() : "/tmp";

/** Always in SHORT_FOLDER, because `--reset` removes the state folder's content while the lock is held. */
const LOCK_SOCKET = "start.sock";

/** Opens the folder for this process alone. */
export async function openState(dir: string, reset: boolean): Promise<State> {
  await refuseForeign(resolve(dir));
  await mkdir(dir, { recursive: true });
  // Resolve links, so that every path to the same folder leads to the same lock.
  const root = await realpath(dir);
  const lock = await takeLock(
    socketPath(root, LOCK_SOCKET),
    `npm start is already running with its state in ${root}. Stop it, or name another folder with --state.`,
  );
  try {
    await awaitEarlierWatchdog(root);
    if (reset) await removeState(root);
    await writeFile(join(root, MARKER), "Made by npm start; npm start -- --reset removes it.\n");
    for (const folder of ["keys", "pki", "partners", "log", "run"]) {
      await mkdir(join(root, folder), { recursive: true, mode: 0o700 });
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
  return stateOf(root, lock);
}

function stateOf(root: string, lock: Lock): State {
  const path = (...parts: string[]) => join(root, ...parts);
  return {
    dir: root,
    path,
    socket: (name) => socketPath(root, name),
    async secret(name, bytes = 32) {
      const file = path("keys", name);
      const known = (await readIfPresent(file))?.trim();
      if (known !== undefined && known.length === 2 * bytes && HEXADECIMAL.test(known)) return known;
      if (known !== undefined) {
        throw new StateError(
          `${file} was changed after npm start wrote it. Restore it, or start over: npm start -- --reset`,
        );
      }
      const value = randomBytes(bytes).toString("hex");
      await writePrivate(file, `${value}\n`);
      return value;
    },
    writePrivate,
    release: () => lock.release(),
  };
}

/**
 * Returns the file's text, or undefined if the file does not exist. Throws if it cannot be read, so that
 * nobody replaces it with a new one.
 */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new StateError(
      `${file} cannot be read: ${(error as Error).message}. Restore it, or start over: npm start -- --reset`,
    );
  }
}

/**
 * Throws for a folder with files but without this program's marker, so that a user's own files are never
 * changed.
 */
async function refuseForeign(root: string): Promise<void> {
  const entries: string[] = await readdir(root).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw new StateError(
      `${root} cannot be read as a folder: ${error.message}. Name another folder with --state.`,
    );
  });
  if (entries.includes(MARKER) || entries.every((entry) => KEPT_ENTRIES.includes(entry))) return;
  throw new StateError(
    `${root} holds files that npm start did not create, so nothing was changed. Name another folder with --state.`,
  );
}

/**
 * Stops Postgres and then removes the folder. Postgres still runs if npm start and its watchdog were killed,
 * and the folder contains the pid file by which it is found.
 */
async function removeState(root: string): Promise<void> {
  const cluster = join(root, "postgres", "cluster");
  const left = findPostmaster(cluster);
  if (left) await stopPostmaster(cluster, left.pid, false);
  for (const entry of await readdir(root)) {
    if (!KEPT_ENTRIES.includes(entry)) await removeFolder(join(root, entry));
  }
}

function socketPath(root: string, name: string): string {
  const short = createHash("sha256").update(root).digest("hex").slice(0, 16);
  const inside = join(root, "run", name);
  return inside.length <= SOCKET_PATH_MAX && name !== LOCK_SOCKET
    ? inside
    : join(SHORT_FOLDER, `gold-${process.getuid?.() ?? 0}-${short}-${name}`);
}

/** Writes the file atomically, so that a killed start leaves no partial file. */
async function writePrivate(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
}
