import { type ChildProcess, execFileSync } from "node:child_process";
import { chownSync, closeSync, mkdtempSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { accountOfNew, launch } from "@gold-partner/dev/postgres";

/** The account that runs Patroni and Postgres, because Postgres refuses to run as root. */
const ACCOUNT = accountOfNew();

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gold-failover-"));
  if (ACCOUNT) chownSync(folder, ACCOUNT.uid, ACCOUNT.gid);
  return folder;
}

/** The interpreter itself. The `python3` on PATH may be a script that starts it. */
export const findPython = (): string =>
  execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();

/** Starts a program whose output goes to NAME.log in `folder`. `reads` are other folders that it reads. */
export function startProgram(
  name: string,
  command: readonly [string, ...string[]],
  { folder, reads = [], environment = {} }: {
    readonly folder: string;
    readonly reads?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
  },
): ChildProcess {
  const logFd = openSync(join(folder, `${name}.log`), "a");
  const assignments = Object.entries(environment).map(([key, value]) => `${key}=${value}`);
  try {
    return launch({
      account: ACCOUNT,
      command: "/usr/bin/env",
      args: [...assignments, ...command],
      folders: [folder, dirname(command[0]), ...reads],
      logFd,
    });
  } finally {
    closeSync(logFd);
  }
}
