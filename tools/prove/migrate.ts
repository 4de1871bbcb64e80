import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { type Checkout, checkOut } from "../testing/release/checkout.ts";
import { lastRelease } from "../testing/release/history.ts";
import { Deployment } from "./stage/deployment.ts";
import { openInboxes } from "./stage/inboxes.ts";
import { checkOrders } from "./stage/check_orders.ts";
import { Load } from "./stage/load.ts";
import { type Finding, Report } from "./stage/report.ts";
import type { Trader } from "./stage/trader.ts";

// npm run prove -- migrate [--short]: the database is migrated while partners trade, to the same version and
// from the last release. The long form also migrates a database of the last release with a million orders.
// No request fails, and Postgres sees no deadlock. During a migration, the longest
// request takes at most 1.5 s longer than otherwise. The limit is below 2 s, because an order fails when it
// has waited 2 s for a lock.

const SAME_VERSION_RUNS = { long: 10, short: 5 };
const UPGRADES = { long: 10, short: 1 };
const BUYERS = 8;
const TRADERS = 4;
/** The history before the last upgrade of the long form. */
const HISTORY = { partners: 4, ordersEach: 500, calls: 500 };
const INITIAL_FUNDING_SAR = "1000000";
const LONGER_MS_MAX = 1500;
/**
 * Number of requests before, between and after migrations. Their latency is compared with the latency of
 * requests during a migration.
 */
const REQUESTS_BETWEEN = 100;
const TIMEOUT_MS = 60_000;
/**
 * How long deliveries may take after an upgrade. If a migration changes the table of events while a worker of
 * the last release reads it, that worker pauses the endpoints of that read for 60 s.
 */
const UPGRADE_DELIVERY_MS = 90_000;

const scale = process.argv.includes("--short") ? "short" : "long";
const report = new Report();
const release = lastRelease();
const checkout = await checkOut(release.commit);
try {
  const same = `migration to the same version, ${SAME_VERSION_RUNS[scale]} times`;
  report.tried(same, await migrateUnderLoad(SAME_VERSION_RUNS[scale]));
  for (let n = 1; n <= UPGRADES[scale]; n++) {
    report.tried(`migration from ${release.version}, run ${n}`, await migrateUnderLoad(1, checkout));
  }
  if (scale === "long") {
    const orders = HISTORY.partners * HISTORY.ordersEach * HISTORY.calls;
    report.tried(
      `migration from ${release.version} with ${orders.toLocaleString("en-US")} orders`,
      await migrateUnderLoad(1, checkout, true),
    );
  }
} finally {
  await checkout.remove();
}
process.exit(report.close("migrate") ? 0 : 1);

async function migrateUnderLoad(
  times: number,
  installed?: Checkout,
  withHistory = false,
): Promise<Finding> {
  const deployment = await Deployment.start({
    servers: 2,
    traders: TRADERS + (withHistory ? HISTORY.partners : 0),
    lanes: 2,
    ...(installed ? { root: installed.root } : {}),
  });
  try {
    const traders = deployment.traders.slice(0, TRADERS);
    const inboxes = await openInboxes(deployment, traders);
    await deployment.fund(INITIAL_FUNDING_SAR);
    const history = installed && withHistory ? await writeHistory(deployment, installed) : [];
    const load = new Load({ servers: deployment.servers, traders }, BUYERS);
    const migrations: { readonly fromMs: number; readonly toMs: number }[] = [];
    await untilObserved(load, REQUESTS_BETWEEN);
    for (let n = 1; n <= times; n++) {
      const fromMs = performance.now();
      await deployment.migrate();
      migrations.push({ fromMs, toMs: performance.now() });
      await untilObserved(load, load.observed.length + REQUESTS_BETWEEN);
    }
    await load.stop();
    return await check(
      deployment,
      load,
      migrations,
      await checkOrders(
        deployment,
        [...history, ...load.acknowledged],
        inboxes,
        installed && { timeoutMs: UPGRADE_DELIVERY_MS },
      ),
    );
  } finally {
    await deployment.stop();
  }
}

/**
 * Writes orders of the last partners, which do not trade otherwise, with the release's own tables and
 * functions. Returns the ids of the orders.
 */
async function writeHistory(
  { sql, traders }: Deployment,
  { root }: Checkout,
): Promise<string[]> {
  await sql.unsafe("create schema peer");
  const folder = ["tools/bench", "bench"].find((one) => existsSync(join(root, one)))!;
  await sql.unsafe(readFileSync(join(root, folder, "orders/preload.sql"), "utf8"));
  const { partners, ordersEach, calls } = HISTORY;
  const [{ client }] = traders.slice(-partners) as [Trader];
  // Without an endpoint, the events of the history are not sent.
  await sql`update gold.partner set webhook_url = null where id >= ${client}`;
  for (const table of ["retry", "endpoint"]) {
    await sql`delete from ${sql(`gold.${table}`)} where client_id >= ${client}`;
  }
  for (let call = 1; call <= calls; call++) {
    await sql`select peer.preload(${client}, ${partners}, ${ordersEach})`;
  }
  await sql.unsafe("vacuum analyze");
  const rows = await sql<{ id: string }[]>`select 'ord_' || id::text as id from gold.orders`;
  return rows.map(({ id }) => id);
}

async function check(
  { sql }: Deployment,
  { observed, unanswered }: Load,
  migrations: readonly { readonly fromMs: number; readonly toMs: number }[],
  books: Finding,
): Promise<Finding> {
  const longest = (during: boolean) =>
    Math.round(Math.max(
      0,
      ...observed
        .filter(({ sentAtMs, answeredAtMs }) =>
          during === migrations.some(({ fromMs, toMs }) => sentAtMs < toMs && answeredAtMs > fromMs)
        )
        .map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs),
    ));
  const [duringMs, otherwiseMs] = [longest(true), longest(false)];
  const [row] = await sql`select deadlocks::int from pg_stat_database where datname = current_database()`;
  const failures = observed.filter(({ verdict }) => verdict !== "201").map(({ verdict }) =>
    `answered ${verdict}`
  );
  return {
    what:
      `${observed.length} requests, ${failures.length} failed; the longest took ${duringMs} ms during a migration, ` +
      `${otherwiseMs} ms otherwise; ${row!.deadlocks} deadlocks; ${books.what}`,
    violations: [
      ...failures,
      ...unanswered,
      ...(row!.deadlocks === 0 ? [] : [`${row!.deadlocks} deadlocks`]),
      ...(duringMs <= otherwiseMs + LONGER_MS_MAX
        ? []
        : [`a request took ${duringMs} ms during a migration`]),
      ...books.violations,
    ],
  };
}

async function untilObserved({ observed }: Load, count: number): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (observed.length < count) {
    if (performance.now() > deadline) {
      throw new Error(`Only ${observed.length} of ${count} requests were answered in time.`);
    }
    await sleep(10);
  }
}
