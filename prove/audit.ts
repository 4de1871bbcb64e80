import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { auditBooks, type AuditReport, withSnapshot } from "@gold-partner/audit";
import { type TestBooks, testBooks } from "@gold-partner/server/testing";
import { Report } from "./report.ts";
import { residentMebibytes } from "./resident_memory.ts";

// npm run prove -- audit [--short]: fills the books with orders, audits them, edits one row and audits them
// again.

const short = process.argv.includes("--short");
const ORDERS = short ? 50_000 : 1_000_000;
const PARTNERS = 500;
const ORDERS_PER_CALL = 100;
/** Two cores for 5 minutes, for a million orders. CPU time does not depend on other load. */
const CPU_MAX_US = 600;
const DURATION_MAX_MS = 300_000;
const MEMORY_MAX_MIB = 512;
const SAMPLE_MS = 250;
/**
 * Rules that the history breaks, because it is written as rows: no operator command created the partners, and
 * the quotes and orders name no price and no list of bars.
 */
const FIXTURE_RULES = [
  "registry_is_noted",
  "change_has_event",
  "credential_has_event",
  "quote_has_price",
  "order_names_list",
];

const report = new Report((line) => console.log(line));
const books = await testBooks();
try {
  await fill(books);
  const first = await measure(books);
  const cpuUs = first.cpuMs * 1000 / ORDERS;
  const seconds = (first.wallMs / 1000).toFixed(1);
  report.tried("the audit is fast and small", {
    what:
      `${first.report.records} records in ${seconds} s, ${Math.round(cpuUs)} µs of CPU per order in the ` +
      `audit's two processes and Postgres, ${first.memoryMiB} MiB`,
    violations: [
      ...(first.report.records >= ORDERS ? [] : [`only ${first.report.records} records were read`]),
      ...(cpuUs <= CPU_MAX_US ? [] : [`more than ${CPU_MAX_US} µs of CPU per order`]),
      ...(short || first.wallMs <= DURATION_MAX_MS ? [] : [`more than ${DURATION_MAX_MS / 1000} s`]),
      ...(first.memoryMiB <= MEMORY_MAX_MIB ? [] : [`more than ${MEMORY_MAX_MIB} MiB`]),
      ...[...first.report.counts].filter(([rule]) => !FIXTURE_RULES.includes(rule))
        .map(([rule, count]) => `${rule}: ${count} findings in books that nobody edited`),
    ],
  });
  const edited = await editOne(books);
  const { report: second } = await measure(books);
  report.tried("an edited row is found", {
    what: `the edited transfer of ${edited}`,
    violations: second.findings.some(({ rule, row }) => rule === "balance_follows" && row.startsWith(edited))
      ? []
      : [`no finding of balance_follows names ${edited}`],
  });
} finally {
  await books.stop();
}
process.exit(report.close("audit") ? 0 : 1);

async function fill({ sql, addBar, createClient }: TestBooks): Promise<void> {
  for (const file of ["peers/book_orders_schema.sql", "orders/preload.sql"]) {
    await sql.unsafe(readFileSync(new URL(`../bench/${file}`, import.meta.url), "utf8"));
  }
  await addBar(10_000_000_000n);
  const first = await createClient({ halalas: 100_000_000n });
  for (let count = 1; count < PARTNERS; count++) await createClient({ halalas: 100_000_000n });
  for (let written = 0; written < ORDERS; written += PARTNERS * ORDERS_PER_CALL) {
    await sql`select peer.preload(${first}, ${PARTNERS}, ${ORDERS_PER_CALL})`;
  }
  // The history has neither the replies to quotes nor the requests of nonces.
  await sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`truncate gold.nonce`;
    await transaction`
      insert into gold.nonce select bucket, client_id, gen_random_uuid(), request_id from gold.idempotency_key
      where result_kind = 'order'`;
    await transaction`update gold.quote set key = 'q' || id`;
    await transaction`
      insert into gold.idempotency_key (bucket, client_id, status, key, fingerprint, request_id, result_id, created_at, result_kind, body)
      select bucket, client_id, 201, 'q' || id, '\\x0b', gen_random_uuid(), id, created_at, 'quote', gold.quote_text(q, 'open')
      from gold.quote q`;
  });
  await sql.unsafe("vacuum analyze");
}

/** Audits the rows, and ends when the audit's processes have ended. The catalog is not the release's, because it has the functions that wrote the history. */
async function measure({ url, sql }: TestBooks) {
  const [server] = await sql`select split_part(pg_read_file('postmaster.pid'), E'\n', 1)::int as pid`;
  const postgres: number = server!.pid;
  const cpuMs = () => endedCpuMs(process.pid) + endedCpuMs(postgres);
  const [startMs, startCpuMs] = [performance.now(), cpuMs()];
  let memoryMiB = 0;
  const sampler = setInterval(() => {
    memoryMiB = Math.max(memoryMiB, auditMebibytes(postgres));
  }, SAMPLE_MS);
  try {
    const report: AuditReport = await withSnapshot(
      url,
      (sql) => auditBooks(sql, { url, rowsOnly: true, progress: (text) => console.log(`  ${text}`) }),
    );
    return { report, memoryMiB, wallMs: performance.now() - startMs, cpuMs: cpuMs() - startCpuMs };
  } finally {
    clearInterval(sampler);
  }
}

/** The CPU time of a process and of its children that have ended. The clock ticks 100 times a second. */
function endedCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(11, 15);
  return ticks.reduce((sum, each) => sum + Number(each), 0) * 10;
}

/** Each thread lists the children that it started. */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number)
  );
}

/** The memory of this process and of the audit's second process. */
function auditMebibytes(postgres: number): number {
  const children = childrenOf(process.pid).filter((pid) => pid !== postgres);
  return [process.pid, ...children].reduce((sum, pid) => {
    try {
      return sum + residentMebibytes(pid);
    } catch {
      return sum; // The process has just ended.
    }
  }, 0);
}

/** Changes a balance in the middle of the history, past every trigger. Returns the record's name. */
async function editOne({ sql }: TestBooks): Promise<string> {
  const [row] = await sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    return await transaction`
      update gold.transfer set sar_available_after = sar_available_after + 1
      where leg = 1 and sequence = 50 and client_id = (select max(id) - ${PARTNERS / 2} from gold.partner)
      returning client_id, sequence::text`;
  });
  return `client ${row!.client_id} sequence ${row!.sequence}`;
}
