import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";
import { until } from "../../../../tools/testing/until.ts";
import { suiteService } from "../../testing/service.ts";
import { STREAMS_MAX } from "../streams/streams.ts";
import { startProcesses, stopProcesses, type TestProcesses } from "./processes_fixture.ts";

const EVENT_STREAM = "/v1/events/stream";

/** The way of one process to the database. */
class Relay {
  readonly #links = new Set<Socket>();
  readonly #server: Server;
  #port = 0;

  constructor(host: string, port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, host);
      const end = () => [near, far].forEach((socket) => socket.destroy());
      for (const socket of [near, far]) socket.on("error", end).on("close", end);
      this.#links.add(near.pipe(far).pipe(near));
    });
  }

  /** Returns the port. */
  async mend(): Promise<number> {
    await once(this.#server.listen(this.#port, "127.0.0.1"), "listening");
    return this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** From now on, connections are refused. */
  async cut(): Promise<void> {
    const closed = once(this.#server.close(), "close");
    for (const link of this.#links) link.destroy();
    this.#links.clear();
    await closed;
  }
}

describe("the streams of a process in an outage of the database", () => {
  const fixture = suiteService();
  const folder = temporaryFolder("gold-test");
  const operations = `${folder}/operations.sock`;
  let process: TestProcesses;
  let relay: Relay;
  before(async () => {
    const databaseUrl = new URL(fixture.config.databaseUrl);
    relay = new Relay(databaseUrl.hostname, Number(databaseUrl.port));
    databaseUrl.hostname = "127.0.0.1";
    databaseUrl.port = `${await relay.mend()}`;
    process = startProcesses(fixture, folder, {
      DATABASE_URL: databaseUrl.href,
      LISTEN: `unix:${folder}/api.sock`,
      OPERATIONS_LISTEN: `unix:${operations}`,
      DRAIN_SECONDS: "0",
    });
    await process.until("serving", 1);
  });
  after(async () => {
    if (process) await stopProcesses(process);
    await relay?.cut();
  });

  const ask = async (path: string, more: { method?: string; headers?: object } = {}) => {
    const outgoing = request({
      socketPath: `${folder}/api.sock`,
      path,
      method: more.method ?? "GET",
      agent: false,
      headers: {
        "X-Forwarded-Client-Cert": `Hash=${fixture.partner.fingerprint}`,
        "X-Client-Ip": "127.0.0.1",
        Authorization: `Bearer ${await fixture.token()}`,
        ...more.headers,
      },
    }).end();
    const [reply] = await once(outgoing, "response") as [IncomingMessage];
    const received = { status: reply.statusCode, headers: reply.headers, text: "", ended: "" };
    reply.setEncoding("utf8").on("data", (text: string) => received.text += text)
      .on("error", () => {}).on("close", () => received.ended = reply.complete ? "whole" : "broken");
    return Object.assign(received, { close: () => outgoing.destroy() });
  };
  const openStreams = () =>
    new Promise<number>((resolve, reject) =>
      request({ socketPath: operations, path: "/metrics" }, (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (part) => text += part)
          .on("end", () => resolve(Number(/^gold_streams_open (\d+)$/m.exec(text)?.[1])));
      }).on("error", reject).end()
    );
  const makeEvent = () => fixture.send("/sandbox/fund", { body: '{"amount_sar":1}' });

  it("breaks a stream whose events cannot be read, without a last message, and frees its place", async () => {
    const stream = await ask(EVENT_STREAM);
    await until(() => stream.text.includes("id: "));
    await fixture.books.sql`revoke execute on function gold.event_bodies from gold_api`;
    try {
      await makeEvent();
      await until(() => stream.ended);
      assertEquals([stream.status, stream.ended, stream.text.includes("event: end")], [200, "broken", false]);
      const [line] = await process.until("stream broken off", 1);
      assertEquals((line as { level?: string }).level, "warn");
      assertEquals(await openStreams(), 0);
    } finally {
      await fixture.books.sql`grant execute on function gold.event_bodies to gold_api`;
    }
  });

  it("refuses a stream of events with 503 and Retry-After before its first byte, and it takes no place", async () => {
    const prices = await ask("/v1/prices/stream");
    await until(() => prices.text.includes("data: "));
    const open = await ask(`${EVENT_STREAM}?after=0`);
    await until(() => open.text.includes("data: "));
    await relay.cut();
    try {
      const forms: [string, { method?: string; headers?: object }][] = [
        [EVENT_STREAM, {}],
        [`${EVENT_STREAM}?after=0`, {}],
        [`${EVENT_STREAM}?after=0`, { method: "HEAD" }],
        [EVENT_STREAM, { headers: { "Last-Event-ID": "1" } }],
      ];
      for (const [path, form] of forms) {
        const reply = await ask(path, form);
        await until(() => reply.ended);
        const found = [reply.status, reply.headers["content-type"], reply.headers["retry-after"]];
        assertEquals(found, [503, "application/problem+json", "1"], JSON.stringify(form));
        if (form.method !== "HEAD") assertEquals(JSON.parse(reply.text).code, "service_unavailable");
      }
      await Promise.all(Array.from({ length: STREAMS_MAX + 1 }, async () => {
        const reply = await ask(`${EVENT_STREAM}?after=0`);
        assertEquals(reply.status, 503);
      }));
      // Streams that are open stay so. Prices say that they are lost.
      await until(() => prices.text.includes("event: unavailable"));
      assertEquals([prices.ended, open.ended, await openStreams()], ["", "", 2]);
    } finally {
      await relay.mend();
    }
    const [before, received] = [prices.text.length, open.text.length];
    await until(() => prices.text.slice(before).includes('"buy_price"'));
    await makeEvent();
    await until(() => open.text.length > received);
    for (const stream of [prices, open]) stream.close();
    await until(async () => await openStreams() === 0);
  });

  it("print nothing but lines of JSON", () => {
    assert(process.output.length > 3);
    for (const line of process.output) assertEquals(typeof JSON.parse(line).event, "string", line);
  });
});
