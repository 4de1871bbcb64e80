import { after, before, it } from "node:test";
import { type GoldClient, GoldError, Quantity } from "@gold-partner/client";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { lastDays } from "../contract/calls_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { openClient } from "./stack_client_fixture.ts";

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const buy = (grams: string) => ({ side: "buy", gold_grams: grams }) as const;

/**
 * Tests every call of the client against the real service, through the development gateway or the real Envoy.
 */
export function testEveryCall(proxy: "gateway" | "Envoy"): void {
  let stack: Stack;
  let client: GoldClient;
  let operations: string[] = [];

  before(async () => {
    stack = await Stack.open({ envoy: proxy === "Envoy" });
    const observe = ({ operation }: { operation: string }) => operations.push(operation);
    client = await openClient(stack.partner.credentials, { observe });
    await client.fundSandbox({ amount_sar: "100000.10" });
  });

  after(async () => {
    client?.close();
    await stack?.close();
  });

  it("buys, sells and withdraws with exact amounts", async () => {
    assertEquals(await client.getHealth(), { status: "ok" });
    const { buy_price, sell_price } = await client.getPrices();
    assert(buy_price.compare(sell_price) > 0);
    const start = await client.getBalances();
    assertEquals(`${start.sar.available}`, "100000.1");

    const bought = await client.createQuote({ side: "buy", gold_grams: Quantity.grams("1.5") });
    const { balances: bookedBalances, ...order } = await client.placeOrder(bought);
    assertEquals(bookedBalances.gold.grams, Quantity.grams("1.50"));
    assertEquals(bookedBalances.sar.available, start.sar.available.minus(order.total_sar));
    assertEquals(await client.getOrder(order.order_id), order);

    const sold = await client.createQuote({ side: "sell", amount_sar: "12.34" });
    assert(sold.total_sar.compare(Quantity.sar("12.34")) >= 0);
    await client.placeOrder({ quote_id: sold.quote_id });
    assertEquals((await client.getQuote(sold.quote_id)).status, "executed");

    const request = { amount_sar: "5", reference: "A-1" };
    const { balances, ...withdrawal } = await client.createWithdrawal(request);
    assertEquals(balances.sar.held, Quantity.sar("5"));
    const stored = { ...withdrawal, bank_reference: null, expected_on: null };
    assertEquals(await client.getWithdrawal(withdrawal.withdrawal_id), stored);
    assertEquals(await collect(client.listWithdrawals()), [stored]);
    const past = await client.getBalances({ at: balances.as_of });
    assertEquals(past, { ...await client.getBalances(), as_of: past.as_of });
  });

  it("reads one page or all pages, and fetches a page only when it is needed", async () => {
    const made: string[] = [];
    for (const grams of ["0.1", "0.2", "0.3", "0.4", "0.5"]) {
      const { quote_id } = await client.createQuote(buy(grams));
      made.unshift((await client.placeOrder({ quote_id }, { idempotencyKey: `walk-${grams}` })).order_id);
    }
    operations = [];
    const orders = await collect(client.listOrders({ limit: 2 }));
    assertEquals(orders.slice(0, 5).map(({ order_id }) => order_id), made);
    assertEquals(operations.length, Math.ceil(orders.length / 2));
    operations = [];
    for await (const { order_id } of client.listOrders({ limit: 2 })) {
      assertEquals(order_id, made[0]);
      break;
    }
    assertEquals(operations, ["listOrders"]);
    const page = await client.listOrders({ limit: 2 });
    const next = await client.listOrders({ limit: 3, cursor: page.next_cursor! });
    assertEquals([...page.items, ...next.items], orders.slice(0, 5));
    const [named] = await collect(client.listOrders({ idempotency_key: "walk-0.3" }));
    assertEquals(named!.gold_grams, Quantity.grams("0.3"));

    const [funding] = await collect(client.listFundings());
    assertEquals(await client.getFunding(funding!.funding_id), funding);
    const events = await collect(client.listEvents({ limit: 3 }));
    assertEquals(events.map(({ sequence }) => sequence), events.map((_, index) => index + 1));
    assertEquals(await collect(client.listEvents({ after: events.length })), []);
    const { next_cursor } = await client.listEvents({ limit: 3 });
    assertEquals((await client.listEvents({ after: next_cursor! })).items[0]!.id, events[3]!.id);
    const [executed] = events.filter((event) => event.type === "order.executed");
    assert(executed?.type === "order.executed" && executed.data.order.total_sar instanceof Quantity);
    assertEquals((await client.getEvent(executed.id)).id, executed.id);
  });

  it("reads a statement that adds up, its CSV, reserves, limits and credentials", async () => {
    const { opening_balance, closing_balance, postings } = await client.getStatement(lastDays());
    let [sar, held, gold] = [
      opening_balance.available_sar,
      opening_balance.held_sar,
      opening_balance.gold_grams,
    ];
    for (const posting of postings) {
      if (posting.account === "gold_grams") gold = gold.plus(posting.change);
      else if (posting.account === "held_sar") held = held.plus(posting.change);
      else sar = sar.plus(posting.change);
    }
    assertEquals({ available_sar: sar, held_sar: held, gold_grams: gold }, closing_balance);
    assertMatch(await client.getStatementCsv(lastDays()), /^[a-z_,]+\r\n/);
    const { bars } = await client.getPriceHistory();
    assert(bars.length > 0 && bars[0]!.buy_price.last.compare(bars[0]!.sell_price.last) > 0);
    const { fine_grams, owed_grams, reserves_list_id } = await client.getReserves();
    assert(fine_grams.compare(owed_grams) >= 0);
    assertEquals((await client.getReservesList(reserves_list_id)).fine_grams, fine_grams);
    assertEquals((await client.getBalances()).gold.reserves?.reserves_list_id, reserves_list_id);
    assertEquals((await client.getLimits()).gold_grams.minimum, Quantity.grams("0.0001"));
    assertMatch((await client.getChainKey()).chain_key, /^[0-9a-f]{64}$/);
    assertEquals((await client.getCredentials()).signing_keys.length, 1);
    assertEquals((await client.getAccount()).limits.gold_grams.minimum, Quantity.grams("0.0001"));
    const change = await client.requestChange({ ip_range: "203.0.113.0/24" }, { idempotencyKey: "change-1" });
    assertEquals(await client.getChange(change.change_id), change);
    assertEquals((await client.getChanges()).items, [change]);
  });

  it("requests redeliveries, and checks its signatures with the probe", async () => {
    const test = await client.testWebhook({ idempotencyKey: "test-1" });
    assertEquals(test.type, "webhook.test");
    assertEquals((await client.redeliverEvent(test.id)).id, test.id);
    const { valid, mistake } = await client.probeSignature("any \u2713 body");
    assertEquals([valid, mistake], [true, null]);
  });

  it("simulates withdrawals, deposits, quotes, the market, prices, failures and webhooks", async () => {
    const { withdrawal_id, balances: before } = await client.createWithdrawal({ amount_sar: "7" });
    const second = await client.createWithdrawal({ amount_sar: "3" });
    const { balances: after, ...cancelled } = await client.cancelWithdrawal(second.withdrawal_id);
    assertEquals(after, { ...before, as_of: after.as_of });
    assertEquals([cancelled.status, await client.getWithdrawal(second.withdrawal_id)], [
      "cancelled",
      { ...cancelled, bank_reference: null, expected_on: null },
    ]);
    const paid = await client.simulateWithdrawal({ withdrawal_id, outcome: "paid" });
    assertEquals(paid, await client.getWithdrawal(withdrawal_id));
    assertEquals(paid.status, "paid");

    const { funding_id, amount_sar } = await client.simulateDeposit({ amount_sar: "20.5" });
    assertEquals(amount_sar, Quantity.sar("20.5"));
    const reversed = await client.simulateDepositReversal({ funding_id });
    assertMatch(reversed.reversed_at!, /Z$/);
    assertEquals(await client.getFunding(funding_id), reversed);

    const { quote_id } = await client.createQuote(buy("0.1"));
    assertEquals((await client.simulateQuoteExpiry({ quote_id })).status, "expired");
    const expired = await assertRejects(() => client.placeOrder({ quote_id }), GoldError);
    assertEquals(expired.code, "quote_expired");

    const { id, type, sequence } = await client.simulateEvent({ type: "credential.expiring" });
    assertEquals([type, (await client.getEvent(id)).type], ["credential.expiring", "credential.expiring"]);
    const followed: string[] = [];
    for await (const event of client.streamEvents({ after: sequence - 2 })) {
      followed.push(event.type);
      if (followed.length === 1) continue;
      if (followed.length === 3) break;
      await client.fundSandbox({ amount_sar: "1" });
    }
    assertEquals(followed, ["credential.added", "credential.expiring", "funding.completed"]);
    for await (const prices of client.streamPrices()) {
      assertEquals(prices!.unit, "gram");
      break;
    }
    await client.simulateMarket({ state: "closed", seconds: 600 });
    const closed = await assertRejects(() => client.createQuote(buy("0.1")), GoldError);
    assertEquals(closed.code, "market_closed");
    assertEquals((await client.simulatePrices({ percent: -50, seconds: 600 })).prices?.percent, -50);
    await client.simulateWebhooks({ kind: "late", seconds: 20, count: 3 });
    const { failure } = await client.simulateFailure({ kind: "unavailable", count: 2 });
    assertEquals([failure?.kind, failure?.remaining], ["unavailable", 2]);
    operations = [];
    await client.getBalances();
    assertEquals(operations, ["getBalances", "getBalances", "getBalances"]);

    const { market, prices, webhooks, ...rest } = await client.getSimulations();
    assertEquals([market?.state, prices?.percent, rest.failure], ["closed", -50, null]);
    assertEquals([webhooks?.kind, webhooks?.seconds, webhooks?.remaining], ["late", 20, 3]);
    const none = { market: null, prices: null, failure: null, webhooks: null };
    assertEquals(await client.resetSimulations(), none);
    assertEquals(await client.getSimulations(), none);
  });

  it("reports why a call was refused, and whether the refusal is a replay", async () => {
    const withdraw = () =>
      client.createWithdrawal({ amount_sar: "999999999" }, { idempotencyKey: "too-much" });
    const first = await assertRejects(withdraw, GoldError);
    assertEquals([first.code, first.status, first.retryable], ["insufficient_funds", 422, false]);
    assertMatch(first.request_id!, /^req_/);
    assertEquals([first.replayed, first.outcomeUnknown, first.idempotencyKey], [false, false, "too-much"]);
    assertEquals((await assertRejects(withdraw, GoldError)).replayed, true);

    const conflict = await assertRejects(
      () => client.createWithdrawal({ amount_sar: "1" }, { idempotencyKey: "too-much" }),
      GoldError,
    );
    assertEquals(conflict.code, "idempotency_key_conflict");
    const unknown = "ord_01890000-0000-7000-8000-000000000000";
    assertEquals((await assertRejects(() => client.getOrder(unknown), GoldError)).code, "not_found");
    const bad = await assertRejects(
      () => collect(client.listOrders({ created_after: "today" })),
      GoldError,
    );
    assertEquals([bad.code, bad.errors.map((error) => "name" in error && error.name)], [
      "invalid_request",
      ["created_after"],
    ]);
    const stranger = await openClient(stack.partner.credentials, { clientSecret: "wrong" });
    const refused = await assertRejects(() => stranger.getBalances(), GoldError);
    assertEquals([refused.code, refused.status], ["invalid_client", 401]);
    stranger.close();
  });
}
