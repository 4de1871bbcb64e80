import { after, before, describe, it } from "node:test";
import { GoldError } from "@gold-partner/client";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { haltService } from "../contract/disturbances_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { testStreams } from "./client_streams_fixture.ts";
import { testSurvival } from "./survival_fixture.ts";
import { TestedGoldClient } from "./tested_gold_client_fixture.ts";

describe("GoldClient, when the service or the network fails", () => {
  let stack: Stack;
  before(async () => {
    stack = await Stack.open();
    await stack.partner.succeed("fundSandbox", { body: { amount_sar: 1_000_000 } });
  });
  after(() => stack?.close());

  const survival = testSurvival(() => ({
    stack,
    open: (plan) => TestedGoldClient.open(stack.partner.credentials, plan),
  }));
  const { open, openRelay, takeQuote, newOrders } = survival;
  testStreams(() => stack, survival);

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
