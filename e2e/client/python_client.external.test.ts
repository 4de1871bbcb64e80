import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { openApiDocument } from "@gold-partner/protocol";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "../../tools/testing/assert.ts";
import { countsBetween, readCounts } from "../contract/attack/service_counts_fixture.ts";
import type { Caller } from "../contract/caller_fixture.ts";
import { lastDays } from "../contract/calls_fixture.ts";
import { cutDatabase, exhaustRate, haltService } from "../contract/disturbances_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { FaultRelay } from "./fault_relay_fixture.ts";
import { PYTHON_PACKAGE, PythonClient, PythonEnvironment, PythonError } from "./python_client_fixture.ts";

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

describe("the Python client", () => {
  let python: PythonEnvironment;
  let stack: Stack;

  before(async () => {
    python = await PythonEnvironment.create("mypy");
    stack = await Stack.open();
    await stack.partner.succeed("fundSandbox", { body: { amount_sar: 1_000_000 } });
  });
  after(async () => {
    await stack?.close();
    await python?.remove();
  });

  it("has complete types, for itself and for its users", async () => {
    assertStringIncludes(await python.run(["-m", "mypy", "src", "tests"]), "no issues found");
    const folder = await mkdtemp(join(tmpdir(), "gold-python-"));
    try {
      const program = join(folder, "program.py");
      await writeFile(
        program,
        [
          "from gold_partner import GoldClient",
          "client = GoldClient.from_env()",
          `reveal_type(client.place_order("qt_1", idempotency_key="1")["balances"]["sar"]["held"])`,
          "client.place_order(17)",
          `client.create_quote("buy", gold_grams=1.5)`,
        ].join("\n"),
      );
      const { message } = await assertRejects(() => python.run(["-m", "mypy", "--strict", program]), Error);
      assertMatch(message, /:3: note: Revealed type is "decimal\.Decimal"/);
      assertMatch(message, /:4: error: Argument 1 has incompatible type "int"; expected "str"/);
      assertMatch(message, /:5: error: Argument "gold_grams" has incompatible type "float"/);
      assertMatch(message, /Found 2 errors/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("passes its own tests: the vectors, the types of replies, and calls over a scripted transport", async () => {
    const document = join(python.folder, "openapi.json");
    const options = { baseUrl: "https://gold.example", environment: "sandbox" } as const;
    await writeFile(document, JSON.stringify(openApiDocument(options)));
    const output = await python.run(["-m", "unittest", "discover", "-s", "tests"], {
      GOLD_OPENAPI: document,
    });
    const [, count] = /Ran (\d+) tests/.exec(output) ?? [];
    assert(Number(count) >= 38, output);
  });

  it("has the version of the other packages", async () => {
    const root = JSON.parse(await readFile(join(PYTHON_PACKAGE, "../package.json"), "utf8"));
    const program = "import importlib.metadata; print(importlib.metadata.version('gold-partner'))";
    assertEquals((await python.run(["-c", program])).trim(), root.version);
  });

  for (const kind of ["sync", "async"] as const) {
    const name = kind === "sync" ? "GoldClient" : "AsyncGoldClient";
    describe(`${name}, with the running service`, () => testCalls(kind, () => ({ python, stack })));
    describe(`${name}, when the service or the network fails`, () =>
      testSurvival(kind, () => ({ python, stack })));
  }
});

type Kind = "sync" | "async";
type TestSetup = () => { readonly python: PythonEnvironment; readonly stack: Stack };

/** Opens clients, and closes them after each test. */
function clientsOf(kind: Kind, setup: TestSetup) {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  const open = (plan: object = {}): PythonClient => {
    const { python, stack } = setup();
    const { client_id } = stack.partner.credentials;
    const credentials = stack.running.state.path("partners", client_id, "credentials.json");
    const client = new PythonClient(python, kind, credentials, plan);
    closing.push(() => client.close());
    return client;
  };
  return { open, closing };
}

const buy = (gold_grams: string) => ({ side: "buy", gold_grams });

function testCalls(kind: Kind, setup: TestSetup): void {
  const { open } = clientsOf(kind, setup);

  it("buys, sells, withdraws and reads with exact amounts", async () => {
    const client = open();
    const start = await client.call("get_balances");
    const quote = await client.call("create_quote", buy("1.5"));
    const { balances, ...order } = await client.call("place_order", { quote_id: quote.quote_id });
    const minus = (left: string, right: string) => (Number(left) * 100 - Number(right) * 100) / 100;
    assertEquals(Number(balances.sar.available), minus(start.sar.available, order.total_sar));
    assertEquals(await client.call("get_order", { order_id: order.order_id }), order);
    assertEquals((await client.call("get_quote", { quote_id: quote.quote_id })).status, "executed");
    const sale = await client.call("create_quote", { side: "sell", amount_sar: "12.34" });
    assert(Number(sale.total_sar) >= 12.34);

    const parameters = { amount_sar: "5.10", reference: `${kind} 1` };
    const { balances: _, ...withdrawal } = await client.call("create_withdrawal", parameters);
    assertEquals(withdrawal.amount_sar, "5.1");
    const { withdrawal_id } = withdrawal;
    assertEquals(await client.call("get_withdrawal", { withdrawal_id }), withdrawal);
    assertEquals((await client.call("list_withdrawals"))[0], withdrawal);
    const orders = await client.call("list_orders", { limit: 1 });
    assertEquals(orders[0], order);
    const [funding] = await client.call("list_fundings");
    assertEquals(await client.call("get_funding", { funding_id: funding.funding_id }), funding);
    const events = await client.call("list_events", { limit: 3 });
    assertEquals(
      events.map((event: { sequence: number }) => event.sequence),
      events.map((_: object, index: number) => index + 1),
    );
    assertEquals(await client.call("list_events", { after: events.length }), []);
    const { id } = events[0];
    assertEquals((await client.call("get_event", { event_id: id })).id, id);
    assertEquals((await client.call("redeliver_event", { event_id: id })).id, id);
    assertEquals((await client.call("test_webhook")).type, "webhook.test");
  });

  it("reads the service's other replies, and checks its signature with the probe", async () => {
    const client = open();
    assertEquals(await client.call("get_health"), { status: "ok" });
    const { buy_price, sell_price } = await client.call("get_prices");
    assert(Number(buy_price) > Number(sell_price));
    const { from: first_day, to: last_day } = lastDays();
    const { closing_balance } = await client.call("get_statement", { first_day, last_day });
    const { gold } = await client.call("get_balances");
    assertEquals(closing_balance.gold_grams, gold.grams);
    assertMatch(await client.call("get_statement_csv", { first_day, last_day }), /^[a-z_,]+\r\n/);
    const { fine_grams, owed_grams, reserves_list_id } = await client.call("get_reserves");
    assert(Number(fine_grams) >= Number(owed_grams));
    assertEquals((await client.call("get_reserves_list", { reserves_list_id })).fine_grams, fine_grams);
    assertEquals((await client.call("get_limits")).gold_grams.minimum, "0.0001");
    assertMatch((await client.call("get_chain_key")).chain_key, /^[0-9a-f]{64}$/);
    assertEquals((await client.call("get_credentials")).signing_keys.length, 1);
    const { valid, mistake } = await client.call("probe_signature");
    assertEquals([valid, mistake], [true, null]);
  });

  it("simulates withdrawals, deposits, quotes, the market, prices, failures and webhooks", async () => {
    const client = open();
    const { withdrawal_id } = await client.call("create_withdrawal", { amount_sar: "7" });
    const decided = await client.call("simulate_withdrawal", { withdrawal_id, outcome: "paid" });
    assertEquals([decided.withdrawal_id, decided.status], [withdrawal_id, "paid"]);
    const { funding_id, reversed_at } = await client.call("simulate_deposit", { amount_sar: "0.10" });
    const reversed = await client.call("simulate_deposit_reversal", { funding_id });
    assert(reversed_at === null && reversed.funding_id === funding_id && reversed.reversed_at !== null);
    const { quote_id } = await client.call("create_quote", buy("1"));
    assertEquals((await client.call("simulate_quote_expiry", { quote_id })).status, "expired");
    const refusal = async (name: string, members: object) =>
      (await assertRejects(() => client.call(name, members), PythonError)).code;
    assertEquals(await refusal("place_order", { quote_id }), "quote_expired");

    const { market } = await client.call("simulate_market", { state: "closed", seconds: 100 });
    assertEquals(market.state, "closed");
    assertEquals(await refusal("create_quote", buy("1")), "market_closed");
    const { prices } = await client.call("simulate_prices", { percent: -10 });
    assertEquals(prices.percent, -10);
    const { webhooks } = await client.call("simulate_webhooks", { kind: "late", count: 2, seconds: 1 });
    assertEquals([webhooks.kind, webhooks.remaining, webhooks.seconds], ["late", 2, 1]);
    assertEquals(await client.call("get_simulations"), { market, prices, failure: null, webhooks });
    const none = { market: null, prices: null, failure: null, webhooks: null };
    assertEquals(await client.call("reset_simulations"), none);

    const { failure } = await client.call("simulate_failure", { kind: "refused", code: "ip_not_allowed" });
    assertEquals([failure.code, failure.seconds, failure.remaining], ["ip_not_allowed", null, 1]);
    assertEquals(await refusal("get_balances", {}), "ip_not_allowed");
  });

  it("executes an order once if a simulation loses its reply", async () => {
    const client = open();
    const { quote_id } = await client.call("create_quote", buy("0.5"));
    await client.call("simulate_failure", { kind: "lost_reply" });
    assertEquals((await client.call("place_order", { quote_id })).quote_id, quote_id);
    assertEquals(client.outcomesOf("createOrder"), ["upstream_unavailable", "200"]);
  });

  it("reports why a call was refused", async () => {
    const client = open();
    const withdraw = () =>
      client.call("create_withdrawal", { amount_sar: "9999999999", idempotency_key: `too-much-${kind}` });
    const first = await assertRejects(withdraw, PythonError);
    assertEquals([first.code, first.retryable, first.outcome_unknown], ["insufficient_funds", false, false]);
    assertEquals(first.idempotency_key, `too-much-${kind}`);
    const stranger = open({ client_secret: "wrong" });
    const refused = await assertRejects(() => stranger.call("get_balances"), PythonError);
    assertEquals(refused.code, "invalid_client");
  });

  it("does not retry if a certificate is not accepted", async () => {
    const { cert } = setup().stack.partner.credentials;
    const client = open({ ca: cert }); // not the CA of the server's certificate
    const error = await assertRejects(() => client.call("get_health"), PythonError);
    assertEquals([error.code, error.retryable, error.outcome_unknown], ["tls_failed", false, false]);
    assertEquals(client.outcomesOf("getHealth"), ["tls_failed"]);
  });

  it("needs one token request for 100 concurrent calls at the start", async () => {
    const client = open();
    const operations = setup().stack.socket("server_operations.sock");
    const before = await readCounts(operations);
    await Promise.all(Array.from({ length: 100 }, () => client.call("get_balances")));
    assertEquals(countsBetween(before, await readCounts(operations)), {
      "/oauth/token 200": 1,
      "/v1/balances 200": 100,
    });
  });
}

function testSurvival(kind: Kind, setup: TestSetup): void {
  const { open, closing } = clientsOf(kind, setup);
  let stack: Stack;
  let partner: Caller;
  before(() => {
    ({ stack } = setup());
    ({ partner } = stack);
  });

  async function openRelay(): Promise<FaultRelay> {
    const relay = await FaultRelay.open(Number(new URL(stack.running.baseUrl).port));
    closing.push(() => relay.close());
    return relay;
  }

  const takeQuote = async (client: PythonClient): Promise<{ quote_id: string }> => {
    const { quote_id } = await client.call("create_quote", buy("0.5"));
    return { quote_id };
  };

  let executed = 0;
  /** Returns the number of orders executed since the last call of this function. */
  const newOrders = async (): Promise<number> => {
    const [row] = await stack.sql`select count(*)::int as orders from gold.orders`;
    const [before, now] = [executed, row!.orders as number];
    executed = now;
    return now - before;
  };
  beforeEach(() => newOrders());

  for (const afterBytes of [0, 150]) {
    it(`executes an order once if the connection is reset ${afterBytes} bytes into the reply`, async () => {
      const relay = await openRelay();
      const client = open({ port: relay.port });
      const quote = await takeQuote(client);
      relay.cutReply(afterBytes);
      const order = await client.call("place_order", quote);
      assertEquals(relay.cuts, 1);
      // 200 and not 201: the first try was executed, and the second got its result.
      assertEquals(client.outcomesOf("createOrder"), ["connection_failed", "200"]);
      assertEquals(await newOrders(), 1);
      const { balances: _, ...kept } = order;
      assertEquals(await client.call("get_order", { order_id: order.order_id }), kept);
    });
  }

  it("reports an unknown outcome after a reset with tries_max 1, and the key returns the result", async () => {
    const relay = await openRelay();
    const client = open({ port: relay.port, tries_max: 1 });
    const quote = await takeQuote(client);
    relay.cutReply(0);
    const error = await assertRejects(() => client.call("place_order", quote), PythonError);
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
    const client = open({ port, tries_max: 2 });
    const error = await assertRejects(() => client.call("create_quote", buy("1")), PythonError);
    assertEquals([error.code, error.outcome_unknown], ["connection_failed", false]);
    assertMatch(error.message, /could not be reached/);
  });

  it("gets one new token for 11 concurrent orders after its token became invalid, and places all", async () => {
    const client = open();
    const quotes = await Promise.all(Array.from({ length: 11 }, () => takeQuote(client)));
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
    client.reports.length = 0;
    await Promise.all(quotes.map((quote) => client.call("place_order", quote)));
    assertEquals(client.outcomesOf("issueToken"), ["200"]);
    assertEquals(client.outcomesOf("createOrder").filter((each) => each === "201").length, 11);
    assert(client.outcomesOf("createOrder").includes("token_invalid"));
  });

  it("waits as long as Retry-After says after a 429, and completes all calls", async () => {
    const client = open();
    const quotes = await Promise.all([1, 2, 3].map(() => takeQuote(client)));
    const mend = await exhaustRate(stack, partner);
    closing.push(mend);
    const orders = await Promise.all(quotes.map((quote) => client.call("place_order", quote)));
    assertEquals(orders.map(({ quote_id }) => quote_id), quotes.map(({ quote_id }) => quote_id));
    const limited = client.reports.filter(({ code }) => code === "rate_limited");
    assert(limited.length > 0);
    for (const { status, retry_in_seconds } of limited) assert(status === 429 && retry_in_seconds! >= 1);
  });

  it("retries on 503 while the database is unavailable, and then places the order", async () => {
    const client = open({ tries_max: 50 });
    const quote = await takeQuote(client);
    const mend = await cutDatabase(stack, partner);
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
    const client = open({ timeout_seconds: 0.7, tries_max: 50 });
    const quote = await takeQuote(client);
    const mend = await haltService(stack);
    const placed = client.call("place_order", quote);
    while (!client.outcomesOf("createOrder").includes("timed_out")) await soon();
    await mend();
    assertEquals((await placed).quote_id, quote.quote_id);
    assertEquals(await newOrders(), 1);
  });

  for (const minutes of [-4, 4]) {
    it(`places an order with a clock that is ${minutes} minutes off`, async () => {
      const client = open({ ahead_seconds: minutes * 60 });
      const quote = await takeQuote(client);
      assertEquals((await client.call("place_order", quote)).quote_id, quote.quote_id);
    });
  }

  for (const [minutes, says] of [[-6, /3[56]\d s behind/], [6, /3[56]\d s ahead of/]] as const) {
    it(`names the offset of a clock that is ${minutes} minutes off, and does not retry`, async () => {
      const client = open({ ahead_seconds: minutes * 60 });
      const quote = await takeQuote(client);
      const error = await assertRejects(() => client.call("place_order", quote), PythonError);
      assertEquals(error.code, "timestamp_out_of_window");
      assertMatch(error.message, says);
      assertEquals(client.outcomesOf("createOrder"), ["timestamp_out_of_window"]);
      assertEquals([error.outcome_unknown, await newOrders()], [false, 0]);
    });
  }

  if (kind === "async") {
    it("executes an order once if its task was cancelled, and the caller repeats it with its key", async () => {
      const relay = await openRelay();
      const client = open({ port: relay.port });
      const order = { ...await takeQuote(client), idempotency_key: "cancelled" };
      const mend = await haltService(stack);
      const heard = relay.heardBytes;
      const placed = client.call("place_order", order);
      while (relay.heardBytes === heard) await soon();
      client.cancel();
      assertEquals(await placed, "cancelled");
      await mend();
      assertEquals((await client.call("place_order", order)).quote_id, order.quote_id);
      assertEquals(await newOrders(), 1);
    });
  }
}
