import process from "node:process";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { type TestPartner, type TestService, testService } from "@gold-partner/server/testing";
import { type Finding, Report } from "./stage/report.ts";
import { until } from "../testing/until.ts";
import { missingFrom, readOrders } from "./stage/stage.ts";
import { askHealth, askQuote, untilHealth } from "./standby/asking.ts";
import { DebianPostgres, makeServerFolder } from "../testing/debian_postgres.ts";
import { fillDisk } from "./standby/full_disk.ts";
import { type Answer, OrderStream } from "./standby/order_stream.ts";

// npm run prove -- standby [--short]: the service with HA=on, with a real primary and a real synchronous
// standby. While no standby confirms commits, no write is acknowledged and reads continue. After the
// promotion, the standby has every acknowledged order. /health is 503 on a read-only database and on a full
// disk.

const ROUNDS = process.argv.includes("--short") ? 1 : 5;
const ACKNOWLEDGED_WITHIN_MS = 2000;
const STANDBY_NAMES = "standby";

const report = new Report();
const folder = makeServerFolder();
let primary: DebianPostgres | undefined;
let standby: DebianPostgres | undefined;
let service: TestService | undefined;
let root: Sql | undefined;
let bystander: TestPartner;
try {
  report.tried("disk full", await fillDisk());
  primary = await DebianPostgres.create(folder);
  standby = await primary.createStandby(folder);
  process.env.TEST_POSTGRES_URL = primary.url();
  root = postgres(primary.url(), { max: 2, onnotice: () => {} });
  // The service's logins, with a password. The migration gives them their rights.
  const { password } = new URL(primary.url());
  for (const login of ["gold_api", "gold_delivery", "gold_ticker"]) {
    await root.unsafe(`create role ${login} login password '${password}'`);
  }
  await nameStandbys(STANDBY_NAMES);
  await until(isStreaming);
  service = await testService({ standby: true });
  await service.books.addBar(100_000_000n);
  await service.send("/sandbox/fund", { body: '{"amount_sar":1000000}' });
  bystander = await service.addPartner();
  const orders = new OrderStream(service);
  for (let round = 1; round <= ROUNDS; round++) {
    report.tried("standby stopped", await stopStandby(orders, service, standby));
    report.tried(
      "wait for the standby cancelled",
      await cutWaits(orders, service, standby, "pg_cancel_backend"),
    );
    report.tried(
      "connection terminated while it waits for the standby",
      await cutWaits(orders, service, standby, "pg_terminate_backend"),
    );
    report.tried("synchronous_standby_names emptied", await emptyNames(orders, service));
    report.tried("database read-only", await makeReadOnly(service));
  }
  report.tried("primary crashed, standby promoted", await promote(orders, primary, standby, service));
} finally {
  await root?.end({ timeout: 1 });
  await primary?.crash();
  await standby?.crash();
  await service?.stop().catch(() => {});
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(report.close("standby") ? 0 : 1);

async function nameStandbys(names: string): Promise<void> {
  await root!.unsafe(`alter system set synchronous_standby_names = '${names}'`);
  await root!`select pg_reload_conf()`;
}

async function isStreaming(): Promise<boolean> {
  const rows = await root!`select from pg_stat_replication where state = 'streaming' and sync_state = 'sync'`;
  return rows.length === 1;
}

/** Checks that every write fails and every read succeeds while writes are refused. */
async function checkRefusals(orders: OrderStream, of: TestService, known: Answer): Promise<string[]> {
  const violations: string[] = [];
  const refused = await orders.order();
  if (refused.status !== 503 || refused.code !== "service_unavailable" || refused.retryAfter === null) {
    violations.push(
      `an order got ${refused.status} ${refused.code}, Retry-After ${refused.retryAfter}`,
    );
  }
  // Read as another partner, because an order that waits for the standby blocks reads of its own account.
  for (const path of ["/v1/balances", "/v1/statement?from=2026-01-01&to=2026-01-02"]) {
    const { status } = await of.send(path, { method: "GET", partner: bystander });
    if (status !== 200) violations.push(`GET ${path} returned ${status}`);
  }
  const reads = [
    `/v1/orders/${known.orderId}`,
    `/v1/orders?idempotency_key=${known.key}`,
    "/v1/prices",
    "/v1/limits",
    "/v1/reserves",
  ];
  for (const path of reads) {
    const { status } = await of.send(path, { method: "GET" });
    if (status !== 200) violations.push(`GET ${path} returned ${status}`);
  }
  return violations;
}

function acknowledgedAfter(answers: readonly Answer[], sinceMs: number): string[] {
  return answers.filter(({ orderId, answeredMs }) => orderId !== undefined && answeredMs > sinceMs)
    .map(({ status, answeredMs }) =>
      `an order was acknowledged with ${status}, ${Math.round(answeredMs - sinceMs)} ms after the limit`
    );
}

async function recover(
  orders: OrderStream,
  of: TestService,
  doubtful: readonly Answer[],
): Promise<string[]> {
  await untilHealth(of, 200);
  const settled = await Promise.all(doubtful.map((answer) => orders.order(answer)));
  return settled.filter(({ status }) => status >= 300).map(({ status, code }) =>
    `a retry of an order with unknown outcome got ${status} ${code} after the standby was back`
  );
}

/**
 * Stops the standby and sends four orders at once. None may be acknowledged later than 2 s after the stop.
 */
async function stopStandby(orders: OrderStream, of: TestService, standby: DebianPostgres): Promise<Finding> {
  await orders.prepare(20);
  const known = await orders.order();
  const violations: string[] = known.status === 201
    ? []
    : [`an order before the failure got ${known.status}`];
  await standby.crash();
  const stoppedMs = performance.now();
  const [from, waiting] = [orders.answers.length, Array.from({ length: 4 }, () => orders.order())];
  await untilHealth(of, 503);
  const refusedMs = performance.now() - stoppedMs;
  violations.push(...await checkRefusals(orders, of, known));
  const doubtful = await Promise.all(waiting);
  violations.push(...acknowledgedAfter(orders.answers.slice(from), stoppedMs + ACKNOWLEDGED_WITHIN_MS));
  await standby.start();
  violations.push(...await recover(orders, of, doubtful));
  const words = doubtful.map(({ status, code }) => `${status} ${code ?? ""}`);
  return {
    what: `/health 503 after ${Math.round(refusedMs)} ms; in flight: ${words.join(", ")}`,
    violations,
  };
}

/**
 * Cancels the wait for the standby as an operator or a driver does. The order is then committed on the
 * primary only.
 */
async function cutWaits(
  orders: OrderStream,
  of: TestService,
  standby: DebianPostgres,
  by: "pg_cancel_backend" | "pg_terminate_backend",
): Promise<Finding> {
  await until(isStreaming);
  await orders.prepare(8);
  await standby.crash();
  const waiting = [orders.order(), orders.order()];
  let cut = 0;
  await until(async () => {
    const rows = await root!`
      select pid from pg_stat_activity where wait_event = 'SyncRep' and query like '%book_orders%'`;
    for (const { pid } of rows) {
      await root!.unsafe(`select ${by}(${pid})`);
      cut++;
    }
    return cut > 0;
  });
  const answers = await Promise.all(waiting);
  const violations = answers.filter(({ orderId }) => orderId !== undefined).map(({ status }) =>
    `an order whose wait was cancelled got ${status}`
  );
  if (!answers.some(({ status, code }) => status === 504 && code === "upstream_timeout")) {
    violations.push("no order got 504 upstream_timeout");
  }
  // Retry with the same keys while the standby is stopped. The retry must not succeed yet, because the order
  // is committed on the primary only.
  const again = await Promise.all(answers.map((answer) => orders.order(answer)));
  violations.push(
    ...again.filter(({ status }) => status < 300).map(({ status }) =>
      `a retry with the same key got ${status} without the standby`
    ),
  );
  await standby.start();
  violations.push(...await recover(orders, of, answers));
  return {
    what: `${cut} waits cancelled; replies ${answers.map(({ status }) => status).join(", ")}`,
    violations,
  };
}

async function emptyNames(orders: OrderStream, of: TestService): Promise<Finding> {
  await until(isStreaming);
  await orders.prepare(60);
  const known = await orders.order();
  const from = orders.answers.length;
  await nameStandbys("");
  const emptiedMs = performance.now();
  while (performance.now() - emptiedMs < 2 * ACKNOWLEDGED_WITHIN_MS) {
    await orders.order();
    await sleep(100);
  }
  const violations = acknowledgedAfter(orders.answers.slice(from), emptiedMs + ACKNOWLEDGED_WITHIN_MS);
  if (await askHealth(of) !== 503) violations.push("/health is not 503");
  violations.push(...await checkRefusals(orders, of, known));
  const acknowledged = orders.answers.slice(from).filter(({ orderId }) => orderId !== undefined).length;
  await nameStandbys(STANDBY_NAMES);
  await untilHealth(of, 200);
  return { what: `${acknowledged} orders acknowledged before the service noticed`, violations };
}

async function makeReadOnly(of: TestService): Promise<Finding> {
  const set = async (value: string) => {
    await root!.unsafe(`alter system set default_transaction_read_only = ${value}`);
    await root!`select pg_reload_conf()`;
  };
  await set("on");
  await untilHealth(of, 503);
  const status = await askQuote(of);
  // Set this session to read-write. The new default made it read-only, too.
  await root!.unsafe("set default_transaction_read_only = off");
  await set("off");
  await untilHealth(of, 200);
  const violations = status === 503 ? [] : [`a quote got ${status}`];
  return { what: `a quote got ${status}`, violations };
}

async function promote(
  orders: OrderStream,
  primary: DebianPostgres,
  standby: DebianPostgres,
  of: TestService,
): Promise<Finding> {
  await until(isStreaming);
  await orders.prepare(40);
  const last = Array.from({ length: 40 }, () => orders.order().catch(() => undefined));
  await Promise.race(last);
  await primary.crash();
  await Promise.all(last);
  standby.promote();
  const database = new URL(of.books.url).pathname.slice(1);
  const sql = postgres(standby.url(database), { max: 1, onnotice: () => {} });
  try {
    const defects =
      await sql`select rule, detail from gold.verify_ledger() union all select rule, detail from gold.verify_chain()`;
    return {
      what: `${orders.acknowledged.length} orders acknowledged in total`,
      violations: [
        ...missingFrom(await readOrders({ sql }), orders.acknowledged).map((id) => `${id} is lost`),
        ...defects.map(({ rule, detail }) => `${rule}: ${detail}`),
      ],
    };
  } finally {
    await sql.end({ timeout: 1 });
  }
}
