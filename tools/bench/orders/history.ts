// Writes orders into the books of a service before the benchmark measures anything.
import { readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import postgres from "postgres";
import type { Sample } from "../harness.ts";
import { familyCpuMs } from "../../testing/process_cpu.ts";
import { PARTNERS, type Stack } from "./stack.ts";

const PRELOAD = new URL("./preload.sql", import.meta.url);
/**
 * Maximum number of orders per partner in one call. The number is even, so each call sells as much gold as it
 * buys and the vault's balance stays the same. Calls can therefore run at the same time.
 */
const ORDERS_EACH = 100;
const WRITERS = 2;
/** Disk space for one order: tables, indexes, and the write-ahead log while the history is written. */
const BYTES_AN_ORDER = 4000;
const PROGRESS_STEPS = 10;

interface Filled {
  /** The time until all orders were on disk and vacuumed. One operation is one order. */
  readonly sample: Sample;
  /** Further results, one sentence each. */
  readonly remarks: readonly string[];
}

export async function fillBooks(stack: Stack, orders: number): Promise<Filled> {
  const [startMs, startCpuMs] = [performance.now(), familyCpuMs(stack.postgresPid)];
  const operations = await writeHistory(stack, orders);
  // Vacuum now. Otherwise autovacuum would start in the middle of a measurement.
  await stack.sql.unsafe("vacuum analyze");
  await stack.sql.unsafe("checkpoint");
  const wallMs = performance.now() - startMs;
  const sample = { operations, wallMs, cpuMs: familyCpuMs(stack.postgresPid) - startCpuMs };
  const count = operations.toLocaleString("en-US");
  console.log(
    `  ${count} orders are written and vacuumed after ${minutes(wallMs)}; gold ledger verify runs now`,
  );
  const [size] = await stack.sql`select pg_database_size(current_database())::float8 as bytes`;
  const verifyMs = performance.now();
  const { unsealed_events } = await stack.operator("ledger verify");
  return {
    sample,
    remarks: [
      `${count} orders were written, sealed and vacuumed in ${minutes(wallMs)}: ${gibibytes(size!.bytes)}, ` +
      `${Math.round(size!.bytes / operations)} bytes per order.`,
      `gold ledger verify found no defect in ${minutes(performance.now() - verifyMs)}, ` +
      `with ${unsealed_events} unsealed events.`,
    ],
  };
}

/** Writes the orders over several connections, each for different partners. Returns the number of orders. */
async function writeHistory(
  { sql, databaseUrl, firstClient }: Stack,
  orders: number,
): Promise<number> {
  await sql.unsafe(readFileSync(PRELOAD, "utf8"));
  const calls = Math.ceil(orders / (PARTNERS * ORDERS_EACH));
  const each = 2 * Math.ceil(orders / (PARTNERS * calls) / 2);
  const share = PARTNERS / WRITERS;
  const startMs = performance.now();
  const writer = postgres(databaseUrl, { max: WRITERS, onnotice: () => {} });
  try {
    await Promise.all(Array.from({ length: WRITERS }, async (_, index) => {
      for (let call = 1; call <= calls; call++) {
        await writer`select peer.preload(${firstClient + index * share}, ${share}, ${each})`;
        const isNext = Math.floor(call * PROGRESS_STEPS / calls) >
          Math.floor((call - 1) * PROGRESS_STEPS / calls);
        if (index === 0 && isNext) {
          console.log(
            `  about ${(call * each * PARTNERS).toLocaleString("en-US")} orders after ${
              minutes(performance.now() - startMs)
            }`,
          );
        }
      }
    }));
  } finally {
    await writer.end();
  }
  return calls * each * PARTNERS;
}

/** Throws if the folder for temporary files has too little free space. The books are in this folder. */
export function requireSpace(orders: number): void {
  const [dir, bytes] = [tmpdir(), orders * BYTES_AN_ORDER];
  const { bavail, bsize } = statfsSync(dir);
  if (bavail * bsize >= bytes) return;
  throw new Error(
    `${dir} has ${gibibytes(bavail * bsize)} free, but the full books take up to ${
      gibibytes(bytes)
    }. Free some space, set TMPDIR to another folder, or use fewer rows with --rows N.`,
  );
}

const gibibytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
const minutes = (ms: number) => `${(ms / 60_000).toFixed(1)} minutes`;
