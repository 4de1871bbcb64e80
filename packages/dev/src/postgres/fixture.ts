import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres, { type Sql } from "postgres";
import { runtimeArguments } from "../../../../tools/testing/runtime_arguments.ts";

const PROGRAM = fileURLToPath(new URL("./fixture_start.ts", import.meta.url));

/** Fixtures for the tests of Postgres: a folder, a session, and another process that starts the server. */

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gold-pg-"));
  chmodSync(folder, 0o755);
  return folder;
}

export async function query<T>(url: string, run: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await run(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Starts Postgres from another process, which a test can kill. */
export function startElsewhere(dataDir: string): ChildProcess {
  return spawn(process.execPath, [...runtimeArguments(PROGRAM), dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Returns what the other process prints once its server runs. */
export async function readStarted(child: ChildProcess): Promise<{ pid: number; reused: boolean }> {
  const [line] = await once(child.stdout!, "data");
  return JSON.parse(String(line));
}

export async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
