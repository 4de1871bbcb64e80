import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { ACCOUNT, CHAIN_KEY, RESERVES_LIST, STATEMENT } from "../openapi/examples/books.ts";
import { CHANGES } from "../openapi/examples/changes.ts";
import { ORDERS, QUOTES } from "../openapi/examples/trading.ts";
import { tokenErrorSchema } from "../problem.ts";
import * as schemas from "./mod.ts";

const at = "2026-01-31T09:30:00.000Z";
const uuid = "01890a5d-ac96-774b-bcce-b302099a8057";
const digest = "a".repeat(64);
const balances = { sar: { available: 0, held: 0.01 }, gold: { grams: 1.5 }, as_of: at };
const order = ORDERS.buy;
const fundingCreated = { funding_id: `fnd_${uuid}`, amount_sar: 1000, created_at: at };
const funding = { ...fundingCreated, reversed_at: null };
const withdrawalCreated = {
  withdrawal_id: `wd_${uuid}`,
  amount_sar: 1000,
  reference: null,
  iban_masked: "SA03****************7519",
  status: "pending_approval",
  created_at: at,
};
const withdrawal = { ...withdrawalCreated, bank_reference: null, expected_on: null };
const event = {
  type: "order.executed",
  id: `evt_${uuid}`,
  sequence: 1,
  created_at: at,
  environment: "sandbox",
  api_version: "1",
  data: { order, chain_head: digest },
};
const step = { ok: null, detail: "Not reached." };
const life = { not_before: at, retire_at: null, last_used_at: null };
const delivery = {
  status: "delivered",
  next_attempt_at: null,
  attempts: [{ attempted_at: at, http_status: 204, duration_ms: 12, cause: null }],
};

/** For each schema, one reply that it accepts. */
const REPLIES: Record<string, unknown> = {
  healthReply: { status: "ok" },
  jwksReply: { keys: [{ kty: "EC", crv: "P-256", x: "x", y: "y", kid: "k", alg: "ES256", use: "sig" }] },
  authorizationServerReply: {
    issuer: "https://localhost:8443",
    token_endpoint: "https://localhost:8443/oauth/token",
    jwks_uri: "https://localhost:8443/.well-known/jwks.json",
    grant_types_supported: ["client_credentials"],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ["client_secret_post"],
    tls_client_certificate_bound_access_tokens: true,
  },
  tokenReply: { access_token: "t", token_type: "Bearer", expires_in: 600 },
  pricesReply: {
    currency: "SAR",
    unit: "gram",
    purity: "24K",
    buy_price: 412.3456,
    sell_price: 410,
    as_of: at,
    market: "open",
  },
  priceHistoryReply: {
    ...{ currency: "SAR", unit: "gram", purity: "24K" },
    bars: [{
      begins_at: at,
      buy_price: { first: 401.2, highest: 401.9, lowest: 401.1, last: 401.5 },
      sell_price: { first: 398.8, highest: 399.5, lowest: 398.7, last: 399.1 },
    }],
  },
  accountReply: ACCOUNT,
  changeReply: { ...CHANGES.ip_range, status: "declined", decided_at: at, reason: "Not yours." },
  changesReply: { items: Object.values(CHANGES) },
  balancesReply: balances,
  quoteReply: QUOTES.buy_by_grams,
  orderReply: order,
  orderCreatedReply: { ...order, balances },
  ordersReply: { items: [order], next_cursor: "c" },
  fundingReply: funding,
  fundingCreatedReply: { ...fundingCreated, balances },
  fundingsReply: { items: [], next_cursor: null },
  withdrawalReply: withdrawal,
  withdrawalCreatedReply: { ...withdrawalCreated, balances },
  withdrawalsReply: { items: [withdrawal], next_cursor: null },
  probeReply: {
    valid: false,
    steps: { timestamp: step, nonce: step, header: step, key: step, signature: step },
    clock_offset_seconds: null,
    canonical_string: null,
    canonical_sha256: null,
    mistake: "crlf",
  },
  eventReply: { ...event, delivery },
  eventsReply: { items: [{ ...event, delivery }], next_cursor: null },
  statementReply: STATEMENT,
  reservesReply: {
    bars: [{ serial: "S", refiner: "R", vault: "V", gross_grams: 1000, fineness: 999.9, fine_grams: 999.9 }],
    fine_grams: 999.9,
    owed_grams: 0,
    coverage: null,
    as_of: at,
    reserves_list_id: "lst_1",
  },
  reservesListReply: RESERVES_LIST,
  chainKeyReply: CHAIN_KEY,
  limitsReply: {
    gold_grams: { step: 0.0001, minimum: 0.0001, maximum: 1000 },
    amount_sar: { step: 0.01, minimum: 0.01, maximum: 10_000_000_000 },
    smallest_trade: null,
    quote_ttl_seconds: 60,
    rate_limit: { requests_per_second: 50, burst: 200 },
    streams: { maximum: 50 },
    open_quotes: { maximum_quotes: 100, quotes: 0, maximum_gold_grams: null, gold_grams: 0 },
    daily_records: null,
    net_position: { maximum_gold_grams: 100, buy_gold_grams: 0, sell_gold_grams: 100, resets_at: at },
    daily_withdrawals: {
      maximum_withdrawals: null,
      withdrawals: 1,
      maximum_amount_sar: 100,
      amount_sar: 1,
      resets_at: at,
    },
    exposure: { buy: false, sell: true },
    market_hours: {
      always_open: false,
      time_zone: "Asia/Riyadh",
      sessions: [{ day: "sunday", opens: "10:00", closes: "23:59" }],
      halted_at: at,
    },
  },
  credentialsReply: {
    certificates: [{ sha256: digest, expires_at: at, revoked_at: null, ...life }],
    signing_keys: [{ kid: "k", thumbprint: "t", ...life }],
    client_secrets: [{ secret_id: "s", ...life }],
    webhook_secrets: [],
  },
  simulatedEventReply: { id: event.id, type: "day.closed", sequence: 2, created_at: at },
  simulationsReply: {
    market: { state: "closed", until: at },
    prices: null,
    failure: { kind: "timeout", code: "upstream_timeout", seconds: null, remaining: 1, until: at },
    webhooks: { kind: "late", seconds: 5, remaining: 2, until: at },
  },
};

const exported: [string, unknown][] = Object.entries(schemas);
const all = exported.filter((entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType);
const schemaOf = (name: string): z.ZodType => {
  const found = all.find(([one]) => one === name);
  assert(found, name);
  return found[1];
};
const accepts = (name: string, reply: unknown): boolean => schemaOf(name).safeParse(reply).success;

describe("the reply schemas", () => {
  it("accept a complete reply", () => {
    const names = all.map(([name]) => name).filter((name) => name.endsWith("Reply")).sort();
    assertEquals(Object.keys(REPLIES).sort(), names);
    for (const [name, reply] of Object.entries(REPLIES)) {
      assertEquals(schemaOf(name).parse(reply), reply, name);
    }
  });

  it("reject a reply without a required member", () => {
    const optional = new Set([
      "service_documentation",
      ...["quoteReply", "orderReply", "orderCreatedReply"].flatMap((reply) => [
        `reference of ${reply}`,
        `account_label of ${reply}`,
      ]),
      "environment of eventReply",
      "api_version of eventReply",
      "ip_range of changeReply",
      "reserves_list_id of orderReply",
      "reserves_list_id of orderCreatedReply",
    ]);
    for (const [name, reply] of Object.entries(REPLIES)) {
      for (
        const member of Object.keys(reply as object).filter((member) =>
          !optional.has(member) && !optional.has(`${member} of ${name}`)
        )
      ) {
        const { [member]: _left, ...rest } = reply as Record<string, unknown>;
        assertEquals(accepts(name, rest), false, `${name} without ${member}`);
      }
    }
  });

  it("ignore members that a later version adds, except in the health reply", () => {
    for (const [name, reply] of Object.entries(REPLIES)) {
      assertEquals(accepts(name, { ...reply as object, added_later: 1 }), name !== "healthReply", name);
    }
  });

  it("reject numbers with too many decimals, and quantities as text", () => {
    for (const total_sar of [618.521, 1e-7, "618.52", NaN, Infinity]) {
      assertEquals(accepts("orderReply", { ...order, total_sar }), false, `${total_sar}`);
    }
    assertEquals(accepts("orderReply", { ...order, gold_grams: 0.00001 }), false);
    assertEquals(accepts("orderReply", { ...order, price_per_gram_sar: 1.00001 }), false);
    assertEquals(
      accepts("orderReply", { ...order, gold_grams: 0.0001, total_sar: 999_999_999_999.99 }),
      true,
    );
  });

  it("reject ids of other kinds and instants in other formats, and accept states that a later version adds", () => {
    assertEquals(accepts("orderReply", { ...order, order_id: order.quote_id }), false);
    assertEquals(accepts("orderReply", { ...order, executed_at: "2026-01-31T09:30:00Z" }), false);
    assertEquals(accepts("orderReply", { ...order, side: "swap" }), false);
    assertEquals(accepts("orderReply", { ...order, status: "settled" }), true);
    assertEquals(accepts("withdrawalReply", { ...withdrawal, status: "lost" }), true);
    assertEquals(accepts("withdrawalReply", { ...withdrawal, status: 1 }), false);
    assertEquals(accepts("tokenReply", { access_token: "t", token_type: "bearer", expires_in: 600 }), false);
    assertEquals(tokenErrorSchema.safeParse({ error: "invalid_client" }).success, false);
  });

  it("accept an event only with chain_head and the data of its type", () => {
    const credential = { kind: "certificate", id: digest, expires_at: at };
    const logins = { changed_by: "sara", approved_by: null };
    const changed = { kind: "signing_key", id: "t", kid: null, valid_from: at, valid_until: null, ...logins };
    const balances = { available_sar: 1.5, held_sar: 0, gold_grams: 0.0001 };
    const day = {
      ...{ date: "2026-01-31", first_sequence: null, last_sequence: null },
      ...{ opening_balance: balances, closing_balance: balances },
      ...{ quotes: 1, orders: 0, refusals: 0, broken: 0, quotes_sha256: digest, refusals_sha256: digest },
      epoch: { number: 1, timeline: 1, began_at: at },
    };
    const data: Record<string, object> = {
      "order.executed": { order },
      "funding.completed": { funding },
      "credential.expiring": { credential },
      "credential.added": { credential: changed },
      "credential.ended": { credential: { ...changed, valid_until: at, approved_by: "omar" } },
      "settlement.changed": { settlement: { iban_masked: "SA03", iban_sha256: digest, ...logins } },
      "webhook_endpoint.changed": { webhook_endpoint: { url: "https://bank.example/hook", ...logins } },
      "day.closed": { day },
      "webhook.test": {},
    };
    for (const status of ["created", "approved", "submitted", "paid", "rejected", "returned", "cancelled"]) {
      data[`withdrawal.${status}`] = { withdrawal };
    }
    for (const [type, content] of Object.entries(data)) {
      assertEquals(
        accepts("webhookEvent", { ...event, type, data: { ...content, chain_head: digest } }),
        true,
        type,
      );
      assertEquals(
        accepts("webhookEvent", { ...event, type, data: { chain_head: digest } }),
        type === "webhook.test",
        type,
      );
      assertEquals(accepts("webhookEvent", { ...event, type, data: content }), false, type);
    }
  });

  it("accept an event type that a later version adds, with any data beside chain_head", () => {
    const later = { ...event, type: "vault.audited", data: { audit: [1], chain_head: digest } };
    assertEquals<unknown>(schemas.webhookEvent.parse(later), later);
    assertEquals<unknown>(schemas.eventReply.parse({ ...later, delivery }), { ...later, delivery });
    assertEquals(accepts("eventReply", later), false);
    for (const change of [{ type: 1 }, { data: {} }, { data: null }, { id: "evt_1" }, { sequence: "1" }]) {
      assertEquals(accepts("webhookEvent", { ...later, ...change }), false, JSON.stringify(change));
    }
  });

  it("accept an event with or without the number of the event before it, and null for none", () => {
    for (const previous_sequence of [1, 7, null]) {
      const sent = { ...event, previous_sequence };
      assertEquals<unknown>(schemas.webhookEvent.parse(sent), sent);
      assertEquals(Object.keys(schemas.webhookEvent.parse(sent)).at(-1), "previous_sequence");
    }
    assertEquals(accepts("webhookEvent", event), true);
    for (const previous_sequence of [0, 1.5, "7"]) {
      assertEquals(accepts("webhookEvent", { ...event, previous_sequence }), false, `${previous_sequence}`);
    }
  });

  it("accept an event with or without the client_id of its receiver, which comes last", () => {
    const sent = { ...event, previous_sequence: null, client_id: "sbx_k2m7q4x9t3v8n5r6b2hd" };
    assertEquals<unknown>(schemas.webhookEvent.parse(sent), sent);
    assertEquals(Object.keys(schemas.webhookEvent.parse(sent)).at(-1), "client_id");
    assertEquals(accepts("webhookEvent", { ...event, client_id: null }), false);
  });

  it("accept an event with or without its delivery to each endpoint", () => {
    const reply = {
      ...event,
      delivery,
      deliveries: [{ endpoint: 1, ...delivery }, { endpoint: 4, ...delivery }],
    };
    assertEquals<unknown>(schemas.eventReply.parse(reply), reply);
    assertEquals(accepts("eventReply", { ...event, delivery }), true);
    assertEquals(accepts("eventReply", { ...reply, deliveries: [delivery] }), false);
    assertEquals(accepts("eventReply", { ...reply, deliveries: [{ ...delivery, endpoint: 0 }] }), false);
  });

  it("accept an endpoint with its types, and one without a filter", () => {
    const endpoint = ACCOUNT.webhook_endpoints[0]!;
    for (const one of [{ ...endpoint, types: ["order.executed", "vault.audited"] }, endpoint]) {
      assertEquals(accepts("accountReply", { ...ACCOUNT, webhook_endpoints: [one] }), true);
    }
    for (
      const wrong of [{ types: "order.executed" }, { types: undefined }, { endpoint: "1" }, {
        delivered_to: -1,
      }]
    ) {
      const webhook_endpoints = [{ ...endpoint, ...wrong }];
      assertEquals(accepts("accountReply", { ...ACCOUNT, webhook_endpoints }), false, JSON.stringify(wrong));
    }
  });

  it("reject a sequence number that is below 1 or not whole", () => {
    for (const sequence of [0, -5, 1.5]) {
      assertEquals(accepts("webhookEvent", { ...event, sequence }), false, `${sequence}`);
    }
  });
});
