import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { childrenOf, endedCpuMs } from "../../testing/process_cpu.ts";
import { residentMebibytes } from "../stage/resident_memory.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const SAMPLE_MS = 250;

/** The members of the command's JSON that the proof reads. */
interface Output {
  readonly defects: number;
  readonly records: number;
  readonly verified_signatures: number;
  readonly items?: readonly { readonly rule: string; readonly row: string }[];
}

export interface AuditRun extends Output {
  /** Standard error. */
  readonly progress: string;
  readonly wallMs: number;
  /** The CPU time of all processes of the command and of Postgres. */
  readonly cpuMs: number;
  /** The largest sum of the resident sets of the command's processes. */
  readonly memoryMiB: number;
}

/** Runs `gold audit full` as a person does, and measures it. */
export async function runAudit(url: string, ...options: readonly string[]): Promise<AuditRun> {
  const postmaster = await postmasterOf(url);
  const cpuMs = () => endedCpuMs(process.pid) + endedCpuMs(postmaster);
  const [startMs, startCpuMs] = [performance.now(), cpuMs()];
  const runtime = "Deno" in globalThis ? ["run", "-A"] : [];
  const child = spawn(
    process.execPath,
    [...runtime, "tools/run.mjs", "gold", "audit", "full", "--json", ...options],
    { cwd: ROOT, env: { ...process.env, DATABASE_URL: url }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let memoryMiB = 0;
  const sampler = setInterval(() => memoryMiB = Math.max(memoryMiB, treeMebibytes(child.pid!)), SAMPLE_MS);
  try {
    const [out, err, [exit]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    const measured = { wallMs: performance.now() - startMs, cpuMs: cpuMs() - startCpuMs, memoryMiB };
    if (out === "") throw new Error(`gold audit full exited with ${exit}:\n${err}`);
    return { ...JSON.parse(out) as Output, ...measured, progress: err };
  } finally {
    clearInterval(sampler);
    child.kill();
  }
}

async function postmasterOf(url: string): Promise<number> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql`select split_part(pg_read_file('postmaster.pid'), E'\n', 1)::int as pid`;
    return row!.pid;
  } finally {
    await sql.end();
  }
}

/** The memory of a process and of its descendants. */
function treeMebibytes(pid: number): number {
  try {
    return childrenOf(pid).reduce((sum, child) => sum + treeMebibytes(child), residentMebibytes(pid));
  } catch {
    return 0; // The process has just ended.
  }
}
