import { rmSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { type TestBooks, testBooks, type Trader } from "@gold-partner/server/testing";
import { type AuditRun, runAudit } from "./audit/audit_command.ts";
import { createTraders, trade } from "./audit/history.ts";
import { verifyCpuUs } from "./audit/verify_rate.ts";
import { type Finding, Report } from "./stage/report.ts";
import { DebianPostgres, makeServerFolder } from "../testing/debian_postgres.ts";

// npm run prove -- audit [--short]: books signed orders through the service's functions and runs `gold audit
// full` without and with signatures. Then it edits one row, and audits a hot standby while the primary takes
// orders.

const short = process.argv.includes("--short");
const PARTNERS = 256;
/** Orders of each partner. */
const ROUNDS = short ? 80 : 4000;
const ORDERS = PARTNERS * ROUNDS;
const DURATION_MAX_MS = 300_000;
/**
 * The CPU time per order, as a multiple of the CPU time of one verification by Web Crypto on this machine.
 */
const COST_MAX_SHARE = 6;
const MEMORY_MAX_MIB = 600;
/**
 * The least rate of verified signatures, as a share of the rate of Web Crypto alone. Both are rates per
 * second of CPU. A short run has few signatures and shares the machine with other load, so it detects only
 * large losses.
 */
const VERIFY_MIN_SHARE = short ? 0.4 : 0.8;
const DRAWN = "5%";
const TRADING_PAUSE_MS = 500;

const report = new Report();
const folder = makeServerFolder();
let primary: DebianPostgres | undefined;
let standby: DebianPostgres | undefined;
let books: TestBooks | undefined;
try {
  primary = await DebianPostgres.create(folder);
  process.env.TEST_POSTGRES_URL = primary.url();
  books = await testBooks();
  const traders = await fill(books);
  await books.sql`select gold.require_two_people()`;
  const peerUs = await verifyCpuUs(ORDERS / 4);
  const plain = await runAudit(books.url, "--signatures", "none");
  report.tried("the audit without signatures is fast and small", checkCost(plain, peerUs));
  const verifying = await runAudit(books.url);
  report.tried(
    "the signatures are verified almost as fast as Web Crypto can",
    checkRate(plain, verifying, peerUs),
  );
  const edited = await editOne(books, traders[PARTNERS / 2]!);
  const onPrimary = await runAudit(books.url, "--signatures", DRAWN);
  report.tried("an edited row is found", checkEdited(onPrimary, edited));
  // The standby copies this setting. Without it, the standby may cancel the audit's snapshot.
  await books.sql`alter system set hot_standby_feedback = on`;
  standby = await primary.createStandby(folder);
  const streamed = await auditStandby(books, standby, traders, onPrimary);
  report.tried("a hot standby gives the same findings", streamed);
} finally {
  await books?.stop();
  await standby?.crash();
  await primary?.crash();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(report.close("audit") ? 0 : 1);

async function fill(books: TestBooks): Promise<Trader[]> {
  const startMs = performance.now();
  // The superuser registers the partners, so the audit must know it as an operator.
  await books.sql`select gold.note('operator.add', session_user, '{"roles": []}')`;
  await books.addBar(10_000_000_000n);
  const traders = await createTraders(books, PARTNERS);
  await trade(books, traders, ROUNDS);
  await books.sql`vacuum analyze`;
  console.log(`  booked ${ORDERS} signed orders in ${secondsOf(performance.now() - startMs)} s`);
  return traders;
}

function secondsOf(ms: number): string {
  return (ms / 1000).toFixed(1);
}

/** Violations of an audit of books that nobody edited. */
function findingsOf({ defects, items, memoryMiB }: AuditRun): string[] {
  return [
    ...(defects === 0 ? [] : [`${defects} findings, for example ${JSON.stringify(items?.[0])}`]),
    ...(memoryMiB <= MEMORY_MAX_MIB ? [] : [`more than ${MEMORY_MAX_MIB} MiB`]),
  ];
}

function checkCost(run: AuditRun, peerUs: number): Finding {
  const { records, wallMs, cpuMs, memoryMiB, progress } = run;
  const cpuUs = Math.round(cpuMs * 1000 / ORDERS);
  return {
    what: `${records} records in ${secondsOf(wallMs)} s, ${cpuUs} µs of CPU per order in the command and ` +
      `Postgres, ${(cpuUs / peerUs).toFixed(1)}x a verification by Web Crypto, ${memoryMiB} MiB`,
    violations: [
      ...findingsOf(run),
      ...(records >= ORDERS ? [] : [`only ${records} records were read`]),
      ...(cpuUs <= COST_MAX_SHARE * peerUs ? [] : [`more than ${COST_MAX_SHARE}x a verification`]),
      ...(short || wallMs <= DURATION_MAX_MS ? [] : [`more than ${DURATION_MAX_MS / 1000} s`]),
      ...(progress.includes("ranges of clients") ? [] : ["no progress was shown"]),
    ],
  };
}

function checkRate(plain: AuditRun, verifying: AuditRun, peerUs: number): Finding {
  const { verified_signatures: verified, wallMs, memoryMiB } = verifying;
  const ownUs = (verifying.cpuMs - plain.cpuMs) * 1000 / verified;
  const share = peerUs / ownUs;
  return {
    what: `${verified} signatures, ${secondsOf(wallMs)} s in total, ${memoryMiB} MiB; ` +
      `${ownUs.toFixed(1)} µs of CPU each, ${peerUs.toFixed(1)} µs in Web Crypto alone: ${
        share.toFixed(2)
      }x its rate`,
    violations: [
      ...findingsOf(verifying),
      ...(verified === ORDERS ? [] : [`${verified} of ${ORDERS} signatures were verified`]),
      ...(share >= VERIFY_MIN_SHARE ? [] : [`less than ${VERIFY_MIN_SHARE}x`]),
    ],
  };
}

/** Changes a balance in the middle of the history, past every trigger. Returns the record's name. */
async function editOne({ sql }: TestBooks, { client }: Trader): Promise<string> {
  const [row] = await sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    return await transaction`
      update gold.transfer set sar_available_after = sar_available_after + 1
      where leg = 1 and client_id = ${client} and sequence = ${ROUNDS / 2} returning sequence::text`;
  });
  return `client ${client} sequence ${row!.sequence}`;
}

function checkEdited({ defects, items, verified_signatures: verified }: AuditRun, edited: string): Finding {
  const isFound = items?.some(({ rule, row }) => rule === "balance_follows" && row.startsWith(edited));
  return {
    what: `${defects} findings of ${edited}; ${verified} signatures verified with --signatures ${DRAWN}`,
    violations: [
      ...(isFound ? [] : [`no finding of balance_follows names ${edited}`]),
      ...(verified > 0.04 * ORDERS && verified < 0.06 * ORDERS ? [] : [`not ${DRAWN} of ${ORDERS}`]),
    ],
  };
}

async function auditStandby(
  books: TestBooks,
  standby: DebianPostgres,
  traders: readonly Trader[],
  onPrimary: AuditRun,
): Promise<Finding> {
  const database = new URL(books.url).pathname.slice(1);
  const ended = new AbortController();
  const trading = tradeUntil(ended.signal, books, traders);
  const onStandby = await runAudit(standby.url(database), "--signatures", DRAWN).finally(() => ended.abort());
  const orders = await trading;
  const [expected, found] = [onPrimary, onStandby].map(({ items }) => JSON.stringify(items));
  return {
    what: `${onStandby.records} records in ${
      secondsOf(onStandby.wallMs)
    } s, while the primary booked ${orders} orders`,
    violations: [
      ...(found === expected ? [] : [`expected ${expected}; got ${found}`]),
      ...(orders > 0 ? [] : ["the primary booked no order"]),
    ],
  };
}

/** Returns the number of orders. */
async function tradeUntil(
  ended: AbortSignal,
  books: TestBooks,
  traders: readonly Trader[],
): Promise<number> {
  let orders = 0;
  for (; !ended.aborted; orders += 2 * traders.length) {
    await trade(books, traders, 2);
    await sleep(TRADING_PAUSE_MS);
  }
  return orders;
}
