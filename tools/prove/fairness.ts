import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Attack, type AttackPlan, ATTACKS, type Tally } from "./fairness/attacker.ts";
import { Experience, Victim } from "./fairness/victim.ts";
import { Deployment } from "./stage/deployment.ts";
import { EnvoyFront } from "./stage/envoy_front.ts";
import { readIdentity } from "./stage/partner_connection.ts";
import { Report } from "./stage/report.ts";
import { ask, type Trader } from "./stage/trader.ts";
import { until } from "../testing/until.ts";
import { memberOf, type Reply, requireReply } from "./stage/wire.ts";

// npm run prove -- fairness [--short]: one partner attacks, and another one trades. Its latency must be about
// the same as while the attacker floods an Envoy and a service of its own on the same machine.

const ATTACKER = fileURLToPath(new URL("fairness/attacker.ts", import.meta.url));
const PER_SECOND = 20;
/** One side of a pair. Three requests belong to each trade, so a side has at least 2,000 samples. */
const PHASES = { long: { seconds: 6, pairs: 6 }, short: { seconds: 3, pairs: 2 } };
/** Until the attacker has opened its connections and the service has compiled the paths that it uses. */
const ATTACK_WARM_UP_MS = 1500;
const FUNDING_SAR = "1000000";
/** How many records the attacker's lists and statements have. */
const ATTACKERS_FUNDINGS = 400;
const P99_FACTOR = 1.2;
const P99_MORE_MS = 5;
const RATE_BY_ATTACK: Partial<Record<Attack, string>> = { refusals: "--rate 5/s --burst 5" };
const HIGH_RATE = "--rate 500/s --burst 500";

const { seconds, pairs } = PHASES[process.argv.includes("--short") ? "short" : "long"];
const report = new Report();
for (const processes of [1, 2]) await prove(processes);
process.exitCode = report.close("fairness") ? 0 : 1;

async function prove(processes: number): Promise<void> {
  const deployment = await Deployment.start({ servers: processes, traders: 2, lanes: 2 });
  let own: Deployment | undefined;
  try {
    own = await Deployment.start({ servers: processes, traders: 1, lanes: 2 });
    await EnvoyFront.open(deployment, { flood: "default" });
    await EnvoyFront.open(own, { flood: "default" });
    const [bank, hostile] = deployment.traders as [Trader, Trader];
    await deployment.fund(FUNDING_SAR, [bank]);
    const sides = { same: { deployment, hostile }, own: { deployment: own, hostile: own.traders[0]! } };
    for (const side of Object.values(sides)) await fillHistory(side.deployment, side.hostile);
    const victim = await Victim.open(bank, deployment.port);
    await victim.trade(2 * PER_SECOND, seconds, new Experience());
    for (const attack of ATTACKS) {
      const felt = { same: new Experience(), own: new Experience() };
      const tallies: Tally[] = [];
      for (let pair = 0; pair < pairs; pair++) {
        await bank.renewToken(deployment.servers[0]!.socket);
        for (const side of pair % 2 === 0 ? ["same", "own"] as const : ["own", "same"] as const) {
          const attacker = await startAttack(attack, sides[side].deployment, sides[side].hostile);
          await sleep(ATTACK_WARM_UP_MS);
          await victim.trade(PER_SECOND, seconds, felt[side]);
          const tally = await stopAttack(attacker);
          if (side === "same") tallies.push(tally);
        }
      }
      judge(`${attack}, ${processes} process(es)`, felt, tallies);
    }
    victim.close();
  } finally {
    await own?.stop();
    await deployment.stop();
  }
}

function judge(name: string, { same, own }: { same: Experience; own: Experience }, tallies: Tally[]): void {
  const limitMs = Math.max(own.percentile(0.99) * P99_FACTOR, own.percentile(0.99) + P99_MORE_MS);
  const ms = (experience: Experience) =>
    [0.5, 0.95, 0.99].map((share) => experience.percentile(share).toFixed(1)).join(" / ");
  report.tried(name, {
    what:
      `p50 / p95 / p99 of ${same.samples} requests ${ms(same)} ms, beside an attack elsewhere ${
        ms(own)
      } ms ` +
      `(${own.samples}); the attacker got ${tallyText(tallies)}`,
    violations: [
      ...(same.percentile(0.99) <= limitMs ? [] : [`the p99 exceeds ${limitMs.toFixed(1)} ms`]),
      ...same.refused.map((verdict) => `a request got ${verdict}`),
    ],
  });
}

function tallyText(tallies: readonly Tally[]): string {
  const sum: Tally = {};
  for (const tally of tallies) {
    for (const [status, count] of Object.entries(tally)) sum[+status] = (sum[+status] ?? 0) + count;
  }
  return Object.entries(sum).map(([status, count]) => `${count} × ${status}`).join(", ") || "no reply";
}

async function fillHistory({ servers }: Deployment, hostile: Trader): Promise<void> {
  for (let n = 0; n < ATTACKERS_FUNDINGS; n++) {
    requireReply("funding", await ask(servers[0]!.socket, hostile.fund("100")));
  }
}

async function startAttack(attack: Attack, deployment: Deployment, hostile: Trader): Promise<ChildProcess> {
  // The token comes first: the attacker's rate may be too low for it afterwards.
  await deployment.operator(`partner set ${hostile.clientId} ${HIGH_RATE}`);
  const [server] = deployment.servers;
  let reply: Reply | undefined;
  await until(async () => {
    reply = await ask(server!.socket, hostile.tokenRequest());
    return reply?.status === 200;
  });
  await deployment.operator(`partner set ${hostile.clientId} ${RATE_BY_ATTACK[attack] ?? HIGH_RATE}`);
  const child = fork(ATTACKER, { execArgv: process.execArgv });
  const plan: AttackPlan = {
    attack,
    port: deployment.port,
    identity: await readIdentity(hostile.credentials),
    token: memberOf(reply!, "access_token"),
  };
  child.send(plan);
  return child;
}

async function stopAttack(child: ChildProcess): Promise<Tally> {
  const answered = once(child, "message");
  const ended = once(child, "exit");
  child.send("stop");
  const [tally] = await answered as [Tally];
  await ended;
  return tally;
}
