import { until } from "../../testing/until.ts";
import type { Deployment } from "../stage/deployment.ts";
import type { Load } from "../stage/load.ts";
import type { Finding } from "../stage/report.ts";
import { ask } from "../stage/trader.ts";
import { verdictOf } from "../stage/wire.ts";

const REFUSED = "503 service_unavailable";
/** HEADS_FILE can lack the records of the last two seconds before a loss (docs/recovery.md). */
export const HEADS_MS = 2000;

/** Checks that the service refuses every write, and that partners can read. */
export async function checkRefusal(deployment: Deployment): Promise<Finding> {
  const [server, trader] = [deployment.servers[0]!, deployment.traders[0]!];
  await until(async () => await server.readGauge("gold_records_missing") === 1);
  await trader.renewToken(server.socket);
  const send = async (request: Uint8Array) => verdictOf(await ask(server.socket, request));
  const verdicts = {
    quote: await send(trader.quote("buy", "0.01")),
    order: await send(await trader.order(`qt_${crypto.randomUUID()}`)),
    funding: await send(trader.fund("1")),
    health: await send(trader.read("/health")),
    balances: await send(trader.read("/v1/balances")),
  };
  const { balances, ...refused } = verdicts;
  return {
    what: Object.entries(verdicts).map(([name, verdict]) => `${name} ${verdict}`).join(", "),
    violations: [
      ...Object.entries(refused).filter(([, verdict]) => verdict !== REFUSED).map(([name, verdict]) =>
        `${name} got ${verdict}`
      ),
      ...(balances === "200" ? [] : [`balances got ${balances}`]),
    ],
  };
}

/**
 * One person proposes to accept the loss, which changes nothing. Then another person approves it, and the
 * service writes again. The proposal must name exactly the lost orders: HEADS_FILE has all of them, because
 * the load ended at least HEADS_MS before the loss.
 */
export async function acceptByTwo(
  deployment: Deployment,
  headsFile: string,
  { acknowledged }: Load,
): Promise<Finding> {
  const [server, trader] = [deployment.servers[0]!, deployment.traders[0]!];
  const [first, second] = deployment.operators.people;
  const violations: string[] = [];
  const fails = (call: Promise<unknown>) => call.then(() => false, () => true);
  if (!await fails(first("recovery show --heads", headsFile))) violations.push("recovery show found no loss");
  const proposal = await first("recovery accept --heads", headsFile);
  if (proposal.proposal_id === undefined) violations.push("one person accepted the loss");
  const approve = `proposal approve ${proposal.proposal_id} --sha256 ${proposal.sha256}`;
  if (!await fails(first(approve))) violations.push("the proposer approved the loss");
  const verdict = verdictOf(await ask(server.socket, trader.quote("buy", "0.01")));
  if (verdict !== REFUSED) violations.push(`a quote got ${verdict} before the approval`);
  await second(approve);
  await server.heal();
  const [row] = await deployment.inNewSession((sql) =>
    sql`
      select detail -> 'losses' as losses, (select count(*)::int from gold.orders) as orders
      from gold.audit where action = 'recovery.accept'`
  );
  const partners = (row!.losses as { client_id: string; first: string; last: string }[])
    .filter(({ client_id }) => client_id !== "audit");
  const events = partners.reduce((sum, { first, last }) => sum + Number(last) - Number(first) + 1, 0);
  const orders = acknowledged.length - row!.orders;
  if (events !== orders || orders === 0) {
    violations.push(`${events} events were accepted as lost, but ${orders} orders are lost`);
  }
  return { what: `${events} events of ${partners.length} partners; ${orders} orders are lost`, violations };
}
