import process from "node:process";
import { Deployment } from "./deployment.ts";
import { killAt } from "./kill_round.ts";
import { KILL_POINTS, type KillPoint } from "./kill_points.ts";
import { endure, loseIdleConnections, OUTAGES } from "./outage.ts";
import { type Finding, Report } from "./report.ts";
import { revive } from "./revival.ts";
import { ask } from "./trader.ts";
import { type Victim, VICTIMS } from "./victims.ts";
import { verdictOf } from "./wire.ts";

// npm run prove -- kills [--short]: SIGKILL from outside at each step of the order path, then the same keys again.

const ROUNDS = 5;
const DOWN_MS = { long: 8000, short: 4000 };
const REVIVALS = { long: 5, short: 1 };
const TRADERS = 8;
const ENDOWMENT_SAR = "10000000";

const short = process.argv.includes("--short");
const report = new Report((line) => console.log(line));
// With one lane, all that comes while it is taken makes one batch.
const deployment = await Deployment.start({ servers: 2, traders: TRADERS, lanes: 1 });
try {
  await endow();
  for (const [index, point] of KILL_POINTS.entries()) {
    for (const victim of short ? [choose(index)] : VICTIMS) {
      if (point.backendless && victim.needsBackend) continue;
      await kill(point, victim, short ? 1 : ROUNDS);
    }
  }
  report.tried("connections lost while idle", await loseIdleConnections(deployment));
  for (const outage of OUTAGES) {
    await deployment.renewTokens();
    report.tried(outage.name, await endure(outage, short ? DOWN_MS.short : DOWN_MS.long, deployment));
  }
  report.tried(
    "npm start killed whole",
    await revive(deployment.port, short ? REVIVALS.short : REVIVALS.long),
  );
} finally {
  await deployment.stop();
}
process.exit(report.close("kills") ? 0 : 1);

function choose(index: number): Victim {
  return VICTIMS[index % VICTIMS.length]!;
}

async function endow(): Promise<void> {
  for (const trader of deployment.traders) {
    const reply = await ask(deployment.servers[0]!.socket, trader.fund(ENDOWMENT_SAR));
    if (reply?.status !== 201) throw new Error(`no money: ${verdictOf(reply)}`);
  }
}

async function kill(point: KillPoint, victim: Victim, rounds: number): Promise<void> {
  await deployment.renewTokens();
  const seen = new Set<string>();
  const violations: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    const result = await killAt(point, victim, deployment).catch((error: Error): Finding => ({
      what: "nothing",
      violations: [error.message],
    }));
    seen.add(result.what);
    violations.push(...result.violations.map((each) => `round ${round}: ${each}`));
  }
  const what = `in flight were answered ${[...seen].join(" / ")}`;
  report.tried(`${victim.name} killed: ${point.name}`, { what, violations });
}
