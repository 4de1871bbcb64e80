import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { type GoldClient, GoldError, type TryReport } from "@gold-partner/client";
import { assert, assertEquals, assertMatch, assertRejects } from "../../tools/testing/assert.ts";
import { countsBetween, readCounts } from "../contract/attack/service_counts_fixture.ts";
import type { Caller } from "../contract/caller_fixture.ts";
import { cutDatabase, exhaustRate, haltService } from "../contract/disturbances_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { FaultRelay } from "./fault_relay_fixture.ts";
import { type ClientPlan, openClient } from "./stack_client_fixture.ts";

describe("GoldClient, when the service or the network fails", () => {
  let stack: Stack;
  let partner: Caller;
  let tries: TryReport[] = [];
  let executed = 0;
  const closing: (() => void | Promise<void>)[] = [];

  before(async () => {
    stack = await Stack.open();
    partner = stack.partner;
    await partner.succeed("fundSandbox", { body: { amount_sar: 1_000_000 } });
  });

  beforeEach(() => newOrders());

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    tries = [];
  });

  after(() => stack?.close());

  async function open(plan: ClientPlan = {}): Promise<GoldClient> {
    const client = await openClient(partner.credentials, {
      observe: (report) => tries.push(report),
      ...plan,
    });
    closing.push(() => client.close());
    return client;
  }

  async function openRelay(): Promise<FaultRelay> {
    const relay = await FaultRelay.open(Number(new URL(stack.running.baseUrl).port));
    closing.push(() => relay.close());
    return relay;
  }

  const takeQuote = (client: GoldClient) => client.createQuote({ side: "buy", gold_grams: "0.5" });
  /** Returns the number of orders executed since the last call of this function. */
  const newOrders = async (): Promise<number> => {
    const [row] = await stack.sql`select count(*)::int as orders from gold.orders`;
    const [before, now] = [executed, row!.orders as number];
    executed = now;
    return now - before;
  };
  const outcomesOf = (operation: string) =>
    tries.filter((each) => each.operation === operation).map(({ status, code }) => code ?? `${status}`);

  it("needs one token request for 100 concurrent calls at the start", async () => {
    const client = await open();
    const operations = stack.socket("server_operations.sock");
    const before = await readCounts(operations);
    const all = await Promise.all(Array.from({ length: 100 }, () => client.getBalances()));
    assertEquals(all.length, 100);
    assertEquals(countsBetween(before, await readCounts(operations)), {
      "/oauth/token 200": 1,
      "/v1/balances 200": 100,
    });
  });

  for (const afterBytes of [0, 150]) {
    it(`executes an order once if the connection is reset ${afterBytes} bytes into the reply`, async () => {
      const relay = await openRelay();
      const client = await open({ port: relay.port });
      const { quote_id } = await takeQuote(client);
      relay.cutReply(afterBytes);
      const order = await client.placeOrder({ quote_id });
      assertEquals(relay.cuts, 1);
      // Expect 200 and not 201. The first try was executed, and the second try got its result.
      assertEquals(outcomesOf("createOrder"), ["connection_failed", "200"]);
      assertEquals(await newOrders(), 1);
      const { balances: _, ...kept } = order;
      assertEquals(await client.getOrder(order.order_id), kept);
    });
  }

  it("reports an unknown outcome after a reset with triesMax 1, and the key finds the result", async () => {
    const relay = await openRelay();
    const client = await open({ port: relay.port, triesMax: 1 });
    const { quote_id } = await takeQuote(client);
    relay.cutReply(0);
    const error = await assertRejects(() => client.placeOrder({ quote_id }), GoldError);
    assertEquals([error.code, error.outcomeUnknown, error.retryable], ["connection_failed", true, true]);
    assertEquals(await newOrders(), 1);
    const order = await client.placeOrder({ quote_id }, { idempotencyKey: error.idempotencyKey });
    assertEquals([order.quote_id, await newOrders()], [quote_id, 0]);
  });

  it("reports that nothing was executed if the service cannot be reached", async () => {
    const relay = await openRelay();
    const { port } = relay;
    await relay.close();
    closing.pop();
    const client = await open({ port, triesMax: 2, random: () => 0 });
    const error = await assertRejects(() => client.createQuote({ side: "buy", gold_grams: "1" }), GoldError);
    assertEquals([error.code, error.outcomeUnknown], ["connection_failed", false]);
    assertMatch(error.message, /could not be reached/);
  });

  it("gets one new token for 11 concurrent orders after its token became invalid, and places all", async () => {
    const client = await open();
    const { quote_id } = await takeQuote(client);
    const quotes = await Promise.all(Array.from({ length: 10 }, () => takeQuote(client)));
    await stack.operator("key rotate token");
    // Use one statement. Between two statements, the service could read the database while it has no token
    // key.
    await stack.sql`
      update gold.token_key set
        retire_at = case when retire_at is not null then clock_timestamp() - interval '1 second' end,
        not_before = case when retire_at is null then clock_timestamp() - interval '1 second' else not_before end`;
    await stack.announce();
    await partner.until(({ status }) => status === 401);
    await partner.renewToken();
    tries = [];
    await Promise.all(
      [quote_id, ...quotes.map((quote) => quote.quote_id)].map((quote_id) => client.placeOrder({ quote_id })),
    );
    assertEquals(outcomesOf("issueToken"), ["200"]);
    assertEquals(outcomesOf("createOrder").filter((each) => each === "201").length, 11);
    assert(outcomesOf("createOrder").includes("token_invalid"));
  });

  it("waits as long as Retry-After says after a 429, and completes all calls", async () => {
    const client = await open();
    const quotes = await Promise.all([1, 2, 3].map(() => takeQuote(client)));
    const mend = await exhaustRate(stack, partner);
    closing.push(async () => void await mend());
    const orders = await Promise.all(quotes.map(({ quote_id }) => client.placeOrder({ quote_id })));
    assertEquals(orders.map(({ quote_id }) => quote_id), quotes.map(({ quote_id }) => quote_id));
    const limited = tries.filter(({ code }) => code === "rate_limited");
    assert(limited.length > 0);
    for (const { status, retryInMs } of limited) assert(status === 429 && retryInMs! >= 1000);
  });

  it("retries on 503 while the database is unavailable, and then places the order", async () => {
    const client = await open({ triesMax: 50 });
    const { quote_id } = await takeQuote(client);
    const mend = await cutDatabase(stack, partner);
    const placed = client.placeOrder({ quote_id });
    while (!outcomesOf("createOrder").includes("service_unavailable")) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await mend();
    assertEquals((await placed).quote_id, quote_id);
    const waited = tries.find(({ status, operation }) => status === 503 && operation === "createOrder");
    assert(waited!.retryInMs! >= 1000);
    assertEquals(await newOrders(), 1);
  });

  it("ends a try after its timeout, and gets the result with a later try", async () => {
    const client = await open({ timeoutMs: 700, triesMax: 50 });
    const { quote_id } = await takeQuote(client);
    const mend = await haltService(stack);
    const placed = client.placeOrder({ quote_id });
    while (!outcomesOf("createOrder").includes("timed_out")) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await mend();
    assertEquals((await placed).quote_id, quote_id);
    assertEquals(await newOrders(), 1);
  });

  for (const minutes of [-4, 4]) {
    it(`places an order with a clock that is ${minutes} minutes off`, async () => {
      const client = await open({ now: () => Date.now() + minutes * 60_000 });
      const { quote_id } = await takeQuote(client);
      assertEquals((await client.placeOrder({ quote_id })).quote_id, quote_id);
      // Allow 10 s, because the measured offset also contains the reply's time on the network.
      assert(Math.abs(client.clockOffsetSeconds! - minutes * 60) <= 10);
    });
  }

  for (const [minutes, says] of [[-6, /3[56]\d s behind/], [6, /3[56]\d s ahead of/]] as const) {
    it(`names the offset of a clock that is ${minutes} minutes off, and does not retry`, async () => {
      const client = await open({ now: () => Date.now() + minutes * 60_000 });
      const { quote_id } = await takeQuote(client);
      const error = await assertRejects(() => client.placeOrder({ quote_id }), GoldError);
      assertEquals(error.code, "timestamp_out_of_window");
      assertMatch(error.message, says);
      assertEquals(outcomesOf("createOrder"), ["timestamp_out_of_window"]);
      assertEquals([error.outcomeUnknown, await newOrders()], [false, 0]);
    });
  }

  it("reports an unknown outcome if the caller aborts, and later finds the result by the key", async () => {
    const relay = await openRelay();
    const client = await open({ port: relay.port });
    const { quote_id } = await takeQuote(client);
    const mend = await haltService(stack);
    const heard = relay.heardBytes;
    const ending = new AbortController();
    const placed = assertRejects(() => client.placeOrder({ quote_id }, { signal: ending.signal }), GoldError);
    // Wait until the request was sent, because before that the outcome would be known.
    while (relay.heardBytes === heard) await new Promise((resolve) => setTimeout(resolve, 20));
    ending.abort();
    const error = await placed;
    await mend();
    assertEquals([error.code, error.outcomeUnknown], ["aborted", true]);
    const order = await client.placeOrder({ quote_id }, { idempotencyKey: error.idempotencyKey });
    assertEquals([order.quote_id, await newOrders()], [quote_id, 1]);
  });
});
