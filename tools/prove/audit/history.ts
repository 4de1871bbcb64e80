import { bookSignedOrders, createTrader, type TestBooks, type Trader } from "@gold-partner/server/testing";

const ORDERS_PER_CALL = 64;
const ORDER_TENTH_MILLIGRAMS = 1234n;

export function createTraders({ sql }: TestBooks, count: number): Promise<Trader[]> {
  return Promise.all(Array.from({ length: count }, () => createTrader(sql)));
}

/** Books `rounds` orders for each trader, alternately a buy and a sell. Then seals them. */
export async function trade(
  { sql, api }: TestBooks,
  traders: readonly Trader[],
  rounds: number,
): Promise<void> {
  const [deployment] = await sql`select public_base_url as url from gold.deployment`;
  const groups = Array.from(
    { length: Math.ceil(traders.length / ORDERS_PER_CALL) },
    (_, index) => traders.slice(index * ORDERS_PER_CALL, (index + 1) * ORDERS_PER_CALL),
  );
  await Promise.all(groups.map(async (group) => {
    for (let round = 0; round < rounds; round++) {
      const side = round % 2 === 0 ? "buy" : "sell";
      await bookSignedOrders(api, group, deployment!.url, side, ORDER_TENTH_MILLIGRAMS);
    }
    const clients = group.map(({ client }) => client);
    while ((await sql`select from gold.seal_next(${clients})`).length > 0);
  }));
}
