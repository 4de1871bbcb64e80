import { after, before, it } from "node:test";
import {
  ENDPOINTS,
  openApiDocument,
  type OperationId,
  problemSchema,
  TOKEN_PROBLEM_REGISTRY,
  tokenErrorSchema,
} from "@gold-partner/protocol";
import { assert, assertEquals } from "@std/assert";
import type { Call, Caller } from "./caller_fixture.ts";
import { lastDays } from "./calls_fixture.ts";
import { Faults } from "./faults_fixture.ts";
import type { Stack } from "./stack_fixture.ts";

/** The base URL in the examples. */
const EXAMPLE_URL = "https://gold.example";

/**
 * Values that are new in each run. A day is replaced only if it is the whole value, because a reference may
 * contain a day and must not change.
 */
const NEW_EACH_TIME: readonly (readonly [form: RegExp, name: string])[] = [
  [/\b(qt|ord|wd|fnd|evt|chg|req)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "$1_"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "instant"],
  [/"\d{4}-\d\d-\d\d"/g, '"day"'],
  [/\b[0-9a-f]{64}\b/g, "hash"],
];

/** Values that depend on the deployment, the clock, or deliveries that have not been tried. */
const OF_THE_MOMENT = new Set([
  "bars",
  "access_token",
  "bank_reference",
  "buy_gold_grams",
  "canonical_string",
  "client_id",
  "clock_offset_seconds",
  "deliveries",
  "delivery",
  "expected_on",
  "kid",
  "last_used_at",
  "line",
  "quotes",
  "records",
  "retire_at",
  "secret_id",
  "webhook_endpoints",
  "sell_gold_grams",
  "thumbprint",
  "withdrawals",
  "x",
  "y",
]);

/**
 * Replaces the base URL with the examples' base URL, and each value that is new in each run with a marker.
 */
function mark(text: string, baseUrl: string): string {
  return NEW_EACH_TIME.reduce(
    (so, [form, name]) => so.replace(form, name),
    text.replaceAll(baseUrl, EXAMPLE_URL),
  );
}

function settle(value: unknown, baseUrl: string): unknown {
  const ofTheMoment = (name: string, member: unknown) => {
    // Replace the total gold of the open quotes, because it depends on which quotes have expired meanwhile.
    if (name === "open_quotes" && member) return { ...member, gold_grams: "of the moment" };
    if (name === "daily_withdrawals" && member) return { ...member, amount_sar: "of the moment" };
    return OF_THE_MOMENT.has(name) ? "of the moment" : member;
  };
  return JSON.parse(mark(JSON.stringify(value), baseUrl), ofTheMoment);
}

/** The first message of a stream of server-sent events. */
function firstMessage(text: string): Record<string, unknown> {
  const [, id, data] = /^(?:id: (.*)\n)?data: (.*)$/m.exec(text)!;
  return { id: id ?? null, data: JSON.parse(data!) };
}

/** The example's form with the caller's own credentials. */
function ownForm({ credentials: { client_id, client_secret } }: Caller): string {
  const example = ENDPOINTS.issueToken.request!.examples.client_credentials as object;
  return new URLSearchParams({ ...example, client_id, client_secret }).toString();
}

type Named = Record<string, { readonly value: unknown }>;
/** The part of the served description that is read here. */
interface Described {
  readonly components: { readonly examples: Named };
  readonly paths: Record<string, {
    readonly post?: {
      readonly responses: Record<string, { readonly content: Record<string, { examples: Named }> }>;
    };
  }>;
}

/** Tests every example, through the gateway or Envoy of this fixture. */
export function testExamples(open: () => Promise<Stack>): void {
  let stack: Stack;
  const lived = new Set<string>();
  const differences = new Faults();
  before(async () => {
    stack = await open();
    const { operator } = stack;
    // Set up the vault and the price of the examples.
    const bar = ["--serial", "EX-2026-0001", "--refiner", "Example Refinery"];
    await operator("vault add --gross 12441.4 --fineness 999.9 --vault Riyadh", ...bar);
    await operator("vault remove DEMO-0001");
    await operator("price set --mid 400 --spread 60 --source fixed");
  });
  after(() => stack.close());

  /** Sends the example's request, and compares the reply with the example's reply. */
  async function live(
    operation: OperationId,
    name: string,
    call: Call = {},
  ): Promise<Record<string, unknown>> {
    const { request, reply: { examples, schema, mediaType }, idempotent } = ENDPOINTS[operation];
    const streams = mediaType === "text/event-stream";
    const example = request ? { body: request.examples[name] as object } : {};
    lived.add(`${operation} ${name}`);
    const reply = await stack.partner.call(operation, { ...example, ...call });
    const text = await reply.text();
    assertEquals(reply.status, idempotent ? 201 : 200, `${operation} ${name}: ${text}`);
    const body = streams ? firstMessage(text) : JSON.parse(text);
    const { baseUrl } = stack.running;
    await differences.note(`${operation} ${name}`, async () => {
      if (!streams) assertEquals(schema.parse(body), body);
      const shown = streams ? firstMessage(examples[name] as string) : examples[name];
      assertEquals(settle(body, baseUrl), settle(shown, baseUrl));
    });
    return body;
  }

  async function liveOrder(name: "buy" | "sell", quote_id: unknown): Promise<Record<string, unknown>> {
    const example = ENDPOINTS.createOrder.request!.examples[name] as object;
    return await live("createOrder", name, { body: { ...example, quote_id } });
  }

  it("gets the reply that it shows, if all examples are sent in order", async () => {
    await live("getHealth", "ok");
    await live("issueToken", "client_credentials", { body: ownForm(stack.partner) });
    await live("getTokenKeys", "one_key");
    await live("getAuthorizationServer", "metadata");
    await live("getPrices", "open");
    await live("streamPrices", "price");
    const { funding_id } = await live("fundSandbox", "fund");
    const bought = await live("createQuote", "buy_by_grams");
    await live("getQuote", "open", { path: { quote_id: bought.quote_id as string } });
    const { order_id } = await liveOrder("buy", bought.quote_id);
    const { items: [event] } = await live("listEvents", "last_page", { query: { after: "7" } }) as {
      items: [{ id: string }];
    };
    await live("streamEvents", "order_executed", { query: { after: "7" } });
    await live("getEvent", "order_executed", { path: { event_id: event.id } });
    await live("redeliverEvent", "order_executed", { path: { event_id: event.id } });
    const sold = await live("createQuote", "sell_by_amount");
    await liveOrder("sell", sold.quote_id);
    const { withdrawal_id } = await live("createWithdrawal", "withdrawal");
    await live("testWebhook", "test");

    await live("getOrder", "buy", { path: { order_id: order_id as string } });
    await live("listOrders", "last_page");
    await live("getFunding", "funding", { path: { funding_id: funding_id as string } });
    await live("listFundings", "last_page");
    await live("getWithdrawal", "waits_for_approval", { path: { withdrawal_id: withdrawal_id as string } });
    await live("listWithdrawals", "last_page");
    await live("getPriceHistory", "minute");
    await live("getBalances", "now");
    await live("getReserves", "one_bar");
    await live("getReservesList", "one_bar", { path: { reserves_list_id: "lst_4" } });
    const days = { query: lastDays() };
    await live("getStatement", "one_day", days);
    const { csv } = ENDPOINTS.getStatement.reply;
    const table = await stack.partner.call("getStatement", { ...days, headers: { Accept: "text/csv" } });
    await differences.note(
      "getStatement as CSV",
      async () => assertEquals(mark(await table.text(), EXAMPLE_URL), mark(csv!.example, EXAMPLE_URL)),
    );
    const expiring = await stack.partner.succeed("createQuote", {
      body: { side: "buy", gold_grams: 12.3456, reference: "ORDER 2026-1017", account_label: "Retail desk" },
    });
    await live("simulateQuoteExpiry", "buy_by_grams", { body: { quote_id: expiring.quote_id } });
    await live("simulateWithdrawal", "paid", { body: { withdrawal_id, outcome: "paid" } });
    await stack.partner.succeed("simulateWithdrawal", { body: { withdrawal_id, outcome: "returned" } });
    const again = { body: ENDPOINTS.createWithdrawal.request!.examples.withdrawal as object };
    const { withdrawal_id: second } = await stack.partner.succeed("createWithdrawal", again);
    await live("cancelWithdrawal", "cancelled", { path: { withdrawal_id: second as string } });
    const change = await live("requestChange", "signing_key");
    await live("getChange", "waits", { path: { change_id: change.change_id as string } });
    await live("getChanges", "one_waits");
    await live("requestChange", "certificate_request");
    await live("requestChange", "ip_range");
    await live("simulateEvent", "day");
    const deposit = await live("simulateDeposit", "deposit");
    await live("simulateDepositReversal", "reversal", { body: { funding_id: deposit.funding_id } });
    for (const name of ["market", "prices", "failure", "webhooks"] as const) {
      await live(`simulate${name[0]!.toUpperCase()}${name.slice(1)}` as OperationId, name);
    }
    await live("getSimulations", "all");
    await live("resetSimulations", "none");
    await live("probeSignature", "valid");
    await live("probeSignature", "path_signed", { signedUrl: "/v1/signed-probe" });
    differences.expectNone();
  });

  it("is in the served OpenAPI document, which is the document of this deployment", async () => {
    const { baseUrl } = stack.running;
    const served = await stack.partner.succeed("getOpenApi");
    assertEquals(served, openApiDocument({ baseUrl, environment: "sandbox" }) as Record<string, unknown>);
    assertEquals<unknown>({ openapi: served.openapi }, ENDPOINTS.getOpenApi.reply.examples.begins);
    lived.add("getOpenApi begins");
    for (const operation of ["getReference", "getErrorCatalogue"] as const) {
      const page = await (await stack.partner.call(operation)).text();
      assert(page.startsWith(ENDPOINTS[operation].reply.examples.begins as string));
      lived.add(`${operation} begins`);
    }
  });

  it("shows the terms that the operator sets for a partner", async () => {
    const { operator, partner } = stack;
    await operator("price set", "--open", "sun-mon 09:00-21:00");
    await operator("partner set", partner.credentials.client_id, "--rate", "50/s", "--burst", "200");
    const limits = ["--open-quotes", "100", "--open-grams", "5000", "--daily-records", "100000"];
    const dayLimits = ["--net-grams", "10000", "--daily-withdrawals", "20", "--daily-withdrawn", "10000000"];
    await operator("partner set", partner.credentials.client_id, ...limits, ...dayLimits);
    await partner.until(({ headers }) => headers.get("RateLimit-Policy")!.includes("q=200;"));
    await live("getLimits", "limits");
    await live("getChainKey", "own");
    await live("getCredentials", "all");
    await live("getAccount", "account");
    differences.expectNone();
  });

  it("was sent, so that no documented request or reply is untested", () => {
    const documented = (Object.keys(ENDPOINTS) as OperationId[]).flatMap((operation) => {
      const { request, reply } = ENDPOINTS[operation];
      const names = new Set([...Object.keys(request?.examples ?? {}), ...Object.keys(reply.examples)]);
      return [...names].map((name) => `${operation} ${name}`);
    });
    assertEquals([...lived].sort(), documented.sort());
  });

  it("of a refusal has a registered code and the form of its endpoint", async () => {
    const document = await stack.partner.succeed("getOpenApi") as unknown as Described;
    const codes = new Set<string>();
    for (const { value } of Object.values(document.components.examples)) {
      codes.add(problemSchema.strict().parse(value).code);
    }
    for (const [status, { content }] of Object.entries(document.paths["/oauth/token"]!.post!.responses)) {
      if (status === "200") continue;
      for (const { value } of Object.values(content["application/json"]!.examples)) {
        codes.add(tokenErrorSchema.strict().parse(value).code);
      }
    }
    assertEquals([...codes].sort(), Object.keys(TOKEN_PROBLEM_REGISTRY).sort());
  });
}
