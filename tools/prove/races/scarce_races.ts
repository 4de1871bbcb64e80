import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Race, repeat } from "./race.ts";
import { gramsText, leaveFree, makeQuotes, sellAll, type Stage, succeed } from "../stage/stage.ts";
import type { Trader } from "../stage/trader.ts";
import { ask } from "../stage/trader.ts";

// In some of these races, there is money or gold for only one order. In the others, a bar is removed or the
// partner is suspended while the requests arrive. The first partner can buy the whole vault. The last partner
// has no money, and the second to last has no gold. The partners in between have enough of both.

const LOT = 100n;
const LOT_GRAMS = gramsText(LOT);

function buyersOf({ traders }: Stage): readonly Trader[] {
  return traders.slice(1, -2);
}

async function ordersOf(stage: Stage, count: number, traders: readonly Trader[]): Promise<Uint8Array[]> {
  const quotes = await makeQuotes(stage, count, LOT_GRAMS, { traders });
  return await Promise.all(quotes.map((quote, n) => traders[n % traders.length]!.order(quote)));
}

const fundsForOne: Race = {
  name: "funds for one order only",
  async prepare(stage, count) {
    const unfunded = stage.traders.at(-1)!;
    const requests = await ordersOf(stage, count, [unfunded]);
    const [row] = await stage
      .sql`select total / 100.0 as sar from gold.quote where client_id = ${unfunded.client} limit 1`;
    await succeed(stage, [unfunded.fund(row!.sar as string)]);
    return { requests, allowed: [{ "201": 1, "422 insufficient_funds": count - 1 }] };
  },
};

const goldForOne: Race = {
  name: "a seller's gold for one order only",
  async prepare(stage, count) {
    const seller = stage.traders.at(-2)!;
    await succeed(stage, await ordersOf(stage, 1, [seller]));
    const quotes = await makeQuotes(stage, count, LOT_GRAMS, { side: "sell", traders: [seller] });
    const requests = await Promise.all(quotes.map((quote) => seller.order(quote)));
    return { requests, allowed: [{ "201": 1, "422 insufficient_gold": count - 1 }] };
  },
};

const vaultForOne: Race = {
  name: "gold in the vault for one order only, many partners",
  async prepare(stage, count) {
    await leaveFree(stage, stage.traders[0]!, LOT);
    await requireSpread(stage);
    return {
      requests: await ordersOf(stage, count, buyersOf(stage)),
      allowed: [{ "201": 1, "422 insufficient_inventory": count - 1 }],
      after: () => sellAll(stage, stage.traders[0]!),
    };
  },
};

/** With several stripes, the order of the race must need the gold of more than one of them. */
async function requireSpread({ sql }: Stage): Promise<void> {
  const [row] = await sql`select count(*) as stripes, max(free) as free from gold.vault`;
  if (Number(row!.stripes) > 1 && BigInt(row!.free as string) >= LOT) {
    throw new Error("One stripe of the vault has the gold for the order; the gold must be spread.");
  }
}

/**
 * The free gold covers all orders and half a bar more; without the bar, it covers half of the orders. So
 * either the bar is removed and half of the orders are filled, or the bar stays and all are filled.
 */
const barLeaves: Race = {
  name: "a bar is removed meanwhile, many partners",
  async prepare(stage, count) {
    const { deployment, sql } = stage;
    const serial = randomUUID();
    const all = LOT * BigInt(count);
    await deployment.operator(
      `vault add --serial ${serial} --gross ${gramsText(all)} --fineness 999.9 --vault Riyadh`,
    );
    const [bar] = await sql`select fine::text from gold.bar where serial = ${serial}`;
    const fine = BigInt(bar!.fine as string);
    const remove = await deployment.operators.prepareChange("vault remove", serial);
    const free = all + fine / 2n;
    await leaveFree(stage, stage.traders[0]!, free);
    const withoutBar = Number((free - fine) / LOT);
    let removed = false;
    return {
      requests: await ordersOf(stage, count, buyersOf(stage)),
      allowed: [{ "201": count }, { "201": withoutBar, "422 insufficient_inventory": count - withoutBar }],
      async meanwhile() {
        await sleep(Math.random() * 40);
        removed = await remove().then(() => true, () => false);
      },
      async after(replies) {
        await sellAll(stage, stage.traders[0]!);
        const filled = replies.filter((reply) => reply?.status === 201).length;
        return filled === (removed ? withoutBar : count)
          ? []
          : [`the bar ${removed ? "was removed" : "stayed"}, but ${filled} orders were filled`];
      },
    };
  },
};

/** Checks that no order commits after a committed suspension. */
const suspension: Race = {
  name: "the partner is suspended meanwhile",
  async prepare(stage, count) {
    const subject = stage.traders[1]!;
    const { operator, operators } = stage.deployment;
    return {
      requests: await ordersOf(stage, count, [subject]),
      allowed: repeat(count + 1, (n) => ({ "201": n, "403 partner_suspended": count - n })),
      async meanwhile() {
        await sleep(Math.random() * 40);
        await operators.sql`select gold.suspend_partner(${subject.clientId})`;
      },
      async after() {
        const [row] = await stage.sql`
          select count(*)::int as late from gold.orders o join gold.partner p on p.id = o.client_id
          where o.client_id = ${subject.client} and o.executed_at > p.suspended_at + interval '1 millisecond'`;
        await operator("partner resume", subject.clientId);
        await untilAdmitted(stage, subject);
        return row!.late === 0 ? [] : [`${row!.late} order(s) executed after the suspension`];
      },
    };
  },
};

/** Waits until each process admits the resumed partner again, which takes up to a second. */
async function untilAdmitted({ deployment }: Stage, trader: Trader): Promise<void> {
  for (const { socket } of deployment.servers) {
    while ((await ask(socket, trader.quote("buy", LOT_GRAMS)))?.status !== 201) await sleep(25);
  }
}

export const SCARCE_RACES: readonly Race[] = [fundsForOne, goldForOne, vaultForOne, barLeaves, suspension];
