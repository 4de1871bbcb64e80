import process from "node:process";
import { Deployment } from "./stage/deployment.ts";
import { lockOneAccount, measureRefusals } from "./races/fairness.ts";
import { openGateway } from "./stage/gateway.ts";
import { openInboxes } from "./stage/inboxes.ts";
import { checkOrders } from "./stage/check_orders.ts";
import { openTlsWire, readIdentity } from "./stage/partner_connection.ts";
import { check, type Race, repeat } from "./races/race.ts";
import { REPEATED_RACES } from "./races/repeated_races.ts";
import { Report } from "./stage/report.ts";
import { SCARCE_RACES } from "./races/scarce_races.ts";
import { findImbalance, sendAtOnce, type Stage, succeed } from "./stage/stage.ts";
import { alternateStripes } from "./stage/stripes.ts";
import { addTo, tallyOf, tallyText, Wire } from "./stage/wire.ts";

// npm run prove -- races [--short]: sends a hundred requests at once, round after round, against one and two
// processes, with the vault's gold in four stripes and in one. Every order's event must reach its partner.

const REQUESTS = 100;
const ROUNDS = { long: 100, short: 5 };
const SERVERS = 2;
const TRADERS = 12;
const LANES = 2;
const INITIAL_FUNDING_SAR = "10000000";

const short = process.argv.includes("--short");
const report = new Report();
const deployment = await Deployment.start({ servers: SERVERS, traders: TRADERS, lanes: LANES });
const setStripes = alternateStripes(deployment, SERVERS * LANES);
try {
  const { traders, sql } = deployment;
  const inboxes = await openInboxes(deployment);
  const accepted = new Set<string>();
  const stageOn = (wires: readonly Wire[]): Stage => ({ deployment, wires, traders, sql, accepted });
  const checkAll = async (where: string) => {
    const { what, violations } = await checkOrders(deployment, [...accepted], inboxes);
    report.tried(`every accepted order is executed and delivered, ${where}`, {
      what: `${what}; sent ${await describeSenders()}`,
      violations,
    });
  };
  await fundPartners(stageOn(await openWires(1)));
  const rounds = short ? ROUNDS.short : ROUNDS.long;
  for (const processes of [1, 2]) {
    for (const race of [...REPEATED_RACES, ...SCARCE_RACES]) {
      await run(race, `${processes} process(es)`, rounds, async () => stageOn(await openWires(processes)));
    }
    await checkAll(`${processes} process(es)`);
  }
  await openGateway(deployment);
  const identity = await readIdentity(traders[0]!.credentials);
  const openTls = () => Promise.all(repeat(REQUESTS, () => openTlsWire(deployment.port, identity)));
  for (const race of REPEATED_RACES) {
    await run(race, "mutual TLS", 1, async () => stageOn(await openTls()));
  }
  await checkAll("mutual TLS");
  await deployment.renewTokens();
  report.tried("one partner's account is locked", await lockOneAccount(deployment));
  if (!short) report.tried("one partner's orders are all refused", await measureRefusals(deployment));
} finally {
  await deployment.stop();
}
process.exit(report.close("races") ? 0 : 1);

async function openWires(processes: number): Promise<Wire[]> {
  const sockets = deployment.servers.slice(0, processes).map(({ socket }) => socket);
  return await Promise.all(repeat(REQUESTS, (n) => Wire.open(sockets[n % sockets.length]!)));
}

/** Funds all partners but the last. */
async function fundPartners(stage: Stage): Promise<void> {
  await succeed(stage, stage.traders.slice(0, -1).map((trader) => trader.fund(INITIAL_FUNDING_SAR)));
  for (const wire of stage.wires) wire.close();
}

async function run(race: Race, where: string, rounds: number, open: () => Promise<Stage>): Promise<void> {
  await deployment.renewTokens();
  const seen = new Map<string, number>();
  const violations: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    const stage = await open();
    await setStripes();
    const prepared = await race.prepare(stage, REQUESTS);
    const [replies] = await Promise.all([sendAtOnce(stage, prepared.requests), prepared.meanwhile?.()]);
    const text = tallyText(tallyOf(replies));
    addTo(seen, text);
    const found = [
      ...check(prepared, replies),
      ...await findImbalance(stage),
      ...await prepared.after?.(replies) ?? [],
    ];
    violations.push(...found.map((each) => `round ${round}: ${each}`));
    for (const wire of stage.wires) wire.close();
  }
  violations.push(...await deployment.findDefects());
  const outcomes = [...seen].map(([text, times]) => `${times} × (${text})`);
  report.tried(`${race.name}, ${where}`, { what: summaryOf(outcomes), violations });
}

/**
 * Describes how many webhooks each process delivered. A process also delivers events of orders that other
 * processes received.
 */
async function describeSenders(): Promise<string> {
  const shares = deployment.servers.map(async (server) =>
    `${await server.countDelivered()} times by ${server.name}`
  );
  return (await Promise.all(shares)).join(", ");
}

function summaryOf(outcomes: readonly string[]): string {
  return outcomes.length <= 4
    ? outcomes.join("; ")
    : `${outcomes.length} different outcomes, for example ${outcomes[0]}`;
}
