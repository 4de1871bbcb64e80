import { after, before, describe, it } from "node:test";
import { type GoldClient, GoldError, type TryReport } from "@gold-partner/client";
import { assert, assertEquals, assertRejects } from "../../tools/testing/assert.ts";
import { haltService } from "../contract/disturbances_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { openClient } from "./stack_client_fixture.ts";
import { type ClientPlan, type TestedClient, testSurvival } from "./survival_fixture.ts";

/** GoldClient with the calls that testSurvival() makes. */
class TestedGoldClient implements TestedClient {
  readonly reports: TestedClient["reports"] = [];
  #client: GoldClient | undefined;

  static async open(stack: Stack, plan: ClientPlan): Promise<TestedGoldClient> {
    const { port, tries_max = 8, timeout_seconds = 20, ahead_seconds = 0 } = plan;
    const tested = new TestedGoldClient();
    tested.#client = await openClient(stack.partner.credentials, {
      ...(port === undefined ? {} : { port }),
      ...{ triesMax: tries_max, timeoutMs: timeout_seconds * 1000 },
      now: () => Date.now() + ahead_seconds * 1000,
      observe: (report) => tested.#note(report),
    });
    return tested;
  }

  get client(): GoldClient {
    return this.#client!;
  }

  async call(name: string, members: object = {}): Promise<unknown> {
    const { idempotency_key: key, ...request } = members as Record<string, string>;
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      get_balances: () => this.client.getBalances(),
      create_quote: () => this.client.createQuote(request as { side: "buy"; gold_grams: string }),
      place_order: () =>
        this.client.placeOrder({ quote_id: request.quote_id! }, key ? { idempotencyKey: key } : {}),
      get_order: () => this.client.getOrder(request.order_id!),
    };
    return await calls[name]!().catch((error: GoldError) => {
      const { outcomeUnknown: outcome_unknown, idempotencyKey: idempotency_key } = error;
      throw Object.assign(error, { outcome_unknown, idempotency_key });
    });
  }

  outcomesOf(operation: string): string[] {
    return this.reports.filter((each) => each.operation === operation)
      .map(({ status, code }) => code ?? `${status}`);
  }

  close(): void {
    this.client.close();
  }

  #note({ operation, status, code, retryInMs }: TryReport): void {
    const retry_in_seconds = retryInMs === undefined ? null : retryInMs / 1000;
    this.reports.push({ operation, status: status ?? null, code: code ?? null, retry_in_seconds });
  }
}

describe("GoldClient, when the service or the network fails", () => {
  let stack: Stack;
  before(async () => {
    stack = await Stack.open();
    await stack.partner.succeed("fundSandbox", { body: { amount_sar: 1_000_000 } });
  });
  after(() => stack?.close());

  const { open, openRelay, takeQuote, newOrders } = testSurvival(() => ({
    stack,
    open: (plan) => TestedGoldClient.open(stack, plan),
  }));

  it("measures the offset of its clock", async () => {
    const tested = await open({ ahead_seconds: 240 });
    await takeQuote(tested);
    // Allow 10 s, because the measured offset also contains the reply's time on the network.
    assert(Math.abs(tested.client.clockOffsetSeconds! - 240) <= 10);
  });

  it("reports an unknown outcome if the caller aborts, and later finds the result by the key", async () => {
    const relay = await openRelay();
    const tested = await open({ port: relay.port });
    const { quote_id } = await takeQuote(tested);
    const mend = await haltService(stack);
    const heard = relay.heardBytes;
    const ending = new AbortController();
    const { signal } = ending;
    const placed = assertRejects(() => tested.client.placeOrder({ quote_id }, { signal }), GoldError);
    // Wait until the request was sent, because before that the outcome would be known.
    while (relay.heardBytes === heard) await new Promise((resolve) => setTimeout(resolve, 20));
    ending.abort();
    const error = await placed;
    await mend();
    assertEquals([error.code, error.outcomeUnknown], ["aborted", true]);
    const order = await tested.client.placeOrder({ quote_id }, { idempotencyKey: error.idempotencyKey });
    assertEquals([order.quote_id, await newOrders()], [quote_id, 1]);
  });
});
