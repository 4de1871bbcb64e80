import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { Deployment } from "./stage/deployment.ts";
import { cutEnvoy } from "./drains/cut.ts";
import { MultiplexedConnection } from "./stage/multiplexed_connection.ts";
import { Traffic } from "./drains/traffic.ts";
import { EnvoyFront, SETTLE_MS } from "./stage/envoy_front.ts";
import { openInboxes } from "./stage/inboxes.ts";
import { checkOrders } from "./stage/check_orders.ts";
import { openTlsPool, type PartnerConnection, readIdentity } from "./stage/partner_connection.ts";
import { Report } from "./stage/report.ts";
import type { ServerProcess } from "./stage/server_process.ts";
import type { Trader } from "./stage/trader.ts";

// npm run prove -- drains [--short]: Envoys and processes of the service are drained and replaced under load.
// No request is lost, and every order's event reaches its partner once.

const DRAINS_EACH = { long: 10, short: 2 };
/**
 * The number of requests that must be sent during drains. A slow machine sends fewer requests per drain, so
 * the proof then drains more often.
 */
const REQUESTS = { long: 20_000, short: 2_000 };
/**
 * How long a process continues to serve while it drains. Longer than Envoy takes to notice that a process is
 * not ready.
 */
const DRAIN_SECONDS = 3;
const INITIAL_FUNDING_SAR = "10000000";
/**
 * How long a receiver waits before it answers. Long enough that a webhook is always in flight, and short
 * enough that deliveries keep up with the orders.
 */
const RECEIVER_MS = 180;
const SHOWN = 10;

const scale = process.argv.includes("--short") ? "short" : "long";
const report = new Report();
const deployment = await Deployment.start({ servers: 2, traders: 1, lanes: 2, drainSeconds: DRAIN_SECONDS });
try {
  const front = await EnvoyFront.open(deployment);
  const inboxes = await openInboxes(deployment);
  for (const inbox of inboxes) inbox.delayMs = RECEIVER_MS;
  const trader = deployment.traders[0]!;
  await deployment.fund(INITIAL_FUNDING_SAR);
  const identity = await readIdentity(trader.credentials);
  const multiplexed = new MultiplexedConnection(deployment.port, identity);
  const connections = [openTlsPool(deployment.port, identity), multiplexed];
  const traffic = new Traffic(trader, connections);
  const during = async (name: string, act: () => Promise<void>) => {
    const [startMs, before] = [performance.now(), traffic.count];
    await act();
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    const failures = traffic.takeFailures();
    report.tried(name, {
      what: `${traffic.count - before} requests within ${seconds} s, ${failures.length} failed`,
      violations: failures,
    });
  };
  let inFlight = 0;
  for (let n = 1; n <= DRAINS_EACH[scale] || traffic.count < REQUESTS[scale]; n++) {
    await renewToken(trader, connections[0]!);
    await during(`Envoy ${n} drained and replaced by Envoy ${n + 1}`, () => replaceEnvoy(front));
    const server = deployment.servers[n % deployment.servers.length]!;
    await during(`${server.name} drained and started again`, async () => {
      inFlight += await server.countInFlight() || 0;
      await restart(server);
    });
  }
  await during("the last requests", () => traffic.stop());
  for (const connection of connections) connection.close();
  const opened = connections.map((connection) => connection.opened);
  console.log(
    `  ${traffic.count} requests over ${opened[0]} connections with HTTP/1.1 and ${opened[1]} with HTTP/2; ` +
      `${multiplexed.moved} HTTP/2 requests got a GOAWAY before they began and used the next connection`,
  );
  const books = await checkOrders(deployment, traffic.accepted, inboxes);
  report.tried("the books", {
    what: `${books.what}; ${inFlight} webhooks were in flight when their process got the signal to stop`,
    violations: inFlight > 0
      ? books.violations
      : [...books.violations, "no webhook was in flight at any restart"],
  });
  for (const trouble of (await front.findTroubles()).slice(0, SHOWN)) console.log(`    ${trouble}`);
  report.tried("orders held while Envoy drains", await cutEnvoy(deployment, front, "drain"));
  report.tried(
    "orders held while Envoy stops without a drain",
    await cutEnvoy(deployment, front, "no drain"),
  );
} finally {
  await deployment.stop();
}
process.exit(report.close("drains") ? 0 : 1);

/** Gets a new token, because a token lives for ten minutes and this proof may last longer. */
async function renewToken(trader: Trader, connection: PartnerConnection): Promise<void> {
  trader.takeToken(await connection.send(trader.tokenRequest()));
}

/**
 * Starts the new Envoy first, on the same port. Then the old Envoy asks its clients to close their
 * connections, and ends.
 */
async function replaceEnvoy(front: EnvoyFront): Promise<void> {
  const before = await front.start();
  await before!.drain();
  await before!.stop();
}

async function restart(server: ServerProcess): Promise<void> {
  await server.stop();
  await server.start();
  await sleep(SETTLE_MS);
}
