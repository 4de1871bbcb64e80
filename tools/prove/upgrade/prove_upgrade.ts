import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Checkout } from "../../testing/release/checkout.ts";
import { until } from "../../testing/until.ts";
import { prepareAudit } from "../audit/check_audit.ts";
import { Deployment } from "../stage/deployment.ts";
import { openInboxes } from "../stage/inboxes.ts";
import { checkOrders } from "../stage/check_orders.ts";
import { compareIds, readIds } from "../stage/stage.ts";
import type { Finding } from "../stage/report.ts";
import type { ServerProcess } from "../stage/server_process.ts";
import { RollingLoad } from "./rolling_load.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Lists the migrations of a version. */
const JOURNAL = "packages/server/migrations/meta/_journal.json";
const SERVERS = 2;
const TRADERS = 4;
const LOOPS = 8;
const INITIAL_FUNDING_SAR = "1000000";
/** How long each process continues to serve after SIGTERM. */
const DRAIN_SECONDS = 1;
const LANES = 2;
/**
 * How long deliveries may take after the upgrade. If a migration changes the table of events while a worker
 * of the last release reads it, that worker pauses the endpoints of that read for 60 s.
 */
const DELIVERY_MS = 90_000;
const SETTINGS = { LANES: `${LANES}`, DRAIN_SECONDS: `${DRAIN_SECONDS}` };

type Tried = (name: string, finding: Finding) => void;

interface Scale {
  readonly phaseMs: number;
  /** The longest time that a request may take with its retries. */
  readonly limitMs: number;
}

/** Upgrades a deployment of the release in `checkout` under load, rolls it back, and upgrades it again. */
export async function proveUpgrade(
  { root }: Checkout,
  { phaseMs, limitMs }: Scale,
  tried: Tried,
): Promise<void> {
  const deployment = await Deployment.start({
    servers: SERVERS,
    traders: TRADERS,
    lanes: LANES,
    drainSeconds: DRAIN_SECONDS,
    root,
  });
  try {
    const { servers, traders } = deployment;
    const before = [...servers];
    const after: ServerProcess[] = [];
    const inboxes = await openInboxes(deployment);
    await deployment.fund(INITIAL_FUNDING_SAR);
    const load = new RollingLoad(servers, traders, LOOPS);
    // Runs one phase. At its end, exactly `serving` serve, and each of them has served requests.
    const phase = async (name: string, serving: () => readonly ServerProcess[], act: () => Promise<void>) => {
      for (const trader of traders) await trader.renewToken((await findServing(servers)).socket);
      await act();
      const replaced = load.takeTurn();
      await sleep(phaseMs);
      const settled = load.takeTurn();
      const names = serving().map((server) => server.name);
      const failures = [...replaced.failures, ...settled.failures];
      const slowestMs = Math.max(replaced.slowestMs, settled.slowestMs);
      tried(name, {
        what:
          `${replaced.requests + settled.requests} requests, ${
            replaced.retries + settled.retries
          } retried, ` +
          `${failures.length} failed, the slowest took ${(slowestMs / 1000).toFixed(1)} s; served by ${
            names.map((each) => `${each} (${settled.served.get(each) ?? 0})`).join(", ")
          }`,
        violations: [
          ...failures,
          ...(slowestMs <= limitMs ? [] : [`a request took more than ${limitMs / 1000} s`]),
          ...names.filter((each) => !settled.served.has(each)).map((each) => `${each} served no request`),
          ...[...settled.served.keys()].filter((each) => !names.includes(each)).map((each) =>
            `${each} served requests after its end`
          ),
        ],
      });
    };
    await phase("the release under load", () => before, async () => {});
    const [released, ours] = [root, ROOT].map((each) => readFileSync(join(each, JOURNAL), "utf8"));
    if (released !== ours) {
      await phase("a new process before the migration", () => before, () => startTooEarly(deployment));
    }
    await phase(
      "the migration",
      () => before,
      () => deployment.migrate("--vault-stripes", `${SERVERS * LANES}`),
    );
    let audit: Awaited<ReturnType<typeof prepareAudit>> | undefined;
    await phase("two people from now on", () => before, async () => {
      await deployment.operators.beginTwoPeople();
      audit = await prepareAudit(deployment);
      // The new processes ignore the partners of the release until two people have signed for them.
      await deployment.operator("registry adopt");
    });
    await phase("old and new processes side by side", () => [...before, ...after], async () => {
      for (const n of [1, 2]) after.push(await deployment.addServer(`new_${n}`, "all", SETTINGS));
    });
    await phase("roll forward", () => after, async () => {
      for (const server of before) await server.stop();
    });
    await phase("roll back", () => before, () => replace(after, before));
    await phase("roll forward again", () => after, () => replace(before, after));
    await load.stop();
    const last = load.takeTurn();
    tried("the last requests", {
      what: `${last.requests} requests`,
      violations: last.failures,
    });
    tried(
      "orders, events and the ledger",
      await checkOrders(deployment, load.orders, inboxes, {
        timeoutMs: DELIVERY_MS,
      }),
    );
    tried("withdrawals", await checkWithdrawals(deployment, load.withdrawals));
    tried("gold audit full", await audit!());
  } finally {
    await deployment.stop();
  }
}

/** Finds a process that is ready. On a busy machine, a probe may get no answer in time. */
function findServing(servers: readonly ServerProcess[]): Promise<ServerProcess> {
  return until(async () => {
    const ready = await Promise.all(servers.map((server) => server.isReady()));
    return servers.find((_, n) => ready[n]);
  }) as Promise<ServerProcess>;
}

/** Starts each process of `next` again, and then stops one of `last`. */
async function replace(last: readonly ServerProcess[], next: readonly ServerProcess[]): Promise<void> {
  for (const [n, server] of next.entries()) {
    await server.start();
    await last[n]!.stop();
  }
}

/** Starts a process of this version before the migration. It must end and say what to do. */
async function startTooEarly(deployment: Deployment): Promise<void> {
  const error = await deployment.addServer("early", "all", SETTINGS).then(
    () => new Error("A process of this version started before the migration."),
    (refused: Error) => refused,
  );
  if (!error.message.includes("gold db migrate")) throw error;
}

async function checkWithdrawals({ sql }: Deployment, acknowledged: readonly string[]): Promise<Finding> {
  const booked = await readIds(sql, "withdrawal", "wd_");
  return {
    what: `${acknowledged.length} withdrawals acknowledged, ${booked.length} booked`,
    violations: [
      ...(acknowledged.length > 0 ? [] : ["no withdrawal was made"]),
      ...compareIds("withdrawals", acknowledged, booked),
    ],
  };
}
