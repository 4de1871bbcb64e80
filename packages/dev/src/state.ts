import { createHash, randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { type Lock, takeLock } from "./lock.ts";
import { findPostmaster, stopPostmaster } from "./postgres/postmaster.ts";
import { removeFolder } from "./remove_folder.ts";
import { awaitEarlierWatchdog } from "./watchdog.ts";

/** The folder that holds everything of one `npm start`: database, keys, credentials, logs. */
export interface State {
  readonly dir: string;
  path(...parts: string[]): string;
  /** Where a Unix socket of this name goes. */
  socket(name: string): string;
  /** A random value that is made at the first start and kept, in a file that only its owner reads. */
  secret(name: string, bytes?: number): Promise<string>;
  writePrivate(path: string, text: string): Promise<void>;
  release(): Promise<void>;
}

/** The folder cannot be used as it is; the message says what to do. */
export class StateError extends Error {
  override readonly name: string = "StateError";
}

/** Where it is unless it is told. */
export const DEFAULT_STATE = ".gold";
/** The partners' authority's, made by the first start that reached its database. */
export const partnerCaKey = (state: State): string => state.path("pki", "partner_ca_key.pem");

const MARKER = "gold-trading-partner-service.state";
/** The secrets of docker-compose.yml, and the load tests' partners and results: no start's, and no reset's. */
const BESIDE: readonly string[] = ["compose", "loadtest"];
/** A socket's path has about a hundred characters at most; a deep state folder gets its sockets elsewhere. */
const SOCKET_PATH_MAX = 100;
const HEXADECIMAL = /^[0-9a-f]+$/;
/** The same whatever TMPDIR says: two starts must meet at one lock. */
const SHORT_FOLDER = process.platform === "win32" ? tmpdir() : "/tmp";

/** Opens the folder for this process alone. */
export async function openState(dir: string, reset: boolean): Promise<State> {
  await refuseForeign(resolve(dir));
  await mkdir(dir, { recursive: true });
  // By whichever way the folder is named, it is one folder with one lock.
  const root = await realpath(dir);
  const lock = await takeLock(
    socketPath(root, "start.sock"),
    `npm start runs already with its state in ${root}; stop it, or name another folder by --state.`,
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
      const known = (await readFile(file, "utf8").catch(() => undefined))?.trim();
      if (known !== undefined && known.length === 2 * bytes && HEXADECIMAL.test(known)) return known;
      if (known !== undefined) {
        throw new StateError(
          `${file} is not what npm start wrote. Put it back as it was, or begin anew: npm start -- --reset`,
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

/** A folder with anything in it that this program did not make is somebody's, and stays as it is. */
async function refuseForeign(root: string): Promise<void> {
  const entries: string[] = await readdir(root).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw new StateError(
      `${root} cannot be read as a folder: ${error.message}. Name another one by --state.`,
    );
  });
  if (entries.includes(MARKER) || entries.every((entry) => BESIDE.includes(entry))) return;
  throw new StateError(
    `${root} holds files that npm start did not make, so it is left alone. Name another folder by --state.`,
  );
}

/** If npm start and its watchdog were killed, Postgres still runs. Without its folder it could not be shut down cleanly. */
async function removeState(root: string): Promise<void> {
  const cluster = join(root, "postgres", "cluster");
  const left = findPostmaster(cluster);
  if (left) await stopPostmaster(cluster, left.pid, false);
  for (const entry of await readdir(root)) {
    if (!BESIDE.includes(entry)) await removeFolder(join(root, entry));
  }
}

function socketPath(root: string, name: string): string {
  const short = createHash("sha256").update(root).digest("hex").slice(0, 16);
  const inside = join(root, "run", name);
  return inside.length <= SOCKET_PATH_MAX && name !== "start.sock"
    ? inside
    : join(SHORT_FOLDER, `gold-${process.getuid?.() ?? 0}-${short}-${name}`);
}

/** Whole or not at all: a killed start leaves no half file. */
async function writePrivate(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
}
