import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { suiteService } from "../../testing/service.ts";

describe("the counters of bookings", () => {
  const service = suiteService();
  before(async () => {
    await service.books.addBar(1_000_000n);
    await service.send("/sandbox/fund", { body: '{"amount_sar":100000}' });
  });
  const counted = () =>
    Object.fromEntries(
      [...service.metrics().matchAll(/^(gold_(?:orders_\w+|quotes_given)_total)\{side="(\w+)"\} (\S+)$/gm)]
        .map(([, name, side, value]) => [`${name} ${side}`, Number(value)]),
    );
  const quote = async (side: string, grams: number, key: string = randomUUID()) => {
    const reply = await service.send("/v1/quotes", {
      body: JSON.stringify({ side, gold_grams: grams }),
      headers: { "Idempotency-Key": key },
    });
    return (await reply.json() as { quote_id: string }).quote_id;
  };
  const order = (quote_id: string, key: string = randomUUID()) =>
    service.signed("/v1/orders", JSON.stringify({ quote_id }), { headers: { "Idempotency-Key": key } });

  it("begin at zero, and count each quote and order once, as the books have them", async () => {
    assertEquals(new Set(Object.values(counted())), new Set([0]));
    const [quoteKey, orderKey] = [randomUUID(), randomUUID()];
    const executed = await quote("buy", 2.5, quoteKey);
    await quote("buy", 2.5, quoteKey);
    const replies = [
      await order(executed, orderKey),
      await order(executed, orderKey),
      await order(executed),
      await order(await quote("buy", 0.1234)),
      await order(await quote("sell", 1.0001)),
      await order(await quote("sell", 50)),
    ];
    assertEquals(replies.map(({ status }) => status), [201, 200, 409, 201, 201, 422]);
    const [books] = await service.books.sql`
      select sum(total) filter (where side = 'buy') / 100.0 as buy, sum(total) filter (where side = 'sell') / 100.0 as sell
      from gold.orders`;
    assertEquals(counted(), {
      "gold_orders_executed_total buy": 2,
      "gold_orders_executed_total sell": 1,
      "gold_orders_grams_total buy": 2.6234,
      "gold_orders_grams_total sell": 1.0001,
      "gold_orders_sar_total buy": Number(books!.buy),
      "gold_orders_sar_total sell": Number(books!.sell),
      "gold_quotes_given_total buy": 2,
      "gold_quotes_given_total sell": 2,
    });
  });
});
