import type { Sql } from "postgres";
import type { Deployment } from "./deployment.ts";
import type { Side, Trader } from "./trader.ts";
import { acceptedOrderOf, type Reply, verdictOf, type Wire } from "./wire.ts";

/** What a race needs: warm connections, and the partners whose requests go over them. */
export interface Stage {
  readonly deployment: Deployment;
  readonly wires: readonly Wire[];
  readonly traders: readonly Trader[];
  readonly sql: Sql;
  /** The orders that were answered with success. */
  readonly accepted: Set<string>;
}

/** Sends all requests at once: every request is written before any reply is read. */
export async function sendAtOnce(
  { wires, accepted }: Stage,
  requests: readonly Uint8Array[],
): Promise<(Reply | undefined)[]> {
  const replies = await Promise.all(requests.map((request, index) => wires[index]!.send(request)));
  for (const id of replies.flatMap((reply) => acceptedOrderOf(reply) ?? [])) accepted.add(id);
  return replies;
}

/** Sends the requests that must succeed for a race to be set up. */
export async function succeed(
  stage: Stage,
  requests: readonly Uint8Array[],
): Promise<Record<string, unknown>[]> {
  const bodies: Record<string, unknown>[] = [];
  for (let from = 0; from < requests.length; from += stage.wires.length) {
    for (const reply of await sendAtOnce(stage, requests.slice(from, from + stage.wires.length))) {
      if (!reply || reply.status >= 300) throw new Error(`set-up failed: ${verdictOf(reply)} ${reply?.body}`);
      bodies.push(JSON.parse(reply.body) as Record<string, unknown>);
    }
  }
  return bodies;
}

/** Makes quotes over the same connections that the race will use, which also warms them up. */
export async function makeQuotes(
  stage: Stage,
  count: number,
  goldGrams: string,
  { side = "buy", traders = stage.traders.slice(0, 1) }: { side?: Side; traders?: readonly Trader[] } = {},
): Promise<string[]> {
  const requests = Array.from(
    { length: count },
    (_, n) => traders[n % traders.length]!.quote(side, goldGrams),
  );
  return (await succeed(stage, requests)).map(({ quote_id }) => quote_id as string);
}

async function freeTenthMilligrams({ sql }: Stage): Promise<bigint> {
  const [row] = await sql`select sum(free)::text as free from gold.vault`;
  return BigInt(row!.free as string);
}

/** Trades until exactly this much gold is free. The partner must have enough money to buy the rest. */
export async function leaveFree(stage: Stage, trader: Trader, tenthMilligrams: bigint): Promise<void> {
  const surplus = await freeTenthMilligrams(stage) - tenthMilligrams;
  if (surplus > 0n) await trade(stage, trader, "buy", surplus);
  if (surplus < 0n) await trade(stage, trader, "sell", -surplus);
}

export async function sellAll(stage: Stage, trader: Trader): Promise<string[]> {
  const [row] = await stage.sql`select gold::text from gold.account where client_id = ${trader.client}`;
  const held = BigInt(row!.gold as string);
  if (held > 0n) await trade(stage, trader, "sell", held);
  return [];
}

async function trade(stage: Stage, trader: Trader, side: Side, tenthMilligrams: bigint): Promise<void> {
  const [quote] = await makeQuotes(stage, 1, gramsText(tenthMilligrams), { side, traders: [trader] });
  await succeed(stage, [await trader.order(quote!)]);
}

export function gramsText(tenthMilligrams: bigint): string {
  return `${tenthMilligrams / 10_000n}.${`${tenthMilligrams % 10_000n}`.padStart(4, "0")}`;
}

/** Returns the ids of all executed orders. */
export const readOrders = ({ sql }: Pick<Stage, "sql">): Promise<string[]> => readIds(sql, "orders", "ord_");

export async function readIds(sql: Sql, table: string, prefix: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select ${prefix}::text || id as id from gold.${sql(table)}`;
  return rows.map(({ id }) => id);
}

/** Compares the ids that partners got with those in the books. `what` names them, such as "orders". */
export function compareIds(
  what: string,
  acknowledged: readonly string[],
  booked: readonly string[],
): string[] {
  const isDistinct = new Set(acknowledged).size === acknowledged.length;
  const [lost, unsettled] = [missingFrom(booked, acknowledged), missingFrom(acknowledged, booked)];
  return [
    ...(isDistinct ? [] : [`one id was acknowledged for two of the ${what}`]),
    ...(lost.length === 0 ? [] : [`${lost.length} acknowledged ${what} are lost, such as ${lost[0]}`]),
    ...(unsettled.length === 0
      ? []
      : [`${unsettled.length} booked ${what} were never acknowledged, such as ${unsettled[0]}`]),
  ];
}

/** Returns the wanted ids that are not among `those`. */
export function missingFrom(those: readonly string[], wanted: readonly string[]): string[] {
  const known = new Set(those);
  return [...new Set(wanted)].filter((id) => !known.has(id));
}

/**
 * Checks that gold and money add up, that no balance is negative, and that every order has its key and its
 * event.
 */
export async function findImbalance({ sql }: Pick<Stage, "sql">): Promise<string[]> {
  const [row] = await sql`
    select
      (select sum(gold) from gold.account) + (select sum(free) from gold.vault)
        - (select sum(fine) from gold.bar where removed_at is null) as gold,
      (select sum(sar_available + sar_held) from gold.account) - (select sum(amount) from gold.funding)
        + (select coalesce(sum(case side when 'buy' then total else -total end), 0) from gold.orders) as money,
      (select count(*) from gold.account where least(sar_available, sar_held, gold) < 0)
        + (select count(*) from gold.vault where free < 0) as negative,
      (select count(*) from gold.orders) - (select count(*) from gold.idempotency_key where result_kind = 'order') as unbound,
      (select count(*) from gold.orders) - (select count(*) from gold.event where type = 'order.executed') as unannounced`;
  const sentences: Record<string, string> = {
    gold: "x 0.0001 g difference between the bars and the gold of clients and vault",
    money: "halalas difference between the accounts and their fundings and orders",
    negative: "balances are negative",
    unbound: "orders without an idempotency key, or keys without their order",
    unannounced: "orders without an event, or events without their order",
  };
  return Object.entries(sentences).flatMap(([name, sentence]) =>
    Number(row![name]) === 0 ? [] : [`${row![name]} ${sentence}`]
  );
}
