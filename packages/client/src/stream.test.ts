import { describe, it } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { GoldError } from "./gold_error.ts";
import { type Answer, play, problem, reply } from "./scripted_transport_fixture.ts";
import { TransportError } from "./transport.ts";

const PRICE =
  '{"currency":"SAR","unit":"gram","purity":"24K","buy_price":401.20,"sell_price":398.8,"as_of":"","market":"open"}';
const event = (sequence: number) =>
  `id: ${sequence}\ndata: {"type":"webhook.test","sequence":${sequence},"data":{}}\n\n`;
const END = 'event: end\ndata: {"reason":"drain"}\n\n';

describe("a stream of the client", () => {
  it("of prices yields exact prices, and null when there is no fresh one", async () => {
    const parts = [
      `retry: 1000\n\n: ping\n\ndata: ${PRICE.slice(0, 30)}`,
      `${PRICE.slice(30)}\n\nevent: later\ndata: {}\n\n`,
    ];
    const { client, sent } = await play([[
      ...parts,
      'event: unavailable\ndata: {"code":"price_unavailable"}\n\n',
    ]]);
    const read = [];
    for await (const prices of client.streamPrices()) {
      read.push(prices);
      if (read.length === 2) break;
    }
    assertEquals(`${read[0]!.buy_price}`, "401.2");
    assertEquals(read[1], null);
    assertEquals([sent[0]!.method, sent[0]!.headers["Accept"]], ["GET", "text/event-stream"]);
    assert(sent[0]!.signal.aborted, "leaving the loop must close the connection");
  });

  it("of events goes on after the last one, whatever ends the connection", async () => {
    const { client, sent, tokens } = await play([
      ["id: 40\n\nevent: later\ndata: {}\n\n"],
      problem(503, "service_unavailable", {}, { "Retry-After": "0" }),
      [event(41), event(42).slice(0, 20)],
      new Error("ECONNRESET"),
      [event(42), END],
      problem(401, "token_expired"),
      [event(43)],
    ]);
    const read = [];
    for await (const { sequence } of client.streamEvents()) {
      read.push(sequence);
      if (sequence === 43) break;
    }
    assertEquals(read, [41, 42, 43]);
    const after = sent.map(({ url }) => new URL(url).searchParams.get("after"));
    assertEquals(after, [null, "40", "40", "41", "41", "42", "42"]);
    assertEquals(tokens.length, 2);
  });

  it("outlasts any outage, with pauses that grow to 10 s, and renews its token once in a row", async () => {
    const passing: Answer[] = [
      new TransportError("ECONNREFUSED", { unsent: true }),
      new Error("ECONNRESET"),
      reply(502, "<html>"),
      reply(501, ""),
      problem(500, "internal_error", { retryable: false }),
      problem(429, "rate_limited", { retryable: true }),
      problem(408, "request_timeout", { retryable: true }),
      problem(401, "token_expired"),
      [],
      ["id: 40\n\n", END],
    ];
    const outage = [passing, passing, passing].flat();
    const { client, sent, tokens, reports } = await play([...outage, [event(41)], [": ping\n\n"], [
      event(42),
    ]], {
      // A thousandth of the longest pauses, so that the test does not wait for minutes.
      random: () => 0.001,
      triesMax: 1,
    });
    const read = [];
    for await (const { sequence } of client.streamEvents({ after: 40 })) {
      read.push(sequence);
      if (sequence === 42) break;
    }
    assertEquals([read, sent.length, tokens.length], [[41, 42], outage.length + 3, 4]);
    const waits = reports.flatMap(({ operation, retryInMs }) =>
      operation === "streamEvents" && retryInMs !== undefined ? [Math.round(retryInMs * 1000)] : []
    );
    assertEquals(waits.slice(0, 8), [200, 400, 800, 1600, 3200, 6400, 10_000, 0]);
    assertEquals(waits.slice(8).filter((wait) => wait !== 10_000), [0, 0]);
  });

  it("makes the shortest pause after a comment and after data, but not after an end alone", async () => {
    const away = problem(503, "service_unavailable");
    const answers = [[END], away, [": ping\n\n"], away, [event(1), END], away, [event(2)]];
    const { client, reports } = await play(answers, { random: () => 0.001 });
    for await (const { sequence } of client.streamEvents({ after: 0 })) if (sequence === 2) break;
    const waits = reports.flatMap(({ retryInMs }) => retryInMs === undefined ? [] : [retryInMs * 1000]);
    // Each connection that ended made the pause before it.
    assertEquals(waits.map(Math.round), [400, 400, 400]);
  });

  it("waits for a token as for the stream, as long as Retry-After says", async () => {
    const away = problem(503, "service_unavailable", { retryable: true }, { "Retry-After": "1" });
    const grants = [away, new Error("ECONNRESET"), reply(501, "")];
    const { client, tokens, reports } = await play([[event(1)]], { triesMax: 1 }, grants);
    for await (const _ of client.streamEvents({ after: 0 })) break;
    assertEquals(tokens.length, 4);
    const tries = reports.filter(({ operation }) => operation === "streamEvents");
    assertEquals(tries.map(({ code, status }) => code ?? status), [
      "service_unavailable",
      "connection_failed",
      "reply_invalid",
      200,
    ]);
    assertEquals(tries[0]!.retryInMs, 1000);
    const refused = await play([], {}, [problem(401, "invalid_client")]);
    const error = await assertRejects(
      async () => void await refused.client.streamPrices().next(),
      GoldError,
    );
    assertEquals(error.code, "invalid_client");
  });

  for (
    const [name, answers, code] of [
      [
        "a token that is refused twice",
        [401, 401].map((status) => problem(status, "token_invalid")),
        "token_invalid",
      ],
      ["a position that is not valid", [problem(400, "invalid_request")], "invalid_request"],
      ["a service without streams", [reply(404, "<html>")], "reply_invalid"],
      ["a reply that is no stream", [reply(200, "<html>", { "Content-Type": "text/html" })], "reply_invalid"],
      ["a message in another form", [["data: {\n\n"]], "reply_invalid"],
      ["an untrusted certificate", [new TransportError("CERT", { untrusted: true })], "tls_failed"],
    ] as [string, Answer[], string][]
  ) {
    it(`ends after ${name}`, async () => {
      const { client, sent } = await play(answers);
      const error = await assertRejects(
        async () => void await client.streamEvents({ after: 0 }).next(),
        GoldError,
      );
      assertEquals([error.code, sent.length], [code, answers.length]);
    });
  }

  it("throws what waiting cannot mend, and the caller's signal", async () => {
    const suspended = await play([[event(1), END], problem(403, "partner_suspended")]);
    const read: number[] = [];
    const error = await assertRejects(async () => {
      for await (const { sequence } of suspended.client.streamEvents({ after: 0 })) read.push(sequence);
    }, GoldError);
    assertEquals([error.code, read], ["partner_suspended", [1]]);

    const ending = new AbortController();
    const { client } = await play([[event(1)]]);
    const aborted = await assertRejects(async () => {
      for await (const _ of client.streamEvents({}, { signal: ending.signal })) ending.abort();
    }, GoldError);
    assertEquals(aborted.code, "aborted");
  });
});
