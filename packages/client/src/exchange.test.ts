import process from "node:process";
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { GoldClient } from "./gold_client.ts";
import { GoldError } from "./gold_error.ts";
import { Quantity } from "./quantity.ts";
import { type Answer, ORDER, play, problem, QUOTE, reply } from "./scripted_transport_fixture.ts";
import { type Transport, TransportError, type TransportRequest } from "./transport.ts";

const reset = () => new TransportError("read ECONNRESET", {});
const refused = () => new TransportError("connect ECONNREFUSED", { unsent: true });
const tooLong = () => new TransportError("the reply is longer than 3 bytes", { oversized: true });
const headerOf = (requests: readonly TransportRequest[], name: string) =>
  requests.map(({ headers }) => headers[name]);
const failing = (answers: readonly Answer[], options = {}) =>
  play(answers, options).then(async (script) => {
    const act = () => script.client.placeOrder({ quote_id: "qt_1" });
    return { ...script, error: await assertRejects(act, GoldError) };
  });

describe("a call of GoldClient", () => {
  it("keeps its Idempotency-Key for all tries, and uses a new nonce and signature for each", async () => {
    const { client, sent } = await play([reset(), problem(504, "upstream_timeout"), reply(200, ORDER)]);
    await client.placeOrder({ quote_id: "qt_1" });
    assertEquals(new Set(headerOf(sent, "Idempotency-Key")).size, 1);
    assertEquals(new Set(headerOf(sent, "X-Nonce")).size, 3);
    assertEquals(new Set(headerOf(sent, "X-JWS-Signature")).size, 3);
  });

  it("signs with the time of each try", async () => {
    let seconds = 1_800_000_000;
    const { client, sent } = await play([reset(), reply(200, ORDER)], { now: () => 1000 * ++seconds });
    await client.placeOrder({ quote_id: "qt_1" });
    const [first, second] = headerOf(sent, "X-Timestamp");
    assert(first! < second!);
  });

  it("uses a new Idempotency-Key for each call, unless the caller passes one", async () => {
    const { client, sent } = await play([reply(201, QUOTE), reply(201, QUOTE), reply(201, QUOTE)]);
    const request = { side: "buy", gold_grams: "1.50" } as const;
    await client.createQuote(request);
    await client.createQuote(request);
    await client.createQuote(request, { idempotencyKey: "mine" });
    const keys = headerOf(sent, "Idempotency-Key");
    assertEquals([new Set(keys).size, keys[2]], [3, "mine"]);
    assertEquals(new TextDecoder().decode(sent[0]!.body), '{"side":"buy","gold_grams":1.5}');
  });

  it("signs again with a new nonce after nonce_reused, because a proxy may repeat a request", async () => {
    const { client, sent } = await play([
      problem(409, "nonce_reused", { retryable: true }),
      reply(200, ORDER),
    ]);
    await client.placeOrder({ quote_id: "qt_1" });
    assertEquals(new Set(headerOf(sent, "X-Nonce")).size, 2);
    const { error } = await failing([problem(409, "nonce_reused", { retryable: true })], { triesMax: 1 });
    assertEquals(error.outcomeUnknown, true);
  });

  it("waits as long as Retry-After says, in seconds or until a date", async () => {
    const date = { "Retry-After": "Sat, 31 Jan 2026 09:30:01 GMT", Date: "Sat, 31 Jan 2026 09:30:00 GMT" };
    const { client, reports } = await play([
      problem(429, "rate_limited", { retryable: true }, { "Retry-After": "1" }),
      problem(503, "service_unavailable", { retryable: true }, date),
      reply(200, "a balancer's page", {}),
    ]);
    await assertRejects(() => client.getPrices(), GoldError);
    assertEquals(reports.filter(({ operation }) => operation === "getPrices").map((each) => each.retryInMs), [
      1000,
      1000,
      undefined,
    ]);
  });

  it("fails at once if Retry-After exceeds patienceMs, and reports the seconds to wait", async () => {
    const away = problem(503, "service_unavailable", { retryable: true }, { "Retry-After": "3600" });
    const { error, sent } = await failing([away]);
    assertEquals([error.code, error.retryable, error.outcomeUnknown, sent.length], [
      "service_unavailable",
      true,
      false,
      1,
    ]);
    assertEquals(error.retryAfterSeconds, 3600);
    assertMatch(error.message, /Call again in 3600 s\./);
  });

  it("tries no more than triesMax times", async () => {
    const { error, sent } = await failing([reset(), refused(), refused()], { triesMax: 3 });
    assertEquals([sent.length, error.code], [3, "connection_failed"]);
    assertMatch(error.message, /Tried 3 times/);
  });

  it("does not ask again for a reply that is too long", async () => {
    const { client, sent } = await play([tooLong(), reply(200, {})]);
    const error = await assertRejects(() => client.getBalances(), GoldError);
    assertEquals([sent.length, error.code, error.retryable, error.outcomeUnknown], [
      ...[1, "reply_invalid", false, false],
    ]);
    assertMatch(error.message, /the reply is longer than 3 bytes\. Ask for less/);
    const write = await failing([tooLong(), reply(200, ORDER)]);
    assertEquals([write.sent.length, write.error.code, write.error.outcomeUnknown], [
      1,
      "reply_invalid",
      true,
    ]);
  });

  const final = (status: number, code: string) => problem(status, code, { retryable: false });
  const EXECUTED: readonly (readonly [what: string, answers: readonly Answer[], unknown: boolean])[] = [
    ["a connection that was never opened", [refused()], false],
    ["a broken connection", [reset()], true],
    ["any other error of the transport", [new Error("?")], true],
    ["a broken connection, and then a refused connection", [reset(), refused()], true],
    ["a broken connection, and then a business refusal", [reset(), final(422, "quote_expired")], false],
    [
      "a broken connection, and then a refused certificate",
      [reset(), final(403, "certificate_revoked")],
      true,
    ],
    ["a refused certificate", [final(403, "certificate_revoked")], false],
    ["a broken connection, and then an unknown quote_id", [reset(), final(404, "not_found")], false],
    ["a timeout of the proxy", [problem(504, "upstream_timeout")], true],
    ["an error page of a load balancer", [reply(502, "<html>")], true],
    ["a redirect to a login page", [reply(302, "", { Location: "https://login.example" })], true],
    ["an error page of a firewall", [reply(403, "<html>")], true],
    ["a JSON reply of a firewall", [reply(403, { code: "blocked" })], true],
    ["a new 5xx code that the client does not know", [final(500, "gold_is_molten")], true],
    ["a new 4xx code that the client does not know", [final(422, "gold_is_tired")], false],
    ["a broken connection, and then a new 4xx code", [reset(), final(422, "gold_is_tired")], true],
  ];
  for (const [what, answers, unknown] of EXECUTED) {
    it(`reports the outcome as ${unknown ? "unknown" : "known"} after ${what}`, async () => {
      const { error, sent } = await failing(answers, { triesMax: answers.length });
      assertEquals(error.outcomeUnknown, unknown);
      assertEquals(error.idempotencyKey, headerOf(sent, "Idempotency-Key")[0]);
      assertEquals(error.message.includes(error.idempotencyKey!), unknown);
    });
  }

  it("does not retry market_closed, a refused request or a TLS failure", async () => {
    for (
      const [status, code] of [[422, "market_closed"], [400, "invalid_request"], [
        403,
        "ip_not_allowed",
      ]] as const
    ) {
      const { error, sent } = await failing([problem(status, code, { retryable: code === "market_closed" })]);
      assertEquals([error.code, sent.length], [code, 1]);
    }
    const untrusted = new TransportError("self-signed certificate", { unsent: true, untrusted: true });
    const { error, sent } = await failing([untrusted]);
    assertEquals([error.code, error.retryable, sent.length], ["tls_failed", false, 1]);
  });

  it("fetches one new token after a refused token, and gives up if it is refused, too", async () => {
    const ended = () => problem(401, "token_invalid", { retryable: false });
    const { client, sent, tokens } = await play([ended(), reply(200, ORDER)]);
    await client.placeOrder({ quote_id: "qt_1" });
    assertEquals(headerOf(sent, "Authorization"), ["Bearer token-1", "Bearer token-2"]);
    assertEquals(tokens.length, 2);
    const again = await failing([ended(), ended()]);
    assertEquals([again.error.code, again.sent.length, again.tokens.length], ["token_invalid", 2, 2]);
  });

  it("fetches a new token even if triesMax is 1", async () => {
    const ended = problem(401, "token_expired", { retryable: true });
    const { client, sent } = await play([ended, reply(200, ORDER)], { triesMax: 1 });
    await client.placeOrder({ quote_id: "qt_1" });
    assertEquals(sent.length, 2);
  });

  it("reports why clientSecret() failed, and ignores an observer that throws", async () => {
    const clientSecret = () => Promise.reject(new Error("the key store is closed"));
    const { error } = await failing([], { clientSecret });
    assertEquals(error.code, "configuration_invalid");
    assertMatch(error.message, /the key store is closed/);
    const throwing = () => {
      throw new Error("the key store is gone");
    };
    assertMatch((await failing([], { clientSecret: throwing })).error.message, /the key store is gone/);
    const observe = () => {
      throw new Error("the log is full");
    };
    const { client } = await play([reply(201, ORDER)], { observe });
    assertEquals((await client.placeOrder({ quote_id: "qt_1" })).order_id, "ord_1");
  });

  it("reports the offset of a wrong clock", async () => {
    const now = () => Date.parse("2026-01-31T09:23:59Z");
    const late = problem(401, "timestamp_out_of_window", {}, { Date: "Sat, 31 Jan 2026 09:30:00 GMT" });
    const { error, client } = await failing([late], { now });
    assertMatch(error.message, /clock is 36[12] s behind the service's.*within 300 s.*NTP/);
    assertEquals(client.clockOffsetSeconds, -361);
  });

  it(
    "ends when the caller's signal aborts, during a try, during a pause and before the call",
    { timeout: 60_000 },
    async () => {
      const waits = problem(503, "service_unavailable", { retryable: true }, { "Retry-After": "3600" });
      for (const unknown of [true, false]) {
        const ending = new AbortController();
        // The 20 ms begin when the try or the pause begins, not when the call begins. Before the try, the
        // client fetches a token and signs, which takes some time.
        const endSoon = () => void setTimeout(() => ending.abort(new Error("bored")), 20);
        const silent = () => new Promise<never>(endSoon);
        const { client } = await play([unknown ? silent : waits], {
          patienceMs: 7_200_000,
          observe: ({ retryInMs }) => retryInMs === undefined || endSoon(),
        });
        const act = () => client.placeOrder({ quote_id: "qt_1" }, { signal: ending.signal });
        const error = await assertRejects(act, GoldError);
        assertEquals([error.code, error.outcomeUnknown], ["aborted", unknown]);
        const { client: other, sent } = await play([]);
        const early = await assertRejects(
          () => other.getOrder("ord_1", { signal: ending.signal }),
          GoldError,
        );
        assertEquals([early.code, early.outcomeUnknown, sent.length], ["aborted", false, 0]);
      }
    },
  );

  it("lets one signal abort many calls without a warning", async () => {
    const warnings: string[] = [];
    const hear = ({ message }: Error) => warnings.push(message);
    process.on("warning", hear);
    const silent = () => new Promise<never>(() => {});
    const { client } = await play(Array.from({ length: 12 }, () => silent));
    const ending = new AbortController();
    const calls = Array.from({ length: 12 }, () => client.getPrices({ signal: ending.signal }));
    setTimeout(() => ending.abort(), 20);
    for (const each of await Promise.allSettled(calls)) assertEquals(each.status, "rejected");
    process.off("warning", hear);
    assertEquals(warnings, []);
  });

  it("sends no request with invalid arguments", async () => {
    const { client, sent, tokens } = await play([]);
    const wrong: (() => Promise<unknown>)[] = [
      () => client.getOrder(".."),
      () => client.getOrder(""),
      () => client.getQuote("qt_1/../../health"),
      () => client.createQuote({ side: "buy", gold_grams: 1.5 as never }),
      () => client.createQuote({ side: "buy", gold_grams: "1.00001" }),
      () => client.createQuote(undefined as never),
      () => client.placeOrder(undefined as never),
      () => client.placeOrder({ quote_id: 17 as never }),
      () => client.simulatePrices({ percent: 1.5 }),
      () => client.simulatePrices({ percent: "10" as never }),
      () => client.placeOrder({ quote_id: "qt_1" }, { idempotencyKey: "two words" }),
      () => client.placeOrder({ quote_id: "qt_1" }, { idempotencyKey: null as never }),
      () => client.placeOrder({ quote_id: "qt_1" }, { idempotencyKey: 17 as never }),
    ];
    for (const act of wrong) assertEquals((await assertRejects(act, GoldError)).code, "argument_invalid");
    assertEquals([sent, tokens], [[], []]);
  });

  it("reports a missing signing key, and why signing failed", async () => {
    const unsigned = await failing([], { signingKey: undefined });
    assertEquals([unsigned.error.code, unsigned.error.outcomeUnknown], ["configuration_invalid", false]);
    const sign = () => Promise.reject(new Error("the HSM is offline"));
    const { error, sent } = await failing([], { signingKey: undefined, sign });
    assertEquals([error.code, sent.length], ["signing_failed", 0]);
    assertMatch(error.message, /the HSM is offline/);
    const silent = () => new Promise<never>(() => {});
    const waited = await failing([], { signingKey: undefined, sign: silent, patienceMs: 20 });
    assertEquals([waited.error.code, waited.error.outcomeUnknown], ["timed_out", false]);
  });

  it("rejects a 2xx reply in another form, and reports a write's outcome as unknown", async () => {
    const { status: _, ...lacking } = ORDER;
    for (const body of [{ hello: 1 }, [], null, "", "<html>", { ...lacking, stauts: "executed" }]) {
      const { error, sent } = await failing([reply(201, body, { "X-Request-Id": "req_2" })]);
      assertEquals([error.code, error.status, error.request_id], ["reply_invalid", 201, "req_2"]);
      assertEquals([error.outcomeUnknown, error.retryable, error.idempotencyKey, sent.length], [
        true,
        true,
        sent[0]!.headers["Idempotency-Key"],
        1,
      ]);
    }
    const pages = [{ items: [1] }, { items: {}, next_cursor: null }, {}];
    const reads = pages.map((page) => [page, (client: GoldClient) => client.listOrders()] as const);
    const csv = (client: GoldClient) => client.getStatementCsv({ from: "2026-01-01", to: "2026-01-31" });
    for (const [body, read] of [...reads, ["<html>", csv] as const]) {
      const { client } = await play([reply(200, body, { "Content-Type": "text/html" })]);
      const error = await assertRejects(() => read(client) as Promise<unknown>, GoldError);
      assertEquals([error.code, error.outcomeUnknown], ["reply_invalid", false]);
    }
  });

  it("reports a code that it does not know, as the service sent it", async () => {
    const { error, reports } = await failing([final(422, "gold_is_tired")]);
    assertEquals([error.code, error.serviceCode], ["unknown_code", "gold_is_tired"]);
    assertEquals(reports.at(-1)!.code, "gold_is_tired");
    const known = await failing([final(422, "quote_expired")]);
    assertEquals([known.error.code, known.error.serviceCode], ["quote_expired", "quote_expired"]);
    assertEquals((await failing([refused()], { triesMax: 1 })).error.serviceCode, undefined);
  });

  it("sends only the quote_id of a quote that is passed as an order", async () => {
    const { client, sent } = await play([reply(201, QUOTE), reply(201, ORDER)]);
    await client.placeOrder(await client.createQuote({ side: "buy", gold_grams: "1.5" }));
    assertEquals(new TextDecoder().decode(sent[1]!.body), '{"quote_id":"qt_1"}');
  });

  it("fetches a page of a list when it is awaited, and the following pages when a loop needs them", async () => {
    const page = (id: number, next: string | null) =>
      reply(200, { items: [{ ...ORDER, order_id: `ord_${id}` }], next_cursor: next });
    const { client, sent } = await play([page(1, "a b"), page(2, null), page(3, null)]);
    const list = client.listOrders({ limit: 1 });
    assertEquals([(await list).items[0]!.order_id, (await list).next_cursor], ["ord_1", "a b"]);
    const ids = [];
    for await (const { order_id } of list) ids.push(order_id);
    assertEquals(ids, ["ord_1", "ord_2"]);
    await client.listOrders({ cursor: "a b" });
    assertEquals(sent.map(({ url }) => new URL(url).search), [
      "?limit=1",
      "?limit=1&cursor=a%20b",
      "?cursor=a%20b",
    ]);
  });

  it("accepts replies with new members and values", async () => {
    const grown = { ...ORDER, side: "swap", status: "settled", spread_sar: 0.00001, more: {} };
    const { client } = await play([reply(201, grown)]);
    assertEquals({ ...await client.placeOrder({ quote_id: "qt_1" }) } as unknown, {
      ...grown,
      gold_grams: Quantity.grams("1.5"),
      price_per_gram_sar: Quantity.parse("500.0001", "SAR/g"),
      total_sar: Quantity.sar("750.01"),
      spread_sar: "0.00001",
    });
  });

  it("applies one patienceMs to the token, the try and the token's renewal", async () => {
    const late = <T>(value: T) => new Promise<T>((resolve) => setTimeout(resolve, 150, value));
    const expired = () => late(problem(401, "token_expired", { retryable: true }));
    const { error } = await failing([expired], {
      ...{ patienceMs: 200, triesMax: 1, clientSecret: () => late("secret") },
    });
    assertEquals([error.code, error.retryable], ["timed_out", true]);
    assertMatch(error.message, /within [0-9]+ ms/);
  });

  it("sends nothing after close(), which may be called twice", async () => {
    let closed = 0;
    const transport: Transport = {
      send: () => Promise.reject(new Error("sent")),
      close: () => void ++closed,
    };
    const { client } = await play([], { transport });
    client.close();
    client.close();
    const error = await assertRejects(() => client.getPrices(), GoldError, "closed");
    assertEquals([error.code, closed], ["argument_invalid", 1]);
  });

  it("reports every try to its observer, and never a secret", async () => {
    const { client, reports } = await play([reset(), reply(201, ORDER, { "X-Request-Id": "req_2" })]);
    await client.placeOrder({ quote_id: "qt_1" });
    assertEquals(
      reports.map((
        { operation, tries, status, code, request_id },
      ) => [operation, tries, status, code, request_id]),
      [
        ["issueToken", 1, 200, undefined, undefined],
        ["createOrder", 1, undefined, "connection_failed", undefined],
        ["createOrder", 2, 201, undefined, "req_2"],
      ],
    );
    assert(!/token-1|secret|qt_1/.test(JSON.stringify(reports)));
  });
});
