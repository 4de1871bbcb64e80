import { describe, it } from "node:test";
import { pricesReply } from "@gold-partner/protocol";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { until } from "../../../../tools/testing/until.ts";
import { itLeavesNoDefectsInAudit } from "../../testing/books.ts";
import type { TestPartner } from "../../testing/partner.ts";
import { expectProblem } from "../../testing/problem.ts";
import { suiteService } from "../../testing/service.ts";
import { openSimulator } from "../../testing/simulator.ts";
import { readMessages, type SentMessage } from "../../testing/sse.ts";
import { STREAMS_MAX } from "../streams/streams.ts";

const PRICE_STREAM = "/v1/prices/stream";

describe("a stream", () => {
  const service = suiteService();
  const opened: { readonly reply: Response; readonly messages: AsyncGenerator<SentMessage> }[] = [];

  async function open(path: string, partner: TestPartner, headers: Record<string, string> = {}) {
    const reply = await service.send(path, { method: "GET", partner, headers });
    assertEquals([reply.status, reply.headers.get("Content-Type")], [200, "text/event-stream"]);
    const messages = readMessages(reply.body!);
    opened.push({ reply, messages });
    return messages;
  }
  const next = async (messages: AsyncGenerator<SentMessage>) => (await messages.next()).value as SentMessage;
  const openStreams = () => Number(/^gold_streams_open (\d+)$/m.exec(service.metrics())![1]);
  const closeAll = async () => {
    for (const { reply, messages } of opened.splice(0)) {
      await messages.return(undefined);
      if (!reply.body!.locked) await reply.body!.cancel();
    }
    await until(() => openStreams() === 0);
  };
  /** Reads messages until one has this price, and returns all that it read. */
  async function readUntil(messages: AsyncGenerator<SentMessage>, price: number): Promise<SentMessage[]> {
    const read: SentMessage[] = [];
    for (;;) {
      read.push(await next(messages));
      if (read.at(-1)!.data.includes(`"buy_price":${price},`)) return read;
    }
  }

  it("of prices has each partner's own price at once, and each change of it, but four a second at most", async () => {
    const [plain, other] = [await openSimulator(service), await openSimulator(service)];
    await other.arm("prices", { percent: 10 });
    const streams = [await open(PRICE_STREAM, plain.partner), await open(PRICE_STREAM, other.partner)];
    const first = await Promise.all(
      streams.map(async (messages) => pricesReply.parse(JSON.parse((await next(messages)).data))),
    );
    assertEquals(first.map(({ buy_price }) => buy_price), [321, 353.1]);
    await service.books.setPrice(3_300_000n, 3_290_000n);
    await Promise.all([readUntil(streams[0]!, 330), readUntil(streams[1]!, 363)]);
    const startedMs = performance.now();
    const read = [];
    while (performance.now() - startedMs < 2000) read.push(await next(streams[0]!));
    assert(read.length >= 4 && read.length <= 9, `${read.length} in two seconds`);
    // The simulation reaches a stream that is open.
    await other.arm("reset");
    await readUntil(streams[1]!, 330);
    await service.books.setPrice(3_210_000n, 3_190_000n);
    await closeAll();
  });

  it("of prices says that there is no fresh price, and goes on when there is one", async () => {
    const bank = await openSimulator(service);
    const messages = await open(PRICE_STREAM, bank.partner);
    await readUntil(messages, 321);
    await bank.arm("market", { state: "price_stale" });
    let message = await next(messages);
    while (message.event === "message") message = await next(messages);
    assertEquals([message.event, message.data], ["unavailable", '{"code":"price_unavailable"}']);
    await bank.arm("reset");
    await readUntil(messages, 321);
    await closeAll();
  });

  it("of events has all of them in order, with the bytes of a webhook, from the wanted one on", async () => {
    const bank = await openSimulator(service);
    for (let n = 0; n < 120; n++) await bank.arm("deposit", { amount_sar: 1 });
    const messages = await open("/v1/events/stream?after=0", bank.partner);
    const later = await open("/v1/events/stream?after=5", bank.partner, { "Last-Event-ID": "119" });
    const fresh = await open("/v1/events/stream", bank.partner);
    const read = [];
    for (let n = 1; n <= 121; n++) read.push(await next(messages));
    assertEquals(read.map(({ id }) => id), Array.from({ length: 121 }, (_, n) => `${n + 1}`));
    const { items } = await (await bank.get("/v1/events?limit=100")).json() as {
      items: Record<string, unknown>[];
    };
    const plain = items.map(({ delivery: _, deliveries: __, line: ___, ...event }) => event);
    assertEquals(read.slice(0, items.length).map(({ data }) => JSON.parse(data)), plain);
    assertEquals([(await next(later)).id, (await next(later)).id], ["120", "121"]);
    await Promise.all([1, 2, 3].map((amount_sar) => bank.arm("deposit", { amount_sar })));
    for (const stream of [messages, later, fresh]) {
      assertEquals([await next(stream), await next(stream), await next(stream)].map(({ id }) => id), [
        "122",
        "123",
        "124",
      ]);
    }
    await expectProblem(bank.get("/v1/events/stream?limit=1"), "invalid_request");
    const headers = { "Last-Event-ID": "evt_1" };
    await expectProblem(
      service.send("/v1/events/stream", { method: "GET", partner: bank.partner, headers }),
      "invalid_request",
    );
    await closeAll();
  });

  it("ends with its reason when the caller would be refused", async () => {
    const bank = await openSimulator(service);
    const ends = async (messages: AsyncGenerator<SentMessage>) => {
      const read = [];
      for await (const message of messages) read.push(message);
      return [read.at(-1)!.event, read.at(-1)!.data];
    };
    const withReason = (reason: string) => ["end", `{"reason":"${reason}"}`];
    const both = [await open(PRICE_STREAM, bank.partner), await open("/v1/events/stream", bank.partner)];
    await service.books.sql`update gold.partner set suspended_at = now() where id = ${bank.partner.client}`;
    await service.books.sql`select gold.registry_changed()`;
    assertEquals(await Promise.all(both.map(ends)), both.map(() => withReason("suspended")));

    const tired = await service.addPartner();
    const late = await open(PRICE_STREAM, tired);
    service.shiftClock(601_000);
    assertEquals(await ends(late), withReason("token_expired"));
    service.shiftClock(0);

    const lost = await service.addPartner();
    const last = await open("/v1/events/stream", lost);
    await service.books.sql`update gold.certificate set revoked_at = now() where partner_id = ${lost.client}`;
    await service.books.sql`select gold.registry_changed()`;
    assertEquals(await ends(last), withReason("revoked"));
    await closeAll();
  });

  it("breaks off when its events cannot be read, is logged, and counts no longer", async () => {
    const bank = await openSimulator(service);
    const messages = await open("/v1/events/stream", bank.partner);
    await service.books.sql`revoke execute on function gold.event_bodies from gold_api`;
    try {
      await bank.arm("deposit", { amount_sar: 1 });
      await assertRejects(async () => void await next(messages));
      assertEquals(openStreams(), 0);
      const [line] = service.log.filter((each) => each.includes("stream broken off"));
      assert(line && !line.includes("event_bodies("), line);
    } finally {
      await service.books.sql`grant execute on function gold.event_bodies to gold_api`;
      opened.pop();
    }
  });

  it("is refused beyond the limit of its partner, and one that closes makes room", async () => {
    const [bank, other] = [await openSimulator(service), await openSimulator(service)];
    for (let n = 0; n < STREAMS_MAX; n++) {
      await open(n % 2 ? PRICE_STREAM : "/v1/events/stream", bank.partner);
    }
    await expectProblem(bank.get(PRICE_STREAM), "rate_limited");
    await open(PRICE_STREAM, other.partner);
    await opened.shift()!.reply.body!.cancel();
    await open(PRICE_STREAM, bank.partner);
    await closeAll();
  });

  it("gives up its place after its end, even if nobody reads the end", async () => {
    const { partner } = await openSimulator(service);
    const reply = await service.send(PRICE_STREAM, { method: "GET", partner });
    assertEquals(openStreams(), 1);
    await service.books.sql`select gold.suspend_partner(${partner.clientId})`;
    await until(() => openStreams() === 0);
    await reply.body!.cancel();
  });

  it("is not opened by HEAD", async () => {
    const { partner } = await openSimulator(service);
    for (const path of [PRICE_STREAM, "/v1/events/stream"]) {
      const reply = await service.send(path, { method: "HEAD", partner });
      const type = reply.headers.get("Content-Type");
      assertEquals([reply.status, type, reply.body], [200, "text/event-stream", null]);
    }
    assertEquals(openStreams(), 0);
  });

  itLeavesNoDefectsInAudit(() => service.books);
});
