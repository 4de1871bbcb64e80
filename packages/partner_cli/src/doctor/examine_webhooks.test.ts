import { describe, it } from "node:test";
import type {
  Account,
  AccountEvent,
  DeliveryAttempt,
  EndpointDelivery,
  GoldClient,
} from "@gold-partner/client";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EXIT } from "../failure.ts";
import { examineWebhooks } from "./examine_webhooks.ts";
import { Fault } from "./fault.ts";

const BEFORE = "2026-11-30T11:59:00.000Z";
const NOW = "2026-11-30T12:00:00.000Z";
const URLS = ["https://bank.example/orders", "https://bank.example/ledger"];

const attempt = (attempted_at: string, http_status: number | null, cause: string | null = null) =>
  ({ attempted_at, http_status, duration_ms: 8, cause }) as DeliveryAttempt;
const OK = attempt(NOW, 204);
const REFUSED = attempt(NOW, null, "refused");

/** An event with one list of attempts for each endpoint. */
function eventOf(id: string, attempts: readonly (readonly DeliveryAttempt[])[]): AccountEvent {
  const deliveries = attempts.map((made, index): EndpointDelivery => ({
    ...{ endpoint: index + 1, status: "pending", next_attempt_at: null },
    attempts: [...made],
  }));
  const delivery = deliveries[0] ?? { status: "pending", next_attempt_at: null, attempts: [] };
  return { id, sequence: 9, created_at: NOW, delivery, deliveries } as unknown as AccountEvent;
}

/** A client whose lists of events are these, one after another. The last one repeats. */
function clientOf(endpoints: number, ...lists: readonly (readonly AccountEvent[])[]): GoldClient {
  let read = 0;
  const webhook_endpoints = URLS.map((url, index) => ({
    endpoint: index + 1,
    url,
  })) as Account["webhook_endpoints"];
  return {
    testWebhook: async () => eventOf("evt_test", Array.from({ length: endpoints }, () => [])),
    getAccount: async () => ({ webhook_endpoints }) as unknown as Account,
    async *listEvents() {
      yield* lists[Math.min(read++, lists.length - 1)]!;
    },
  } as unknown as GoldClient;
}

const test = (...attempts: readonly (readonly DeliveryAttempt[])[]) => eventOf("evt_test", attempts);
const SHORT_MS = 500;

async function faultOf(client: GoldClient): Promise<Fault> {
  const error = await assertRejects(() => examineWebhooks(client, SHORT_MS), Fault);
  return error as Fault;
}

describe("examineWebhooks()", () => {
  it("says what a single endpoint answered, without its number", async () => {
    const { detail } = await examineWebhooks(clientOf(1, [test([])], [test([OK])]));
    assertEquals(detail, "answered 204 to a test event after 8 ms.");
    const { message, cure, exit } = await faultOf(clientOf(1, [test([REFUSED])]));
    assertEquals([message, exit], ["gave no answer to a test event after 8 ms (refused).", EXIT.refused]);
    assertMatch(cure, /^Nothing accepts connections/);
  });

  it("waits for every endpoint, and names each with its URL", async () => {
    const { detail } = await examineWebhooks(
      clientOf(2, [test([OK], [])], [test([OK], [attempt(NOW, 200)])]),
    );
    assertEquals(
      detail,
      `endpoint 1 (${URLS[0]}): answered 204 to a test event after 8 ms. ` +
        `endpoint 2 (${URLS[1]}): answered 200 to a test event after 8 ms.`,
    );
  });

  it("names the endpoints that fail, each with what to do", async () => {
    const { message, cure } = await faultOf(clientOf(2, [test([OK], [attempt(NOW, 500)])]));
    assertMatch(
      message,
      /endpoint 1 .*: answered 204 .* endpoint 2 .*ledger\): answered 500 to a test event\.$/,
    );
    assertMatch(
      cure,
      /^Endpoint 2: Answer 2xx .* Run gold-partner check-receiver with that secret as webhook_secret\.$/,
    );
    const both = await faultOf(clientOf(2, [test([REFUSED], [attempt(NOW, 500)])]));
    assertMatch(both.cure, /^Endpoint 1: Nothing accepts .* Endpoint 2: Answer 2xx/);
  });

  it("shows the failure of an earlier event at the endpoint that did not get the test event in time", async () => {
    const earlier = eventOf("evt_1", [[OK], [attempt(BEFORE, 503)]]);
    const { message } = await faultOf(clientOf(2, [earlier, test([OK], [])]));
    assertMatch(message, /endpoint 2 .*: answered 503 to an earlier event\.$/);
    const none = await faultOf(clientOf(2, [test([OK], [])]));
    assertMatch(none.message, /endpoint 2 .*: the service did not send the test event within /);
    assertEquals(none.exit, EXIT.dependency);
  });

  it("finds nothing wrong without an endpoint", async () => {
    assertEquals(await examineWebhooks(clientOf(0, [test()])), {
      detail: "no endpoint is registered, so no event is sent.",
    });
  });

  it("reads the delivery of a service that has no deliveries", async () => {
    const { deliveries: _, ...old } = test([OK]);
    const client = {
      ...clientOf(1, [old as AccountEvent]),
      testWebhook: async () => old,
    } as unknown as GoldClient;
    assertEquals((await examineWebhooks(client)).detail, "answered 204 to a test event after 8 ms.");
  });
});
