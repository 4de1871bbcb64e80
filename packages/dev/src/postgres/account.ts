import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { PostgresStartError } from "./error.ts";

/** The user that runs Postgres if this process is root, because Postgres refuses to run as root. */
export interface Account {
  uid: number;
  gid: number;
}

const NOBODY: Account = { uid: 65534, gid: 65534 };

/**
 * Returns the account for a new cluster: nobody if this process is root, otherwise undefined for the current
 * user.
 */
export function accountOfNew(): Account | undefined {
  return process.getuid?.() === 0 ? NOBODY : undefined;
}

/** Returns the account for an existing cluster: its owner if this process is root, otherwise undefined. */
export function accountOf(clusterDir: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(clusterDir);
  return uid === 0 ? NOBODY : { uid, gid };
}

/**
 * A program to run in a separate session. Ctrl-C in the terminal then reaches only this process, and this
 * process stops the program.
 */
interface Launch {
  account: Account | undefined;
  command: string;
  args: string[];
  /** Folders that the program must be able to reach. */
  folders: string[];
  /** Receives what the program prints. */
  logFd: number;
  /** Gives the program a pipe as its standard input. It closes when this process ends, even by SIGKILL. */
  hasPipe?: boolean;
}

export function launch({ account, command, args, folders, logFd, hasPipe }: Launch): ChildProcess {
  const options = {
    detached: true,
    stdio: [hasPipe ? "pipe" as const : "ignore" as const, logFd, logFd],
    // Pass only these variables. The shell's PG* variables are meant for other servers, and its TZ would
    // apply to this server.
    env: { PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC" },
    cwd: "/",
  };
  if (!account) return spawn(command, args, options);
  const closed = [dirname(command), ...folders].map((folder) => closedFolder(folder, account)).find(Boolean);
  if (!closed) return spawn(command, args, { ...options, ...account });
  return spawn("setpriv", [...passingClosedFolders(account, closed), command, ...args], options);
}

/**
 * Returns the first folder on the path that `account` may not enter. On most systems root's home is such a
 * folder.
 */
export function closedFolder(path: string, { uid, gid }: Account): string | undefined {
  const above = dirname(path);
  const closed = above === path ? undefined : closedFolder(above, { uid, gid });
  if (closed) return closed;
  const stats = statSync(path);
  const pass = stats.uid === uid ? 0o100 : stats.gid === gid ? 0o010 : 0o001;
  return stats.mode & pass ? undefined : path;
}

/**
 * Returns the arguments of setpriv that run a program as `account`. The program keeps one capability, so that
 * it can pass folders that are closed to the account. no_setuid_fixup is needed because Postgres finds its
 * own files with access(2), which otherwise ignores the capability.
 */
function passingClosedFolders({ uid, gid }: Account, closed: string): string[] {
  const capability = process.platform === "linux" ? heldCapability() : undefined;
  if (!capability) {
    throw new PostgresStartError(
      `Postgres refuses to run as root, and user ${uid} may not enter ${closed}. ` +
        `Start as an ordinary user, or let other users enter the folder: chmod o+x ${closed}`,
    );
  }
  return [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    "--clear-groups",
    "--securebits=+no_setuid_fixup",
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    "--",
  ];
}

/**
 * Returns the capability of this process that lets a program pass closed folders. Prefers dac_read_search,
 * which grants less; but containers usually withhold it.
 */
function heldCapability(): string | undefined {
  const bits = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  const held = BigInt(`0x${bits}`);
  if (held & 4n) return "dac_read_search";
  return held & 2n ? "dac_override" : undefined;
}
