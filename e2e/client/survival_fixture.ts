import { afterEach, beforeEach, it } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { countsBetween, readCounts } from "../contract/attack/service_counts_fixture.ts";
import { cutDatabase, exhaustRate, haltService } from "../contract/disturbances_fixture.ts";
import type { Stack } from "../contract/stack_fixture.ts";
import { FaultRelay } from "./fault_relay_fixture.ts";
import type { ClientError, ClientReport } from "./client_program_fixture.ts";

/** How a client is opened. */
export interface ClientPlan {
  /** The port of another entry point to the same service, such as a relay. */
  readonly port?: number;
  /** The path of the CA that the client trusts. */
  readonly ca?: string;
  readonly client_secret?: string;
  readonly tries_max?: number;
  readonly timeout_seconds?: number;
  /** How far the client's clock is ahead. */
  readonly ahead_seconds?: number;
}

/** The client of one language. Its calls and their members have the names of the Python client. */
export interface TestedClient {
  readonly reports: ClientReport[];
  /** Makes a call, and returns its result. Rejects with the members of a ClientError. */
  // deno-lint-ignore no-explicit-any -- each test knows the members of the reply that it reads.
  call(name: string, members?: object): Promise<any>;
  /** The outcome of each try of this operation. */
  outcomesOf(operation: string): string[];
  close(): unknown;
  /** Ends the client in the middle of its calls. */
  kill(): void;
}

export interface Survival<C extends TestedClient> {
  open(plan?: ClientPlan): Promise<C>;
  openRelay(): Promise<FaultRelay>;
  takeQuote(client: C): Promise<{ quote_id: string }>;
  /** Returns the number of orders executed since the last call of this function. */
  newOrders(): Promise<number>;
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));
const errorOf = async (call: () => Promise<unknown>) => await assertRejects(call) as ClientError;

/** Tests what a client does when the service or the network fails. Returns what further tests need. */
export function testSurvival<C extends TestedClient>(
  setup: () => { readonly stack: Stack; readonly open: (plan: ClientPlan) => C | Promise<C> },
): Survival<C> {
  const closing: (() => unknown)[] = [];
  const stack = () => setup().stack;
  let executed = 0;
  const newOrders = async () => {
    const [row] = await stack().sql`select count(*)::int as orders from gold.orders`;
    const [before, now] = [executed, row!.orders as number];
    executed = now;
    return now - before;
  };
  beforeEach(() => newOrders());
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  const open = async (plan: ClientPlan = {}) => {
    const client = await setup().open(plan);
    closing.push(() => client.close());
    return client;
  };
  const openRelay = async () => {
    const relay = await FaultRelay.open(Number(new URL(stack().running.baseUrl).port));
    closing.push(() => relay.close());
    return relay;
  };
  const takeQuote = async (client: C): Promise<{ quote_id: string }> => {
    const { quote_id } = await client.call("create_quote", { side: "buy", gold_grams: "0.5" });
    return { quote_id };
  };

  it("needs one token request for 100 concurrent calls at the start", async () => {
    const client = await open();
    const operations = stack().socket("server_operations.sock");
    const before = await readCounts(operations);
    await Promise.all(Array.from({ length: 100 }, () => client.call("get_balances")));
    assertEquals(countsBetween(before, await readCounts(operations)), {
      "/oauth/token 200": 1,
      "/v1/balances 200": 100,
    });
  });

  for (const afterBytes of [0, 150]) {
    it(`executes an order once if the connection is reset ${afterBytes} bytes into the reply`, async () => {
      const relay = await openRelay();
      const client = await open({ port: relay.port });
      const quote = await takeQuote(client);
      relay.cutReply(afterBytes);
      const { balances: _, ...order } = await client.call("place_order", quote);
      assertEquals(relay.cuts, 1);
      // Expect 200 and not 201. The first try was executed, and the second try got its result.
      assertEquals(client.outcomesOf("createOrder"), ["connection_failed", "200"]);
      assertEquals(await newOrders(), 1);
      assertEquals(await client.call("get_order", { order_id: order.order_id }), order);
    });
  }

  it("reports an unknown outcome after a reset with one try, and the key finds the result", async () => {
    const relay = await openRelay();
    const client = await open({ port: relay.port, tries_max: 1 });
    const quote = await takeQuote(client);
    relay.cutReply(0);
    const error = await errorOf(() => client.call("place_order", quote));
    assertEquals([error.code, error.outcome_unknown, error.retryable], ["connection_failed", true, true]);
    assertEquals(await newOrders(), 1);
    const { idempotency_key } = error;
    const order = await client.call("place_order", { ...quote, idempotency_key });
    assertEquals([order.quote_id, await newOrders()], [quote.quote_id, 0]);
  });

  it("reports that nothing was executed if the service cannot be reached", async () => {
    const relay = await openRelay();
    const { port } = relay;
    await relay.close();
    closing.pop();
    const client = await open({ port, tries_max: 2 });
    const error = await errorOf(() => takeQuote(client));
    assertEquals([error.code, error.outcome_unknown], ["connection_failed", false]);
    assertMatch(error.message, /could not be reached/);
  });

  it("gets one new token for 11 concurrent orders after its token became invalid, and places all", async () => {
    const client = await open();
    const quotes = await Promise.all(Array.from({ length: 11 }, () => takeQuote(client)));
    await stack().operator("key rotate token");
    // Use one statement. Between two statements, the service could read the database while it has no token
    // key.
    await stack().sql`
      update gold.token_key set
        retire_at = case when retire_at is not null then clock_timestamp() - interval '1 second' end,
        not_before = case when retire_at is null then clock_timestamp() - interval '1 second' else not_before end`;
    await stack().announce();
    await stack().partner.until(({ status }) => status === 401);
    await stack().partner.renewToken();
    client.reports.length = 0;
    await Promise.all(quotes.map((quote) => client.call("place_order", quote)));
    assertEquals(client.outcomesOf("issueToken"), ["200"]);
    assertEquals(client.outcomesOf("createOrder").filter((each) => each === "201").length, 11);
    assert(client.outcomesOf("createOrder").includes("token_invalid"));
  });

  it("waits as long as Retry-After says after a 429, and completes all calls", async () => {
    const client = await open();
    const quotes = await Promise.all([1, 2, 3].map(() => takeQuote(client)));
    closing.push(await exhaustRate(stack(), stack().partner));
    const orders = await Promise.all(quotes.map((quote) => client.call("place_order", quote)));
    assertEquals(orders.map(({ quote_id }) => quote_id), quotes.map(({ quote_id }) => quote_id));
    const limited = client.reports.filter(({ code }) => code === "rate_limited");
    assert(limited.length > 0);
    for (const { status, retry_in_seconds } of limited) assert(status === 429 && retry_in_seconds! >= 1);
  });

  it("retries on 503 while the database is unavailable, and then places the order", async () => {
    const client = await open({ tries_max: 50 });
    const quote = await takeQuote(client);
    const mend = await cutDatabase(stack(), stack().partner);
    const placed = client.call("place_order", quote);
    while (!client.outcomesOf("createOrder").includes("service_unavailable")) await soon();
    await mend();
    assertEquals((await placed).quote_id, quote.quote_id);
    const waited = client.reports.find(({ status, operation }) =>
      status === 503 && operation === "createOrder"
    );
    assert(waited!.retry_in_seconds! >= 1);
    assertEquals(await newOrders(), 1);
  });

  it("ends a try after its timeout, and gets the result with a later try", async () => {
    const client = await open({ timeout_seconds: 0.7, tries_max: 50 });
    const quote = await takeQuote(client);
    const mend = await haltService(stack());
    const placed = client.call("place_order", quote);
    while (!client.outcomesOf("createOrder").includes("timed_out")) await soon();
    await mend();
    assertEquals((await placed).quote_id, quote.quote_id);
    assertEquals(await newOrders(), 1);
  });

  for (const minutes of [-4, 4]) {
    it(`places an order with a clock that is ${minutes} minutes off`, async () => {
      const client = await open({ ahead_seconds: minutes * 60 });
      const quote = await takeQuote(client);
      assertEquals((await client.call("place_order", quote)).quote_id, quote.quote_id);
    });
  }

  for (const [minutes, says] of [[-6, /3[56]\d s behind/], [6, /3[56]\d s ahead of/]] as const) {
    it(`names the offset of a clock that is ${minutes} minutes off, and does not retry`, async () => {
      const client = await open({ ahead_seconds: minutes * 60 });
      const quote = await takeQuote(client);
      const error = await errorOf(() => client.call("place_order", quote));
      assertEquals(error.code, "timestamp_out_of_window");
      assertMatch(error.message, says);
      assertEquals(client.outcomesOf("createOrder"), ["timestamp_out_of_window"]);
      assertEquals([error.outcome_unknown, await newOrders()], [false, 0]);
    });
  }

  return { open, openRelay, takeQuote, newOrders };
}
