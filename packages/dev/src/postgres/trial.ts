import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";

/** What the tests stage around a server: a folder, a session, another process that starts it. */

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

/** Starts Postgres from a process of its own, to be killed. */
export function startElsewhere(dataDir: string): ChildProcess {
  const runtime = "Deno" in globalThis ? ["run", "-A"] : ["--import", "tsx"];
  const program = join(import.meta.dirname ?? "", "trial_start.ts");
  return spawn(process.execPath, [...runtime, program, dataDir], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** What the other process says once its server runs. */
export async function readStarted(child: ChildProcess): Promise<{ pid: number; reused: boolean }> {
  const [line] = await once(child.stdout!, "data");
  return JSON.parse(String(line));
}

export async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
