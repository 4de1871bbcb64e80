import process from "node:process";
import { DELIVERY_POINTS } from "./kills/delivery_points.ts";
import { killDeliveryAt } from "./kills/delivery_round.ts";
import { Deployment } from "./stage/deployment.ts";
import { openInboxes } from "./stage/inboxes.ts";
import { checkInboxes } from "./stage/check_inboxes.ts";
import { checkOrders } from "./stage/check_orders.ts";
import { killAt, type Killed } from "./kills/kill_round.ts";
import { KILL_POINTS } from "./kills/kill_points.ts";
import { checkOutage, loseIdleConnections, OUTAGES } from "./kills/outage.ts";
import { Report } from "./stage/report.ts";
import { killAndRestart } from "./kills/revival.ts";
import { alternateStripes } from "./stage/stripes.ts";
import { VICTIMS } from "./kills/victims.ts";

// npm run prove -- kills [--short]: at each step of the order path, a process is killed with SIGKILL, and the
// orders are retried with the same keys. The same is done at each step of the delivery of the order's event.
// The event must arrive once, or twice if only the killed process knew that it had been delivered. The
// vault's gold is in two stripes, one for each process, and in one stripe in turns.

const ROUNDS = { long: 5, short: 1 };
const DOWN_MS = { long: 8000, short: 4000 };
const RESTARTS = { long: 5, short: 1 };
const TRADERS = 8;
const LANES = 1;
const STRIPES = 2;
const INITIAL_FUNDING_SAR = "10000000";

const scale = process.argv.includes("--short") ? "short" : "long";
const report = new Report();
// Allow only one batch in flight per process (LANES=1), so that all orders that arrive meanwhile form one
// batch.
const deployment = await Deployment.start({ servers: 1, traders: TRADERS, lanes: LANES });
const setStripes = alternateStripes(deployment, STRIPES);
try {
  // Let this process deliver nothing, so that all deliveries come from the first process. The proof kills the
  // first process.
  await deployment.addServer("server_2", "api", { LANES: `${LANES}`, DRAIN_SECONDS: "0" });
  const inboxes = await openInboxes(deployment);
  await deployment.fund(INITIAL_FUNDING_SAR);
  const accepted = new Set<string>();
  const kill = async (name: string, text: string, round: () => Promise<Killed>) => {
    await deployment.renewTokens();
    const seen = new Set<string>();
    const violations: string[] = [];
    for (let n = 1; n <= ROUNDS[scale]; n++) {
      const result = await setStripes().then(round).catch((error: Error): Killed => ({
        what: "nothing",
        violations: [error.message],
        accepted: [],
      }));
      seen.add(result.what);
      for (const order of result.accepted) accepted.add(order);
      violations.push(...result.violations.map((each) => `round ${n}: ${each}`));
    }
    report.tried(name, { what: `${text} ${[...seen].join(" / ")}`, violations });
  };
  for (const [index, point] of KILL_POINTS.entries()) {
    for (const victim of choose(index)) {
      if (point.backendless && victim.needsBackend) continue;
      await kill(
        `${victim.name} killed: ${point.name}`,
        "in-flight orders got",
        () => killAt(point, victim, deployment),
      );
    }
  }
  report.tried("the orders", await checkOrders(deployment, [...accepted], inboxes, { mayRepeat: true }));
  for (const [index, point] of DELIVERY_POINTS.entries()) {
    // Add 2, so that the short run kills the service at a step where only the service knows of the delivery.
    for (const victim of choose(index + 2)) {
      await kill(
        `${victim.name} killed: ${point.name}`,
        "deliveries:",
        () => killDeliveryAt(point, victim, deployment, inboxes[0]!),
      );
    }
  }
  report.tried("all orders", await checkOrders(deployment, [...accepted], inboxes, { mayRepeat: true }));
  report.tried("connections lost while idle", await loseIdleConnections(deployment));
  for (const outage of OUTAGES) {
    await deployment.renewTokens();
    report.tried(outage.name, await checkOutage(outage, DOWN_MS[scale], deployment));
  }
  report.tried(
    "events delivered during the outages",
    await checkInboxes(deployment, inboxes, { mayRepeat: true }),
  );
  report.tried("all processes of npm start killed", await killAndRestart(deployment.port, RESTARTS[scale]));
} finally {
  await deployment.stop();
}
process.exit(report.close("kills") ? 0 : 1);

/** Returns all victims. In a short run, returns only the next victim of the list. */
function choose(index: number): typeof VICTIMS {
  return scale === "short" ? [VICTIMS[index % VICTIMS.length]!] : VICTIMS;
}
