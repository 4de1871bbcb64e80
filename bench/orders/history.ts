// A house whose books are full before anything is measured.
import { readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import postgres from "postgres";
import type { Sample } from "../harness.ts";
import { familyCpuMs } from "../process_cpu.ts";
import { type House, PARTNERS } from "./house.ts";

const PRELOAD = new URL("./preload.sql", import.meta.url);
/** At most so many orders a partner in one call; an even number leaves the vault as it was, so that two calls run side by side. */
const ORDERS_EACH = 100;
const WRITERS = 2;
/** Tables, indexes, and the write-ahead log on its way. */
const BYTES_AN_ORDER = 4000;
const PROGRESS_STEPS = 10;

interface Filled {
  /** Until all stood on the disk and was vacuumed; an operation is an order. */
  readonly sample: Sample;
  /** What came to light, a sentence each. */
  readonly remarks: readonly string[];
}

export async function fillBooks(
  house: House,
  orders: number,
  tell: (text: string) => void,
): Promise<Filled> {
  const [startMs, startCpuMs] = [performance.now(), familyCpuMs(house.postgresPid)];
  const operations = await writeHistory(house, orders, tell);
  // As autovacuum leaves them sooner or later; it is not to begin in the middle of a turn.
  await house.sql.unsafe("vacuum analyze");
  await house.sql.unsafe("checkpoint");
  const wallMs = performance.now() - startMs;
  const sample = { operations, wallMs, cpuMs: familyCpuMs(house.postgresPid) - startCpuMs };
  const count = operations.toLocaleString("en-US");
  tell(`  ${count} orders are written and vacuumed after ${minutes(wallMs)}; gold ledger verify reads them`);
  const [size] = await house.sql`select pg_database_size(current_database())::float8 as bytes`;
  const verifyMs = performance.now();
  const { unsealed_events } = await house.operator("ledger verify");
  return {
    sample,
    remarks: [
      `${count} orders were written, sealed and vacuumed in ${minutes(wallMs)}: ${gibibytes(size!.bytes)}, ` +
      `${Math.round(size!.bytes / operations)} bytes an order.`,
      `gold ledger verify found them clean in ${minutes(performance.now() - verifyMs)}, ` +
      `with ${unsealed_events} unsealed events.`,
    ],
  };
}

/** By several connections, each with partners of its own; answers how many there are. */
async function writeHistory(
  { sql, databaseUrl, firstClient }: House,
  orders: number,
  tell: (text: string) => void,
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
          tell(
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

/** Where a house keeps its books. */
export function requireSpace(orders: number): void {
  const [dir, bytes] = [tmpdir(), orders * BYTES_AN_ORDER];
  const { bavail, bsize } = statfsSync(dir);
  if (bavail * bsize >= bytes) return;
  throw new Error(
    `${dir} has ${gibibytes(bavail * bsize)} left and the full books take up to ${
      gibibytes(bytes)
    }: make room, name another place by TMPDIR, or ask for fewer with --rows N.`,
  );
}

const gibibytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
const minutes = (ms: number) => `${(ms / 60_000).toFixed(1)} minutes`;
