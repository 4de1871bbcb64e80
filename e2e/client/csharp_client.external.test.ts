import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "../../tools/testing/assert.ts";
import { lastDays } from "../contract/calls_fixture.ts";
import { suspend, takePriceAway } from "../contract/disturbances_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { ADDED, AdditiveRelay } from "./additive_relay_fixture.ts";
import { ClientError } from "./client_program_fixture.ts";
import { CSHARP_PACKAGE, CsharpBuild, CsharpClient } from "./csharp_client_fixture.ts";
import { FaultRelay } from "./fault_relay_fixture.ts";
import { testSurvival } from "./survival_fixture.ts";

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));
const buy = (gold_grams: string) => ({ side: "buy", gold_grams });

describe("the C# client", () => {
  let build: CsharpBuild;
  let stack: Stack;
  const opened: CsharpClient[] = [];
  const open = (plan: object = {}) => {
    const { client_id } = stack.partner.credentials;
    const credentials = stack.running.state.path("partners", client_id, "credentials.json");
    opened.push(new CsharpClient(build, credentials, plan));
    return opened.at(-1)!;
  };

  before(async () => {
    build = await CsharpBuild.create();
    stack = await Stack.open();
    await stack.partner.succeed("fundSandbox", { body: { amount_sar: 1_000_000 } });
  });
  afterEach(async () => {
    for (const client of opened.splice(0)) await client.close();
  });
  after(async () => {
    await stack?.close();
  });

  it("passes its own tests: the vectors, calls over a scripted handler, and streams", async () => {
    const passed = await build.runTests();
    assert(passed >= 29, `${passed} tests`);
  });

  it("needs no package, and its assembly has the version of the other packages", () => {
    const { version } = JSON.parse(readFileSync(join(CSHARP_PACKAGE, "../package.json"), "utf8"));
    const described = readFileSync(join(build.folder, "GoldPartner/GoldPartner.deps.json"), "utf8");
    const { libraries } = JSON.parse(described) as { libraries: object };
    assertEquals(Object.keys(libraries), [`GoldPartner/${version}`]);
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

    const created = await client.call("create_withdrawal", { amount_sar: "5.10", reference: "csharp 1" });
    const { withdrawal_id } = created;
    assertEquals([created.amount_sar, created.reference], ["5.1", "csharp 1"]);
    assertEquals((await client.call("get_withdrawal", { withdrawal_id })).status, "pending_approval");
    assertEquals((await client.call("list_withdrawals"))[0].withdrawal_id, withdrawal_id);
    const cancelled = await client.call("cancel_withdrawal", { withdrawal_id });
    assertEquals([cancelled.withdrawal_id, cancelled.status], [withdrawal_id, "cancelled"]);
    assertEquals((await client.call("list_orders", { limit: 1 }))[0], order);
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
    assert(Array.isArray((await client.call("get_price_history")).bars));
    const days = lastDays();
    const { closing_balance } = await client.call("get_statement", days);
    const { gold } = await client.call("get_balances");
    assertEquals(closing_balance.gold_grams, gold.grams);
    assertMatch(await client.call("get_statement_csv", days), /^[a-z_,]+\r\n/);
    const { fine_grams, owed_grams, reserves_list_id } = await client.call("get_reserves");
    assert(Number(fine_grams) >= Number(owed_grams));
    assertEquals((await client.call("get_reserves_list", { reserves_list_id })).fine_grams, fine_grams);
    assertEquals((await client.call("get_limits")).gold_grams.minimum, "0.0001");
    assertMatch((await client.call("get_chain_key")).value, /^[0-9a-f]{64}$/);
    assertEquals((await client.call("get_credentials")).signing_keys.length, 1);
    assertEquals((await client.call("get_account")).client_id, stack.partner.credentials.client_id);
    const { valid, mistake = null } = await client.call("probe_signature", { body: "{}" });
    assertEquals([valid, mistake], [true, null]);
  });

  it("simulates withdrawals, deposits, quotes, the market, prices, failures and webhooks", async () => {
    const client = open();
    const { withdrawal_id } = await client.call("create_withdrawal", { amount_sar: "7" });
    const decided = await client.call("simulate_withdrawal", { withdrawal_id, outcome: "paid" });
    assertEquals([decided.withdrawal_id, decided.status], [withdrawal_id, "paid"]);
    const { funding_id } = await client.call("simulate_deposit", { amount_sar: "0.10" });
    const reversed = await client.call("simulate_deposit_reversal", { funding_id });
    assert(reversed.funding_id === funding_id && reversed.reversed_at !== undefined);
    const { quote_id } = await client.call("create_quote", buy("1"));
    assertEquals((await client.call("simulate_quote_expiry", { quote_id })).status, "expired");
    const refusal = async (name: string, members: object) =>
      (await assertRejects(() => client.call(name, members), ClientError)).code;
    assertEquals(await refusal("place_order", { quote_id }), "quote_expired");

    const { market } = await client.call("simulate_market", { state: "closed", seconds: 100 });
    assertEquals(market.state, "closed");
    assertEquals(await refusal("create_quote", buy("1")), "market_closed");
    assertEquals((await client.call("simulate_prices", { percent: -10 })).prices.percent, -10);
    const { webhooks } = await client.call("simulate_webhooks", { kind: "late", count: 2, seconds: 1 });
    assertEquals([webhooks.kind, webhooks.remaining, webhooks.seconds], ["late", 2, 1]);
    assertEquals((await client.call("get_simulations")).market, market);
    assertEquals(await client.call("reset_simulations"), {});

    const { failure } = await client.call("simulate_failure", { kind: "refused", code: "ip_not_allowed" });
    assertEquals([failure.code, failure.remaining], ["ip_not_allowed", 1]);
    assertEquals(await refusal("get_balances", {}), "ip_not_allowed");
  });

  it("reads states, event types and members that a later version of the service adds", async () => {
    const { ca, cert, key } = stack.partner.credentials;
    const [caText, certText, keyText] = [ca, cert, key].map((file) => readFileSync(file, "utf8"));
    const port = Number(new URL(stack.running.baseUrl).port);
    const upstream = { port, ca: caText!, cert: certText!, key: keyText! };
    const served = await stack.partner.succeed("getOpenApi");
    const later = await AdditiveRelay.open(upstream, await stack.serverCertificate(), served);
    try {
      const client = open({ port: later.port });
      const { quote_id } = await client.call("create_quote", buy("0.5"));
      assertEquals((await client.call("place_order", { quote_id })).status, ADDED);
      for (const list of ["list_orders", "list_withdrawals"]) {
        assertEquals((await client.call(list))[0].status, ADDED);
      }
      const [event] = await client.call("list_events");
      assertEquals([event.type, event.delivery.status], [ADDED, ADDED]);
      for (
        const name of [
          "get_limits",
          "get_chain_key",
          "get_reserves",
          "get_credentials",
          "get_account",
          "get_prices",
        ]
      ) {
        await client.call(name);
      }
    } finally {
      await later.close();
    }
  });

  it("follows prices and events, and gets each event once", async () => {
    const client = open();
    const [update] = await client.call("stream_prices", { take: 1 });
    assertEquals(update.prices.currency, "SAR");
    const events = await client.call("list_events");
    const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
    const followed = await client.call("stream_events", { after: 0, take: events.length });
    assertEquals(ids(followed), ids(events));
    const next = client.call("stream_events", { after: events.length, take: 2 });
    const fundings = [];
    for (const amount_sar of ["1", "2"]) fundings.push(await client.call("fund_sandbox", { amount_sar }));
    const arrived = await next;
    assertEquals(
      arrived.map((event: { data: { funding: { funding_id: string } } }) => event.data.funding.funding_id),
      fundings.map(({ funding_id }) => funding_id),
    );
  });

  it("resumes after the last event if the connection is reset in the middle of one", async () => {
    const relay = await FaultRelay.open(Number(new URL(stack.running.baseUrl).port));
    try {
      const client = open({ port: relay.port });
      const events = await client.call("list_events");
      relay.cutReply(2500);
      const followed = await client.call("stream_events", { after: 0, take: events.length });
      assertEquals(
        followed.map(({ sequence }: { sequence: number }) => sequence),
        events.map((_: object, index: number) => index + 1),
      );
      assertEquals([relay.cuts, client.outcomesOf("streamEvents")], [1, ["200", "200"]]);
    } finally {
      await relay.close();
    }
  });

  it("says when there is no fresh price, and ends when the account is suspended", async () => {
    const client = open();
    const updates = client.call("stream_prices", { take: 2 });
    while (client.outcomesOf("streamPrices").length === 0) await soon();
    const restorePrice = await takePriceAway(stack);
    const [first, second] = await updates;
    await restorePrice();
    assert(first.prices !== undefined && second.prices === undefined);

    const following = client.call("stream_events", { after: 1_000_000 });
    while (client.outcomesOf("streamEvents").length === 0) await soon();
    const resume = await suspend(stack, stack.partner);
    const error = await assertRejects(() => following, ClientError);
    await resume();
    assertEquals([error.code, error.retryable], ["partner_suspended", false]);
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
      client.call("create_withdrawal", { amount_sar: "9999999999", idempotency_key: "too-much-csharp" });
    const error = await assertRejects(withdraw, ClientError);
    assertEquals([error.code, error.retryable, error.outcome_unknown], ["insufficient_funds", false, false]);
    assertEquals(error.idempotency_key, "too-much-csharp");
    const stranger = open({ client_secret: "wrong" });
    const refused = await assertRejects(() => stranger.call("get_balances"), ClientError);
    assertEquals(refused.code, "invalid_client");
  });

  it("does not retry if a certificate is not accepted", async () => {
    const { cert } = stack.partner.credentials;
    const client = open({ ca: cert }); // not the CA of the server's certificate
    const error = await assertRejects(() => client.call("get_health"), ClientError);
    assertEquals([error.code, error.retryable, error.outcome_unknown], ["tls_failed", false, false]);
    assertEquals(client.outcomesOf("getHealth"), ["tls_failed"]);
  });

  describe("when the service or the network fails", () => {
    testSurvival(() => ({ stack, open }));
  });
});
