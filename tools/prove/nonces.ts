import process from "node:process";
import { parseArgs } from "node:util";
import { Deployment } from "./stage/deployment.ts";
import { NonceTraffic } from "./nonces/nonce_traffic.ts";
import { killAtRandom } from "./nonces/random_kills.ts";
import { readSeed } from "./stage/options.ts";
import { Report } from "./stage/report.ts";
import { compareIds, findImbalance, readIds, readOrders } from "./stage/stage.ts";

// npm run prove -- nonces [--short] [--seed N]: two processes of the service receive signed orders,
// withdrawals, probes, replays and reused nonces. Meanwhile these processes, Postgres' backends and its
// postmaster are killed at random. At the end, every accepted nonce is stored and was accepted for only one
// request.

const KILLS = { long: 50, short: 7 };
const DURATION_MS = { long: 200_000, short: 25_000 };
const TRADERS = 8;
const LANES = 2;
const INITIAL_FUNDING_SAR = "10000000";

const { values } = parseArgs({ options: { short: { type: "boolean" }, seed: { type: "string" } } });
const scale = values.short ? "short" : "long";
const seed = readSeed(values.seed);
console.log(`seed ${seed}`);
const report = new Report();
const deployment = await Deployment.start({ servers: 2, traders: TRADERS, lanes: LANES });
try {
  await deployment.fund(INITIAL_FUNDING_SAR);
  const traffic = new NonceTraffic(deployment, seed);
  const killed = await killAtRandom(deployment, {
    kills: KILLS[scale],
    durationMs: DURATION_MS[scale],
    seed,
  });
  await traffic.stop();
  const { log } = traffic;
  report.tried("every nonce is stored, and was accepted for one request", {
    what: `${[...killed].map(([name, times]) => `${name} killed ${times} times`).join(", ")}; ${log.summary}`,
    violations: [
      ...await log.findViolations(deployment.sql),
      // Each of these outcomes must occur, otherwise the proof tested nothing.
      ...["none", "replayed", "nonce_reused", "idempotency_key_conflict", "not_found"]
        .filter((ending) => log.count(ending) === 0).map((ending) => `no request ended with ${ending}`),
    ],
  });
  const [orders, withdrawals] = [traffic.acceptedIds("order_id"), traffic.acceptedIds("withdrawal_id")];
  report.tried("the accepted requests are exactly the executed requests", {
    what: `${orders.length} orders and ${withdrawals.length} withdrawals`,
    violations: [
      ...traffic.violations,
      ...compareIds("orders", orders, await readOrders(deployment)),
      ...compareIds("withdrawals", withdrawals, await readIds(deployment.sql, "withdrawal", "wd_")),
      ...await findImbalance(deployment),
      ...await deployment.findDefects(),
    ],
  });
} finally {
  await deployment.stop();
}
process.exit(report.close("nonces") ? 0 : 1);
