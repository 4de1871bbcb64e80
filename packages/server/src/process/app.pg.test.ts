import { describe, it } from "node:test";
import { ENDPOINTS, operationsOf } from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { expectProblem } from "../../testing/problem.ts";
import { until } from "../../../../tools/testing/until.ts";
import { type Sending, suiteService, testService } from "../../testing/service.ts";

const ID = "x_01890000-0000-7000-8000-000000000000";
/**
 * Every operation, with its path parameter filled in. The token operation is left out, because it has its own
 * error format.
 */
const ROUTES = operationsOf("sandbox").filter((operation) => operation !== "issueToken").map((operation) => {
  const { method, path, signature } = ENDPOINTS[operation];
  return [method, path.replace(/\{\w+\}/, ID), signature] as const;
});
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

describe("the app's paths", () => {
  const service = suiteService();

  const nobody = { "X-Forwarded-Client-Cert": null, Authorization: null };

  it("returns 405 and the allowed methods for any other method", async () => {
    for (const path of new Set(ROUTES.map(([, path]) => path))) {
      const taken = ROUTES.filter((route) => route[1] === path).map(([method]) => method).sort();
      for (const method of METHODS.filter((one) => !taken.some((each) => each === one))) {
        const reply = await service.send(path, { method });
        assertEquals(reply.headers.get("Allow"), taken.join(", "), `${method} ${path}`);
        await expectProblem(reply, "method_not_allowed");
      }
    }
  });

  it("returns 404 for an unknown path with a certificate, and certificate_unknown without one", async () => {
    const paths = [
      "/v1",
      "/v2/orders",
      "/v1/Orders",
      "/V1/orders",
      "/v1/ordersx",
      "/metrics",
      "/ready",
    ];
    for (const path of paths) {
      for (const method of ["GET", "POST"]) {
        await expectProblem(service.send(path, { method }), "not_found");
        await expectProblem(service.send(path, { method, headers: nobody }), "certificate_unknown");
      }
    }
  });

  it("requires a certificate for every known path and method", async () => {
    for (const [, path] of ROUTES) {
      for (const method of ["GET", "POST", "DELETE"]) {
        await expectProblem(service.send(path, { method, headers: nobody }), "certificate_unknown");
      }
    }
  });

  it("rejects a path that is not spelt as documented, and never rewrites it", async () => {
    const targets = [
      "/v1/%6frders",
      "/v1/%6Frders",
      "/v1%2forders",
      "//v1/orders",
      "/v1//orders",
      "/v1/orders/",
      "/v1/./orders",
      "/v1/x/../orders",
      "/v1/orders/.",
      "/v1/orders/..",
      "/..",
      "\\v1\\orders",
      "/v1\\orders",
      "/v1/orders;x=1",
      "/v1/orders#x",
      "/v1/orders?x#y",
      "/v1/orders?x y",
      '/v1/orders?"',
      "/v1/ord\u00e9rs",
      "https://localhost:8443/v1/orders",
      "http://localhost/v1/orders",
      "localhost:443",
      "*",
      "",
    ];
    for (const target of targets) {
      const reply = await service.signed("/v1/orders", "{}", { target });
      const problem = await expectProblem(reply, "path_not_allowed").catch((error: Error) => {
        throw new Error(`${target}: ${error.message}`);
      });
      assertMatch(problem.detail, target.startsWith("/") ? /spelt as documented/ : /origin form/);
    }
  });

  it("rejects an undocumented parameter, and names it", async () => {
    for (const [method, path, signature] of ROUTES.filter(([, , each]) => each !== "diagnosed")) {
      const { errors } = await expectProblem(
        await (signature
          ? service.signed(`${path}?x=%2F`, "{}")
          : service.send(`${path}?x=%2F`, method === "GET" ? { method } : { body: "{}" })),
        "invalid_request",
      );
      assertEquals(errors?.some((one) => "name" in one && one.name === "x"), true, path);
    }
  });

  it("rejects a request target of more than 8,192 characters", async () => {
    await expectProblem(service.send(`/v1/prices?${"x".repeat(8192)}`, { method: "GET" }), "uri_too_long");
  });

  it("sends a request id with every reply, and logs the id with the route", async () => {
    const reply = await service.send("/v1/balances", { method: "GET" });
    await reply.body?.cancel();
    const id = reply.headers.get("X-Request-Id")!;
    assertMatch(id, /^req_[0-9a-f-]{36}$/);
    const line = service.log.map((text) => JSON.parse(text) as Record<string, unknown>).find((one) =>
      one.request_id === id
    )!;
    assertEquals([line.route, line.status, line.client_id], ["/v1/balances", 200, service.partner.clientId]);
  });

  it("logs refused requests, but never an unknown path", async () => {
    const seen = service.log.length;
    const lines = () => service.log.slice(seen).map((text) => JSON.parse(text) as Record<string, unknown>);
    const ask = async (path: string, sending: Sending) =>
      await (await service.send(path, sending)).body?.cancel();
    // Repeat, because earlier tests may have had as many requests refused in this second as get a line.
    await until(async () => {
      await ask("/v1/made-up", { method: "GET" });
      return lines().some(({ status }) => status === 404);
    });
    await until(async () => {
      await ask("/v1/orders", { target: "/v1/%6frders" });
      return lines().some(({ status }) => status === 400);
    });
    assertEquals(lines().filter(({ route }) => route !== undefined && route !== "none"), []);
  });

  it("logs the first refusals of a flood, counts the others, and tells the proxy which have no line", async () => {
    const partner = await service.addPartner();
    const seen = service.log.length;
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => service.send("/v1/made-up", { method: "GET", partner })),
    );
    const counted = replies.filter(({ headers }) => headers.get("X-Gold-Counted") === "1");
    const named = () =>
      service.log.slice(seen).map((text) => JSON.parse(text)).filter(({ client_id, code }) =>
        client_id === partner.clientId && code === "not_found"
      );
    // The flood may last for more than a second.
    await until(() => named().reduce((sum, line) => sum + (line.refusals ?? 1), 0) === 50);
    const ids = named().filter(({ event }) => event === "request").map(({ request_id }) => request_id);
    const kept = replies.filter((reply) => !counted.includes(reply));
    assertEquals(ids.sort(), kept.map(({ headers }) => headers.get("X-Request-Id")).sort());
    assert(ids.length >= 10 && ids.length < 50, `${ids.length}`);
    await Promise.all(replies.map((reply) => reply.body?.cancel()));
  });

  it("logs every write that passed admission, also if booking refuses it or fails", async () => {
    const partner = await service.addPartner();
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const fund = async (amount: number, headers: Record<string, string> = {}) => {
      const body = `{"amount_sar":${amount}}`;
      const reply = await service.send("/sandbox/fund", { partner, headers, body });
      await reply.body?.cancel();
      return reply;
    };
    await fund(1, key);
    const replies = await Promise.all(Array.from({ length: 30 }, () => fund(2, key)));
    const { sql } = service.books;
    await sql`revoke execute on function gold.book_funding from gold_api`;
    replies.push(...await Promise.all(Array.from({ length: 30 }, () => fund(3))));
    await sql`grant execute on function gold.book_funding to gold_api`;
    assertEquals([...new Set(replies.map(({ status }) => status))], [409, 500]);
    assertEquals(replies.filter(({ headers }) => headers.has("X-Gold-Counted")), []);
    const logged = new Set(service.log.map((text) => JSON.parse(text).request_id));
    assertEquals(replies.filter(({ headers }) => !logged.has(headers.get("X-Request-Id"))), []);
  });

  it("returns 503 with Retry-After while its registry snapshot is too old", async () => {
    const other = await testService();
    const { sql } = other.books;
    await sql`revoke execute on function gold.read_registry from gold_api`;
    const waitedUntil = Date.now() + 30_000;
    let reply = await other.send("/v1/balances", { method: "GET" });
    while (reply.status === 200 && Date.now() < waitedUntil) {
      await reply.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, 200));
      reply = await other.send("/v1/balances", { method: "GET" });
    }
    await expectProblem(reply, "service_unavailable");
    await expectProblem(other.send("/health", { method: "GET" }), "service_unavailable");
    await sql`grant execute on function gold.read_registry to gold_api`;
    await other.refresh();
    assertEquals((await other.send("/health", { method: "GET" })).status, 200);
    await other.stop();
  });
});

describe("POST /sandbox/fund", () => {
  const service = suiteService();

  const fund = (headers: Record<string, string | null>, partner = service.partner) =>
    service.send("/sandbox/fund", { body: '{"amount_sar":10}', headers, partner });

  it("requires no token, but rejects an invalid token", async () => {
    assertEquals((await fund({ Authorization: null })).status, 201);
    assertEquals((await fund({})).status, 201);
    await expectProblem(fund({ Authorization: "Bearer x" }), "token_invalid");
    const other = await service.addPartner();
    const foreign = `Bearer ${await service.token(other)}`;
    await expectProblem(fund({ Authorization: foreign }), "token_certificate_mismatch");
  });

  it("rejects a suspended partner even without a token", async () => {
    const other = await service.addPartner();
    await service.books.sql`select gold.suspend_partner(${other.clientId})`;
    await service.refresh();
    await expectProblem(fund({ Authorization: null }, other), "partner_suspended");
  });

  it("requires an Idempotency-Key, and returns the first reply again to a retry", async () => {
    await expectProblem(fund({ "Idempotency-Key": null }), "idempotency_key_missing");
    const first = await fund({ "Idempotency-Key": "fund-1" });
    const again = await fund({ "Idempotency-Key": "fund-1" });
    assertEquals([first.status, again.status], [201, 200]);
    assertEquals(again.headers.get("Idempotent-Replayed"), "true");
    assertEquals(await again.text(), await first.text());
  });
});
