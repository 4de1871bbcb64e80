import { describe, it } from "node:test";
import { assert, assertEquals, assertRejects } from "../../../tools/testing/assert.ts";
import { GoldError } from "./gold_error.ts";
import { play, problem } from "./scripted_transport_fixture.ts";

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
