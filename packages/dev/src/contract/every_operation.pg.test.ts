import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ENDPOINTS, type OperationId, operationsOf, PROBLEM_MEDIA_TYPE } from "@gold-partner/protocol";
import { expectProblem } from "../trial/problem.ts";
import type { Call, Caller } from "./caller_trial.ts";
import { type House, startHouse } from "./house_trial.ts";

interface Records {
  readonly quote: string;
  readonly order: string;
  readonly withdrawal: string;
  readonly funding: string;
  readonly event: string;
}

/** One of each kind, the partner's own. */
async function makeRecords(caller: Caller): Promise<Records> {
  const make = async (operation: OperationId, body: object) => await caller.succeed(operation, { body });
  const { funding_id } = await make("fundSandbox", { amount_sar: 100000 });
  const { quote_id } = await make("createQuote", { side: "buy", gold_grams: 1 });
  const { order_id } = await make("createOrder", { quote_id });
  const { withdrawal_id } = await make("createWithdrawal", { amount_sar: 5, reference: "FIRST" });
  const { items } = await caller.succeed("listEvents") as { items: { id: string }[] };
  const ids = {
    funding: funding_id,
    quote: quote_id,
    order: order_id,
    withdrawal: withdrawal_id,
    event: items[0]!.id,
  };
  return ids as Records;
}

const today = () => new Date().toISOString().slice(0, 10);

/** How each operation of the table is called so that it succeeds. */
const callsOf = ({ form }: Caller, records: Records, openQuote: string): Record<OperationId, Call> => ({
  getHealth: {},
  issueToken: { body: form },
  getTokenKeys: {},
  getAuthorizationServer: {},
  probeSignature: { body: "any \u2713 body" },
  getCredentials: {},
  getOpenApi: {},
  getPrices: {},
  createQuote: { body: { side: "sell", amount_sar: 12.34 } },
  getQuote: { path: { quote_id: records.quote } },
  createOrder: { body: { quote_id: openQuote } },
  listOrders: { query: { limit: "1" } },
  getOrder: { path: { order_id: records.order } },
  fundSandbox: { body: { amount_sar: 10 } },
  createWithdrawal: { body: { amount_sar: 1 } },
  listWithdrawals: { query: { idempotency_key: "nobody's" } },
  getWithdrawal: { path: { withdrawal_id: records.withdrawal } },
  listFundings: { query: { created_after: "2026-01-31T09:30:00.000Z" } },
  getFunding: { path: { funding_id: records.funding } },
  getBalances: {},
  listEvents: { query: { after: "1" } },
  getEvent: { path: { event_id: records.event } },
  getStatement: { query: { from: today(), to: today() } },
  getReserves: {},
  getLimits: {},
});

/** What every HTTP reply may have, so no contract speaks of it. */
const OF_HTTP = [
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "vary",
];
const PROMISED = ["x-request-id", "ratelimit-policy", "ratelimit"];

/** As much of the description as is compared here. */
interface Described {
  readonly paths: Record<string, Record<string, { responses: Record<string, { headers: object }> }>>;
}

describe("every operation, over mutual TLS", () => {
  let house: House;
  let records: Records;
  let calls: Record<OperationId, Call>;
  let described: Described;
  before(async () => {
    house = await startHouse();
    records = await makeRecords(house.partner);
    const { quote_id } = await house.partner.succeed("createQuote", { body: { side: "buy", gold_grams: 2 } });
    described = await house.partner.succeed("getOpenApi") as unknown as Described;
    calls = callsOf(house.partner, records, quote_id as string);
  });
  after(() => house.stop());

  /** Throws unless all that the reply carries is described, and all that is promised is there. */
  function checkHeaders(operation: OperationId, reply: Response): void {
    const { method, path, oauth } = ENDPOINTS[operation];
    const { headers } = described.paths[path]![method.toLowerCase()]!.responses[`${reply.status}`]!;
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    const carried = [...reply.headers.keys()];
    assertEquals(carried.filter((name) => !names.includes(name) && !OF_HTTP.includes(name)), []);
    assertEquals(PROMISED.filter((name) => !carried.includes(name)), []);
    assertMatch(reply.headers.get("X-Request-Id")!, /^req_[0-9a-f-]{36}$/);
    if (oauth) assertEquals(reply.headers.get("Cache-Control"), "no-store");
  }

  it("has a call here, and none that the table does not know", () => {
    assertEquals(Object.keys(calls).sort(), operationsOf("sandbox").sort());
  });

  it("answers as it is described: status, headers, and a body with the documented members alone", async () => {
    const faults: string[] = [];
    for (const [operation, call] of Object.entries(calls) as [OperationId, Call][]) {
      const { idempotent, reply: { schema } } = ENDPOINTS[operation];
      const key = randomUUID();
      try {
        const reply = await house.partner.call(operation, { ...call, key });
        const text = await reply.text();
        assertEquals(reply.status, idempotent ? 201 : 200, text);
        assertEquals(reply.headers.get("Content-Type"), "application/json");
        checkHeaders(operation, reply);
        assertEquals(schema.parse(JSON.parse(text)), JSON.parse(text));
        if (!idempotent) continue;
        const again = await house.partner.call(operation, { ...call, key });
        assertEquals([again.status, again.headers.get("Idempotent-Replayed"), await again.text()], [
          200,
          "true",
          text,
        ]);
        checkHeaders(operation, again);
      } catch (error) {
        faults.push(`${operation}: ${(error as Error).message}`);
      }
    }
    assertEquals(faults, []);
  });

  it("exists in no other way: each path takes its own methods alone, and says which", async () => {
    for (
      const [operation, { path }] of Object.entries(ENDPOINTS) as [
        OperationId,
        typeof ENDPOINTS[OperationId],
      ][]
    ) {
      const allowed = Object.values(ENDPOINTS).filter((other) => other.path === path).map(({ method }) =>
        method
      );
      const reply = await house.partner.call(operation, { ...calls[operation], method: "PUT" });
      assertEquals(reply.status, 405, operation);
      assertEquals(reply.headers.get("Allow")?.split(", ").sort(), allowed.sort(), operation);
    }
  });

  it("gives play money without a token, but not with a wrong one", async () => {
    const fund = (authorization: string | null) =>
      house.partner.call("fundSandbox", {
        body: { amount_sar: 1 },
        headers: { Authorization: authorization },
      });
    assertEquals((await fund(null)).status, 201);
    await expectProblem(await fund("Bearer nonsense"), "token_invalid");
  });

  it("gives the statement as a table for who asks for one", async () => {
    const call = { ...calls.getStatement, headers: { Accept: "text/csv" } };
    const reply = await house.partner.call("getStatement", call);
    assertEquals([reply.status, reply.headers.get("Content-Type")?.split(";")[0]], [200, "text/csv"]);
    const [names, ...lines] = (await reply.text()).trimEnd().split("\r\n");
    assertEquals(names, "posted_at,id,type,account,change,balance_after");
    assert(lines.length > 4);
    checkHeaders("getStatement", reply);
  });

  it("knows another partner's ids no better than unknown and malformed ones", async () => {
    const stranger = await house.onboard("Other Bank");
    const byId = (Object.keys(ENDPOINTS) as OperationId[]).filter((operation) => calls[operation].path);
    assertEquals(byId.length, 5);
    for (const operation of byId) {
      const [[name, own]] = Object.entries(calls[operation].path!) as [[string, string]];
      assertEquals((await house.partner.call(operation, { path: { [name]: own } })).status, 200, operation);
      const details = new Set<string>();
      const unknown = own.replace(/.{12}$/, "000000000000");
      for (
        const [caller, id] of [[stranger, own], [stranger, unknown], [house.partner, unknown], [
          stranger,
          "x",
        ]] as const
      ) {
        const reply = await caller.call(operation, { path: { [name]: id } });
        assertEquals(reply.headers.get("Content-Type"), PROBLEM_MEDIA_TYPE);
        details.add((await expectProblem(reply, "not_found")).detail);
      }
      assertEquals(details.size, 1, operation);
    }
    for (const operation of ["listOrders", "listFundings", "listWithdrawals", "listEvents"] as const) {
      assertEquals((await stranger.succeed(operation)).items, [], operation);
    }
    const order = await stranger.call("createOrder", { body: { quote_id: records.quote } });
    await expectProblem(order, "not_found");
  });
});
