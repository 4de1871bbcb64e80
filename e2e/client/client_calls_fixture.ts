import { readFileSync } from "node:fs";
import { afterEach, it } from "node:test";
import { ENDPOINTS, operationsOf } from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { lastDays } from "../contract/calls_fixture.ts";
import type { Stack } from "../contract/stack_fixture.ts";
import { ADDED, AdditiveRelay } from "./additive_relay_fixture.ts";
import { ClientError } from "./client_program_fixture.ts";
import type { ClientPlan, TestedClient } from "./survival_fixture.ts";

const CALLED = operationsOf("sandbox").filter((operation) => {
  const { token, reply } = ENDPOINTS[operation];
  return (token !== "none" || operation === "getHealth") && !reply.mediaType;
});
const buy = (gold_grams: string) => ({ side: "buy", gold_grams });
/** Removes members that are null. Not every program writes them. */
const given = (value: unknown) => JSON.parse(JSON.stringify(value, (_, each) => each ?? undefined));
const refusalOf = async (call: () => Promise<unknown>) => await assertRejects(call, ClientError);

/**
 * Tests every call of the client of one language, except streams, against the running service. `label` makes
 * references and keys unique if several clients use one service.
 */
export function testCalls<C extends TestedClient>(
  label: string,
  setup: () => { readonly stack: Stack; readonly open: (plan: ClientPlan) => C },
): void {
  const called = new Set<string>();
  const opened: C[] = [];
  const open = (plan: ClientPlan = {}) => {
    opened.push(setup().open(plan));
    return opened.at(-1)!;
  };
  afterEach(async () => {
    for (const client of opened.splice(0)) {
      await client.close();
      for (const { operation } of client.reports) called.add(operation);
    }
  });

  it("buys, sells, withdraws and reads with exact amounts", async () => {
    const client = open();
    assertEquals((await client.call("fund_sandbox", { amount_sar: "0.10" })).amount_sar, "0.1");
    const start = await client.call("get_balances");
    const quote = await client.call("create_quote", buy("1.5"));
    const { balances, ...order } = await client.call("place_order", { quote_id: quote.quote_id });
    const minus = (left: string, right: string) => (Number(left) * 100 - Number(right) * 100) / 100;
    assertEquals(Number(balances.sar.available), minus(start.sar.available, order.total_sar));
    assertEquals(await client.call("get_order", { order_id: order.order_id }), order);
    assertEquals((await client.call("get_quote", { quote_id: quote.quote_id })).status, "executed");
    const sale = await client.call("create_quote", { side: "sell", amount_sar: "12.34" });
    assert(Number(sale.total_sar) >= 12.34);

    const request = { amount_sar: "5.10", reference: `${label} 1` };
    const { balances: _, ...created } = await client.call("create_withdrawal", request);
    const { withdrawal_id } = created;
    assertEquals([created.amount_sar, created.status], ["5.1", "pending_approval"]);
    assertEquals(given(await client.call("get_withdrawal", { withdrawal_id })), given(created));
    assertEquals(given((await client.call("list_withdrawals"))[0]), given(created));
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
    const { closing_balance } = await client.call("get_statement", lastDays());
    const { gold } = await client.call("get_balances");
    assertEquals(closing_balance.gold_grams, gold.grams);
    assertMatch(await client.call("get_statement_csv", lastDays()), /^[a-z_,]+\r\n/);
    const { fine_grams, owed_grams, reserves_list_id } = await client.call("get_reserves");
    assert(Number(fine_grams) >= Number(owed_grams));
    assertEquals((await client.call("get_reserves_list", { reserves_list_id })).fine_grams, fine_grams);
    assertEquals((await client.call("get_limits")).gold_grams.minimum, "0.0001");
    // A property of C# cannot have the name of its class.
    const { value, chain_key = value } = await client.call("get_chain_key");
    assertMatch(chain_key, /^[0-9a-f]{64}$/);
    assertEquals((await client.call("get_credentials")).signing_keys.length, 1);
    const { client_id } = setup().stack.partner.credentials;
    assertEquals((await client.call("get_account")).client_id, client_id);
    const endpoint = { url: "https://bank.example/orders", types: ["order.executed"] };
    const { change_id } = await client.call("request_change", { webhook_endpoint: endpoint });
    assertEquals((await client.call("get_change", { change_id })).webhook_endpoint, endpoint);
    assertEquals((await client.call("get_changes")).items[0].change_id, change_id);
    const { valid, mistake = null } = await client.call("probe_signature");
    assertEquals([valid, mistake], [true, null]);
  });

  it("simulates withdrawals, deposits, quotes, events, the market, prices, failures and webhooks", async () => {
    const client = open();
    const { withdrawal_id } = await client.call("create_withdrawal", { amount_sar: "7" });
    const decided = await client.call("simulate_withdrawal", { withdrawal_id, outcome: "paid" });
    assertEquals([decided.withdrawal_id, decided.status], [withdrawal_id, "paid"]);
    const { funding_id } = await client.call("simulate_deposit", { amount_sar: "0.10" });
    const reversed = await client.call("simulate_deposit_reversal", { funding_id });
    assertEquals(reversed.funding_id, funding_id);
    assertMatch(reversed.reversed_at, /Z$/);
    const { quote_id } = await client.call("create_quote", buy("1"));
    assertEquals((await client.call("simulate_quote_expiry", { quote_id })).status, "expired");
    assertEquals((await refusalOf(() => client.call("place_order", { quote_id }))).code, "quote_expired");
    const { type } = await client.call("simulate_event", { type: "credential.added" });
    assertEquals(type, "credential.added");

    const { market } = await client.call("simulate_market", { state: "closed", seconds: 100 });
    assertEquals(market.state, "closed");
    assertEquals((await refusalOf(() => client.call("create_quote", buy("1")))).code, "market_closed");
    const { prices } = await client.call("simulate_prices", { percent: -10 });
    assertEquals(prices.percent, -10);
    const { webhooks } = await client.call("simulate_webhooks", { kind: "late", count: 2, seconds: 1 });
    assertEquals([webhooks.kind, webhooks.remaining, webhooks.seconds], ["late", 2, 1]);
    assertEquals(given(await client.call("get_simulations")), given({ market, prices, webhooks }));
    assertEquals(given(await client.call("reset_simulations")), {});

    const { failure } = await client.call("simulate_failure", { kind: "refused", code: "ip_not_allowed" });
    assertEquals([failure.code, failure.seconds ?? null, failure.remaining], ["ip_not_allowed", null, 1]);
    assertEquals((await refusalOf(() => client.call("get_balances"))).code, "ip_not_allowed");
  });

  it("has made every call of the API", () => {
    assertEquals(CALLED.filter((operation) => !called.has(operation)), []);
  });

  it("reads states, event types and members that a later version of the service adds", async () => {
    const { stack } = setup();
    const [ca, cert, key] = (["ca", "cert", "key"] as const).map((name) =>
      readFileSync(stack.partner.credentials[name], "utf8")
    ) as [string, string, string];
    const upstream = { port: Number(new URL(stack.running.baseUrl).port), ca, cert, key };
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
      for (const name of ["limits", "chain_key", "reserves", "credentials", "account", "prices"]) {
        await client.call(`get_${name}`);
      }
    } finally {
      await later.close();
    }
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
    const request = { amount_sar: "9999999999", idempotency_key: `too-much-${label}` };
    const error = await refusalOf(() => client.call("create_withdrawal", request));
    assertEquals([error.code, error.retryable, error.outcome_unknown], ["insufficient_funds", false, false]);
    assertEquals(error.idempotency_key, `too-much-${label}`);
    const stranger = open({ client_secret: "wrong" });
    assertEquals((await refusalOf(() => stranger.call("get_balances"))).code, "invalid_client");
  });

  it("does not retry if a certificate is not accepted", async () => {
    const { cert } = setup().stack.partner.credentials;
    const client = open({ ca: cert }); // not the CA of the server's certificate
    const error = await refusalOf(() => client.call("get_health"));
    assertEquals([error.code, error.retryable, error.outcome_unknown], ["tls_failed", false, false]);
    assertEquals(client.outcomesOf("getHealth"), ["tls_failed"]);
  });
}
