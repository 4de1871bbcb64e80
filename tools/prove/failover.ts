import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { prepareAudit } from "./audit/check_audit.ts";
import { randomFrom } from "../testing/random.ts";
import { Deployment } from "./stage/deployment.ts";
import { drawRounds, FAULTS } from "./failover/faults.ts";
import { PatroniCluster } from "./failover/patroni_cluster.ts";
import { checkBooks, playRound } from "./failover/round.ts";
import { readSeed } from "./stage/options.ts";
import { Report } from "./stage/report.ts";
import { alternateStripes } from "./stage/stripes.ts";

// npm run prove -- failover [--short] [--seed N]: three nodes of Patroni with the settings of deploy/patroni,
// an etcd, and the service with HA=on. The vault's gold is in two stripes and in one in turns. Nodes are
// killed and frozen while 16 signed orders are in flight. No acknowledged order is lost, the service's file
// of heads shows no missing record, and each order gets its outcome with its key. Orders are executed again
// within 5 s after a crash of Postgres, and within 30 s after the loss of a machine. A short run only prints
// these times, because it also runs on busy machines.

const TRADERS = 8;
const LANES = 2;
const INITIAL_FUNDING_SAR = "10000000";
/** So much gold that the orders of all rounds can be executed. */
const BAR_GROSS_GRAMS = "400000";

const { values } = parseArgs({ options: { short: { type: "boolean" }, seed: { type: "string" } } });
const scale = values.short ? "short" : "long";
const seed = readSeed(values.seed);
console.log(`seed ${seed}`);
const report = new Report();
const cluster = await PatroniCluster.start();
const folder = await mkdtemp(join(tmpdir(), "gold-failover-"));
try {
  const deployment = await Deployment.start({
    servers: 1,
    traders: TRADERS,
    lanes: LANES,
    settings: { HA: "on", HEADS_FILE: join(folder, "heads.json") },
    startDatabase: (state) => cluster.createDatabase(state),
  });
  try {
    await endow(deployment);
    const audit = await prepareAudit(deployment);
    const setStripes = alternateStripes(deployment, LANES);
    const acknowledged: string[] = [];
    const pauses = new Map<string, number[]>();
    for (const fault of drawRounds(scale, randomFrom(seed))) {
      await setStripes();
      const round = await playRound(fault, deployment, cluster, scale === "long");
      acknowledged.push(...round.acknowledged);
      pauses.set(fault.name, [...pauses.get(fault.name) ?? [], round.pauseMs]);
      const books = await checkBooks(acknowledged, deployment);
      report.tried(fault.name, { ...round, violations: [...round.violations, ...books.violations] });
    }
    report.tried("all orders", await checkBooks(acknowledged, deployment));
    await deployment.operator("ledger verify");
    report.tried("gold audit full", await audit());
    for (const { name } of FAULTS) {
      const each = pauses.get(name)?.map((ms) => ms / 1000).sort((one, other) => one - other);
      if (each) console.log(`${name}: no order for ${each[0]!.toFixed(1)} to ${each.at(-1)!.toFixed(1)} s`);
    }
  } finally {
    await deployment.stop();
  }
} finally {
  await cluster.stop();
  await rm(folder, { recursive: true });
}
process.exit(report.close("failover") ? 0 : 1);

async function endow(deployment: Deployment): Promise<void> {
  await deployment.operator(
    `vault add --serial SECOND --gross ${BAR_GROSS_GRAMS} --fineness 999.9 --vault Riyadh`,
  );
  await deployment.fund(INITIAL_FUNDING_SAR);
}
