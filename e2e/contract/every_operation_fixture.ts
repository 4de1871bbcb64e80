import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import { ENDPOINTS, type OperationId, operationsOf, statementReply } from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { expectProblem } from "@gold-partner/server/testing";
import type { Call, Caller } from "./caller_fixture.ts";
import { callsOf, makeRecords, type Records } from "./calls_fixture.ts";
import { presentUnregistered } from "./certificates_fixture.ts";
import { type Described, describedBy, undescribedHeaders } from "./described_fixture.ts";
import { Faults } from "./faults_fixture.ts";
import type { Stack } from "./stack_fixture.ts";
import { NEEDS } from "./needs_fixture.ts";
import { expectRefusal } from "./refusal_fixture.ts";

const OPERATIONS = operationsOf("sandbox");

const PROMISED = ["x-request-id", "ratelimit-policy", "ratelimit"];

/** Registers tests of every operation. `open` starts the service behind the gateway or behind Envoy. */
export function testEveryOperation(open: () => Promise<Stack>): void {
  let stack: Stack;
  let records: Records;
  let calls: Record<OperationId, Call>;
  let described: Described;
  before(async () => {
    stack = await open();
    records = await makeRecords(stack.partner);
    const { quote_id } = await stack.partner.succeed("createQuote", { body: { side: "buy", gold_grams: 2 } });
    described = await describedBy(stack.partner);
    calls = callsOf(stack.partner, records, quote_id as string);
  });
  after(() => stack.close());

  /** Throws unless all headers of the reply are described and all promised headers are present. */
  function checkHeaders(operation: OperationId, reply: Response): void {
    assertEquals(undescribedHeaders(described, operation, reply), []);
    assertEquals(PROMISED.filter((name) => !reply.headers.has(name)), []);
    assertMatch(reply.headers.get("X-Request-Id")!, /^req_[0-9a-f-]{36}$/);
    if (ENDPOINTS[operation].oauth) assertEquals(reply.headers.get("Cache-Control"), "no-store");
  }

  it("has an entry in calls_fixture.ts, and that file has no other entry", () => {
    assertEquals(Object.keys(calls).sort(), Object.keys(ENDPOINTS).sort());
  });

  it("replies with the documented status, headers and body members", async () => {
    const faults = new Faults();
    for (const operation of OPERATIONS) {
      const { idempotent, reply: { mediaType = "application/json", schema } } = ENDPOINTS[operation];
      const key = randomUUID();
      const send = () => stack.partner.call(operation, { ...calls[operation], key });
      await faults.note(operation, async () => {
        const reply = await send();
        const text = await reply.text();
        assertEquals(reply.status, idempotent ? 201 : 200, text);
        assertEquals(reply.headers.get("Content-Type")?.split(";")[0], mediaType);
        checkHeaders(operation, reply);
        const body = mediaType === "application/json" ? JSON.parse(text) : text;
        assertEquals(schema.parse(body), body);
        if (!idempotent) return;
        const again = await send();
        assertEquals([again.status, again.headers.get("Idempotent-Replayed")], [200, "true"]);
        assertEquals(await again.text(), text);
        checkHeaders(operation, again);
      });
    }
    faults.expectNone();
  });

  it("returns the documented error if a part of the call is missing or wrong", async () => {
    const { partner, running } = stack;
    const stranger = await presentUnregistered(stack, partner);
    const faults = new Faults();
    for (const operation of OPERATIONS) {
      for (const { code, concerns = () => true, spoil, form } of NEEDS) {
        if (!concerns(ENDPOINTS[operation])) continue;
        const fault = spoil(operation, calls[operation], running.baseUrl);
        const headers = { ...calls[operation].headers, ...fault.headers };
        const caller = code === "certificate_unknown" ? stranger : partner;
        await faults.note(`${operation}, ${code}`, async () => {
          const reply = await caller.call(operation, { ...calls[operation], ...fault, headers });
          await expectRefusal(code, operation, reply, form);
          assertEquals(undescribedHeaders(described, operation, reply), []);
        });
      }
    }
    faults.expectNone();
  });

  it("returns 405 with Allow for a method that its path does not have", async () => {
    for (const operation of OPERATIONS) {
      const same = OPERATIONS.filter((other) => ENDPOINTS[other].path === ENDPOINTS[operation].path);
      const reply = await stack.partner.call(operation, { ...calls[operation], method: "PUT" });
      assertEquals(reply.status, 405, operation);
      const allowed = reply.headers.get("Allow")!.split(", ");
      assertEquals(allowed.sort(), same.map((other) => ENDPOINTS[other].method).sort(), operation);
    }
  });

  it("accepts fundSandbox without a token, but not with an invalid token", async () => {
    const fund = (authorization: string | null) =>
      stack.partner.call("fundSandbox", {
        body: { amount_sar: 1 },
        headers: { Authorization: authorization },
      });
    assertEquals((await fund(null)).status, 201);
    await expectProblem(await fund("Bearer nonsense"), "token_invalid");
  });

  it("answers getStatement with CSV if the client accepts text/csv", async () => {
    const call = { ...calls.getStatement, headers: { Accept: "text/csv" } };
    const reply = await stack.partner.call("getStatement", call);
    assertEquals([reply.status, reply.headers.get("Content-Type")?.split(";")[0]], [200, "text/csv"]);
    const [names, ...lines] = (await reply.text()).trimEnd().split("\r\n");
    assertEquals(names!.split(","), Object.keys(statementReply.shape.postings.element.shape));
    assertEquals(lines.filter((line) => line.includes(records.order)).length, 2);
    checkHeaders("getStatement", reply);
  });

  it("returns the same 404 for another partner's, unknown and malformed ids", async () => {
    const stranger = await stack.onboard("Other Bank");
    // A list of bars belongs to no partner, so every partner can fetch it. A withdrawal is cancelled only once.
    const others: OperationId[] = ["getReservesList", "cancelWithdrawal"];
    const byId = OPERATIONS.filter((operation) => calls[operation].path && !others.includes(operation));
    assertEquals(byId.length, 7);
    for (const operation of byId) {
      const [name, own] = Object.entries(calls[operation].path!)[0]!;
      const ask = (caller: Caller, id: string) => caller.call(operation, { path: { [name]: id } });
      assert((await ask(stack.partner, own)).ok, operation);
      const unknown = own.replace(/.{12}$/, "000000000000");
      const replies = [
        await ask(stranger, own),
        await ask(stranger, unknown),
        await ask(stack.partner, unknown),
        await ask(stack.partner, "malformed"),
      ];
      const details = await Promise.all(replies.map((reply) => expectProblem(reply, "not_found")));
      assertEquals(new Set(details.map(({ detail }) => detail)).size, 1, operation);
    }
    for (const operation of ["listOrders", "listFundings", "listWithdrawals", "getChanges"] as const) {
      assertEquals((await stranger.succeed(operation)).items, [], operation);
    }
    // A new partner has only the events of its own IBAN, webhook URL and credentials.
    const { items } = await stranger.succeed("listEvents") as { items: { type: string }[] };
    assertEquals(items.map(({ type }) => type), [
      "settlement.changed",
      "webhook_endpoint.changed",
      ...Array(4).fill("credential.added"),
    ]);
    const order = await stranger.call("createOrder", { body: { quote_id: records.quote } });
    await expectProblem(order, "not_found");
  });
}
