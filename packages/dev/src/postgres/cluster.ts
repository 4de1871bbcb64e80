import { randomBytes } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Account, accountOf, accountOfNew, launch } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { PostgresStartError } from "./error.ts";
import { removeFolder } from "./remove_folder.ts";
import { processLives } from "./postmaster.ts";

/** An initialised database cluster, running or not. */
export interface Cluster {
  /** The data directory of Postgres. */
  dir: string;
  /** Postgres appends what it prints here. */
  logFile: string;
  superuserPassword: string;
  account: Account | undefined;
}

/**
 * Opens the cluster in `dataDir`, and creates it if there is none. A new cluster and its password are created
 * in a draft folder, which is then renamed. So `dataDir` holds a complete cluster or nothing, even if a
 * process was killed.
 */
export async function openCluster(
  dataDir: string,
  binaries: Binaries,
  log: (line: string) => void,
): Promise<Cluster> {
  const path = resolve(dataDir);
  fs.mkdirSync(dirname(path), { recursive: true });
  await removeAbandoned(path, log);
  if (isAbsentOrEmpty(path)) {
    log(`creating a database cluster in ${path}`);
    await makeCluster(path, binaries);
  }
  // Use the real path, so that a folder that is reached by another path is recognised.
  return readCluster(fs.realpathSync(path));
}

function isAbsentOrEmpty(path: string): boolean {
  try {
    return fs.readdirSync(path).length === 0;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return true;
    throw new PostgresStartError(`${path} cannot hold the database: ${message}. Choose another folder.`);
  }
}

function readCluster(path: string): Cluster {
  const dir = join(path, "cluster");
  try {
    fs.accessSync(join(path, "cluster"));
    const superuserPassword = fs.readFileSync(join(path, "password"), "utf8").trim();
    return { dir, logFile: join(path, "postgres.log"), superuserPassword, account: accountOf(dir) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") {
      throw new PostgresStartError(
        `The database in ${path} belongs to another user. Start as that user, or choose another folder.`,
      );
    }
    throw new PostgresStartError(
      `${path} is not empty and was not created by this program: it has no folder "cluster" or no file "password". ` +
        `Nothing was changed. Choose another folder, or empty this one yourself.`,
    );
  }
}

async function makeCluster(path: string, binaries: Binaries): Promise<void> {
  const draft = fs.mkdtempSync(draftPrefix(path) + process.pid + "-");
  fs.chmodSync(draft, 0o711);
  const account = accountOfNew();
  const passwordFile = join(draft, "password");
  fs.writeFileSync(passwordFile, randomBytes(32).toString("base64url") + "\n", { mode: 0o600 });
  fs.mkdirSync(join(draft, "cluster"), { mode: 0o700 });
  if (account) {
    for (const name of ["password", "cluster"]) fs.chownSync(join(draft, name), account.uid, account.gid);
  }
  await runInitdb(draft, passwordFile, account, binaries);
  try {
    fs.renameSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    fs.rmSync(draft, { recursive: true, force: true });
    // Use the cluster that another process created at the same time.
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
}

async function runInitdb(
  draft: string,
  passwordFile: string,
  account: Account | undefined,
  binaries: Binaries,
): Promise<void> {
  const logFile = join(draft, "initdb.log");
  const logFd = fs.openSync(logFile, "w", 0o600);
  const args = [
    `--pgdata=${join(draft, "cluster")}`,
    "--username=postgres",
    "--auth=scram-sha-256",
    `--pwfile=${passwordFile}`,
    // Use the builtin provider, which sorts and folds case in the same way on every system.
    ...["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
  ];
  try {
    const child = launch({ account, command: binaries.initdb, args, folders: [draft], logFd });
    const [exitCode] = await once(child, "exit") as [number | null];
    if (exitCode !== 0) {
      throw new PostgresStartError(
        `initdb failed (${exitCode ?? "killed"}): ${fs.readFileSync(logFile, "utf8").trim()}`,
      );
    }
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true });
    throw error;
  } finally {
    fs.closeSync(logFd);
  }
  fs.rmSync(logFile);
}

const draftPrefix = (path: string): string => `${path}.new-`;

/** Removes drafts whose process was killed before the rename. */
async function removeAbandoned(path: string, log: (line: string) => void): Promise<void> {
  const prefix = basename(draftPrefix(path));
  for (const name of fs.readdirSync(dirname(path))) {
    if (!name.startsWith(prefix) || processLives(Number.parseInt(name.slice(prefix.length), 10))) continue;
    log(`removing ${name}, which an interrupted start left`);
    // Retry the removal, because the draft's initdb may still be running.
    await removeFolder(join(dirname(path), name));
  }
}
