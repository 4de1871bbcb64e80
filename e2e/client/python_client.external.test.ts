import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { openApiDocument } from "@gold-partner/protocol";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "../../tools/testing/assert.ts";
import { lastDays } from "../contract/calls_fixture.ts";
import { haltService, suspend } from "../contract/disturbances_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { ClientError } from "./client_program_fixture.ts";
import { PYTHON_PACKAGE, PythonClient, PythonEnvironment } from "./python_client_fixture.ts";
import { type Survival, testSurvival } from "./survival_fixture.ts";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";

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
    const folder = temporaryFolder("gold-python");
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
  });

  it("passes its own tests: the vectors, the types of replies, and calls over a scripted transport", async () => {
    const document = join(python.folder, "openapi.json");
    const options = { baseUrl: "https://gold.example", environment: "sandbox" } as const;
    await writeFile(document, JSON.stringify(openApiDocument(options)));
    const output = await python.run(["-m", "unittest", "discover", "-s", "tests"], {
      GOLD_OPENAPI: document,
    });
    const [, count] = /Ran (\d+) tests/.exec(output) ?? [];
    assert(Number(count) >= 68, output);
  });

  it("has the version of the other packages", async () => {
    const root = JSON.parse(await readFile(join(PYTHON_PACKAGE, "../package.json"), "utf8"));
    const program = "import importlib.metadata; print(importlib.metadata.version('gold-partner'))";
    assertEquals((await python.run(["-c", program])).trim(), root.version);
  });

  for (const kind of ["sync", "async"] as const) {
    const name = kind === "sync" ? "GoldClient" : "AsyncGoldClient";
    describe(`${name}, with the running service`, () => testCalls(kind, () => ({ python, stack })));
    describe(`${name}, when the service or the network fails`, () => {
      const tools = testSurvival(() => ({
        stack,
        open: (plan) => openPython(kind, { python, stack }, plan),
      }));
      testStreams(() => stack, tools);
      if (kind === "async") testCancelling(() => stack, tools);
    });
  }
});

type Kind = "sync" | "async";
type TestSetup = () => { readonly python: PythonEnvironment; readonly stack: Stack };

/** Opens a client of this kind for the partner. */
function openPython(kind: Kind, { python, stack }: ReturnType<TestSetup>, plan: object): PythonClient {
  const { client_id } = stack.partner.credentials;
  const credentials = stack.running.state.path("partners", client_id, "credentials.json");
  return new PythonClient(python, kind, credentials, plan);
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));
const buy = (gold_grams: string) => ({ side: "buy", gold_grams });

function testCalls(kind: Kind, setup: TestSetup): void {
  const opened: PythonClient[] = [];
  const open = (plan: object = {}) => {
    opened.push(openPython(kind, setup(), plan));
    return opened.at(-1)!;
  };
  afterEach(async () => {
    for (const client of opened.splice(0)) await client.close();
  });

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
    const stored = { ...withdrawal, bank_reference: null, expected_on: null };
    assertEquals(await client.call("get_withdrawal", { withdrawal_id }), stored);
    assertEquals((await client.call("list_withdrawals"))[0], stored);
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
    const pending = await client.call("create_withdrawal", { amount_sar: "3" });
    const cancelled = await client.call("cancel_withdrawal", { withdrawal_id: pending.withdrawal_id });
    assertEquals([cancelled.withdrawal_id, cancelled.status], [pending.withdrawal_id, "cancelled"]);
    const { funding_id, reversed_at } = await client.call("simulate_deposit", { amount_sar: "0.10" });
    const reversed = await client.call("simulate_deposit_reversal", { funding_id });
    assert(reversed_at === null && reversed.funding_id === funding_id && reversed.reversed_at !== null);
    const { quote_id } = await client.call("create_quote", buy("1"));
    assertEquals((await client.call("simulate_quote_expiry", { quote_id })).status, "expired");
    const refusal = async (name: string, members: object) =>
      (await assertRejects(() => client.call(name, members), ClientError)).code;
    assertEquals(await refusal("place_order", { quote_id }), "quote_expired");

    assertEquals(
      (await client.call("simulate_event", { type: "credential.added" })).type,
      "credential.added",
    );
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
    const first = await assertRejects(withdraw, ClientError);
    assertEquals([first.code, first.retryable, first.outcome_unknown], ["insufficient_funds", false, false]);
    assertEquals(first.idempotency_key, `too-much-${kind}`);
    const stranger = open({ client_secret: "wrong" });
    const refused = await assertRejects(() => stranger.call("get_balances"), ClientError);
    assertEquals(refused.code, "invalid_client");
  });

  it("does not retry if a certificate is not accepted", async () => {
    const { cert } = setup().stack.partner.credentials;
    const client = open({ ca: cert }); // not the CA of the server's certificate
    const error = await assertRejects(() => client.call("get_health"), ClientError);
    assertEquals([error.code, error.retryable, error.outcome_unknown], ["tls_failed", false, false]);
    assertEquals(client.outcomesOf("getHealth"), ["tls_failed"]);
  });
}

function testStreams(stack: () => Stack, { open, openRelay }: Survival<PythonClient>): void {
  const opened = async (client: PythonClient, operation: string, count: number) => {
    while (client.outcomesOf(operation).filter((outcome) => outcome === "200").length < count) await soon();
  };
  const newestSequence = async () =>
    (await stack().partner.succeed("testWebhook", { body: {} })).sequence as number;

  it("streams None while there is no fresh price, and then a price with exact amounts", async () => {
    const client = await open();
    await client.call("simulate_market", { state: "price_stale" });
    const streamed = client.take(2, "stream_prices");
    await opened(client, "streamPrices", 1);
    // Give the stream time to send that there is no price, before the simulation ends.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await client.call("reset_simulations");
    const [first, second] = await streamed;
    const { buy_price: _, sell_price: __, as_of: ___, ...other } = await client.call("get_prices");
    const { buy_price, sell_price, as_of, ...same } = second;
    assertEquals([first, same], [null, other]);
    for (const price of [buy_price, sell_price]) assertMatch(price, /^\d+(\.\d+)?$/);
    assertMatch(as_of, /Z$/);
  });

  it("streams each event once, although two connections are reset, one of them within an event", async () => {
    const after = await newestSequence();
    const relay = await openRelay();
    const client = await open({ port: relay.port });
    const streamed = client.take(3, "stream_events", { after });
    for (const [index, cutAfterBytes] of [0, 150].entries()) {
      await opened(client, "streamEvents", index + 1);
      relay.cutReply(cutAfterBytes);
      await newestSequence();
      while (relay.cuts === index) await soon();
    }
    await newestSequence();
    const sequences = (await streamed).map(({ sequence }: { sequence: number }) => sequence - after);
    assertEquals(sequences, [1, 2, 3]);
    assertEquals(client.outcomesOf("streamEvents").filter((outcome) => outcome === "200").length, 3);
  });

  it("ends a stream with an error when the partner is suspended", async () => {
    const client = await open();
    const streamed = client.take(1, "stream_events", { after: await newestSequence() });
    await opened(client, "streamEvents", 1);
    const [error, mend] = await Promise.all([
      assertRejects(() => streamed, ClientError),
      suspend(stack(), stack().partner),
    ]);
    await mend();
    assertEquals([error.code, error.retryable], ["partner_suspended", false]);
    assertEquals(client.outcomesOf("streamEvents"), ["200"]);
  });
}

function testCancelling(
  stack: () => Stack,
  { open, openRelay, takeQuote, newOrders }: Survival<PythonClient>,
): void {
  it("executes an order once if its task was cancelled, and the caller repeats it with its key", async () => {
    const relay = await openRelay();
    const client = await open({ port: relay.port });
    const order = { ...await takeQuote(client), idempotency_key: "cancelled" };
    const mend = await haltService(stack());
    const heard = relay.heardBytes;
    const placed = client.call("place_order", order);
    while (relay.heardBytes === heard) await new Promise((resolve) => setTimeout(resolve, 20));
    client.cancel();
    assertEquals(await placed, "cancelled");
    await mend();
    assertEquals((await client.call("place_order", order)).quote_id, order.quote_id);
    assertEquals(await newOrders(), 1);
  });
}
