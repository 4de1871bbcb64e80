import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { BODY_MAX_BYTES, type OperationId, type TokenProblemCode } from "@gold-partner/protocol";
import { assertEquals, assertMatch } from "@std/assert";
import { expectProblem } from "@gold-partner/server/testing";
import { FRAME, headers } from "./attack/frames_fixture.ts";
import { fieldsOf, Http2Wire } from "./attack/http2_wire_fixture.ts";
import { Siege } from "./attack/siege_fixture.ts";
import type { Call, Caller } from "./caller_fixture.ts";
import { type Described, describedBy, undescribedHeaders } from "./described_fixture.ts";
import { haltService } from "./disturbances_fixture.ts";
import { Faults } from "./faults_fixture.ts";
import type { Stack } from "./stack_fixture.ts";
import { expectRefusal, type Form } from "./refusal_fixture.ts";
import { QUOTE } from "./way_fixture.ts";

/** Envoy gives its replies random ids (UUID version 4). The service's ids begin with the time. */
const NAMED_BY_ENVOY = /^req_[0-9a-f]{8}-[0-9a-f]{4}-4/;

/** More concurrent requests than Envoy keeps for one service, which are 512 in flight and 512 waiting. */
const [WIRES, STREAMS] = [11, 100];
/** The maximum wait until Envoy is full. A full Envoy refuses further requests at once. */
const ARRIVAL_MS = 10_000;

const baggage: Call = { headers: { "X-Baggage": "x".repeat(17_000) } };
const large: Call = { body: "x".repeat(BODY_MAX_BYTES + 1) };

describe("the replies of Envoy itself", () => {
  let siege: Siege;
  let stack: Stack;
  let described: Described;
  let token: Call;
  before(async () => {
    siege = await Siege.open();
    stack = siege.stack;
    described = await describedBy(stack.partner);
    token = { body: stack.partner.form };
  });
  after(() => siege?.close());

  /** Throws unless Envoy itself gave this refusal, as the API description documents it for the operation. */
  async function expectFromEnvoy(
    code: TokenProblemCode,
    operation: OperationId,
    pending: Promise<Response>,
    form?: Form,
  ): Promise<void> {
    const reply = await pending;
    assertMatch(reply.headers.get("X-Request-Id") ?? "", NAMED_BY_ENVOY);
    await expectRefusal(code, operation, reply.clone(), form);
    assertEquals(undescribedHeaders(described, operation, reply), []);
  }

  /**
   * Expects the same refusal at an operation of the API and at the token endpoint, which has its own form.
   */
  async function expectTwice(code: TokenProblemCode, caller: Caller, fault: Call = {}): Promise<void> {
    const faults = new Faults();
    await Promise.all([
      faults.note(
        "createQuote",
        () => expectFromEnvoy(code, "createQuote", caller.call("createQuote", { ...QUOTE, ...fault })),
      ),
      faults.note(
        "issueToken",
        () => expectFromEnvoy(code, "issueToken", caller.call("issueToken", { ...token, ...fault })),
      ),
    ]);
    faults.expectNone();
  }

  /**
   * Expects the same form for all operations, because Envoy refuses these requests before it knows the
   * operation.
   */
  async function expectEarly(code: TokenProblemCode, fault: Call): Promise<void> {
    for (const operation of ["createQuote", "issueToken"] as const) {
      await expectFromEnvoy(code, operation, stack.partner.call(operation, { ...QUOTE, ...fault }), "plain");
    }
  }

  it("refuse a request that is too large", async () => {
    await expectTwice("body_too_large", stack.partner, large);
    await expectEarly("header_too_large", baggage);
  });

  it("refuse a request that Envoy does not forward", async () => {
    const { partner } = stack;
    const escaped = partner.call("createQuote", { ...QUOTE, target: "/v1%2fquotes" });
    await expectFromEnvoy("path_not_allowed", "createQuote", escaped);
    await expectEarly("invalid_request", { headers: { x_nonce: "0123456789abcdef" } });
    const elsewhere = await partner.call("getHealth", { headers: { Host: "other.example" } });
    assertMatch(elsewhere.headers.get("X-Request-Id") ?? "", NAMED_BY_ENVOY);
    await expectProblem(elsewhere, "not_found");
    const traced = partner.call("getHealth", { method: "TRACE" });
    await expectFromEnvoy("method_not_allowed", "getHealth", traced);
  });

  it("refuse more requests than one certificate may send", async () => {
    const flooded = stack.partner.through(await stack.openEnvoy({ FLOOD_PER_SECOND: "1" }));
    // Send several at once, because Envoy lets one more pass each second.
    const refused = async (operation: OperationId, call: Call): Promise<Response> => {
      const replies = await Promise.all(Array.from({ length: 10 }, () => flooded.call(operation, call)));
      return replies.find(({ status }) => status === 429) ?? replies[0]!;
    };
    await expectFromEnvoy("rate_limited", "createQuote", refused("createQuote", QUOTE));
    await expectFromEnvoy("rate_limited", "issueToken", refused("issueToken", token));
  });

  it("report that no service is available", async () => {
    await expectTwice("upstream_unavailable", stack.partner.through(await stack.openProxyWithoutService()));
  });

  it("report that too many requests are waiting", async () => {
    // Use an Envoy that does not check the service's health. With health checks, Envoy would remove the
    // halted service after a few seconds, and refuse requests instead of letting them wait.
    const port = await stack.openProxyWithoutHealthCheck();
    const host = `localhost:${port}`;
    const requests = Array.from(
      { length: STREAMS },
      (_, n) => headers(1 + 2 * n, fieldsOf(host, "/v1/prices")),
    );
    const mend = await haltService(stack);
    const wires = await Promise.all(Array.from({ length: WIRES }, async () => {
      return new Http2Wire(await siege.connect({ port, ALPNProtocols: ["h2"] })).greet();
    }));
    for (const wire of wires) wire.write(...requests);
    const isFull = () => wires.some(({ frames }) => frames.some(({ type }) => type === FRAME.headers));
    const end = performance.now() + ARRIVAL_MS;
    while (!isFull() && performance.now() < end) await sleep(20);
    await expectTwice("service_unavailable", stack.partner.through(port)).finally(mend);
    for (const wire of wires) wire.close();
    // Wait until the service has read the waiting requests. Until then its backlog is full, and another Envoy
    // could not connect.
    await stack.partner.through(port).until(({ ok }) => ok);
  });

  it("report a timeout of the request and of the service's reply", async () => {
    const partner = stack.partner.through(await stack.openProxyWithoutHealthCheck());
    const mend = await haltService(stack);
    await Promise.all([
      expectTwice("request_timeout", partner, { stalls: true }),
      expectTwice("upstream_timeout", partner),
    ]).finally(mend);
  });
});
