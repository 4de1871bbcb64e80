import { assert, assertEquals, assertMatch } from "../../../../tools/testing/assert.ts";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";
import type { Identity } from "../pki_fixture.ts";

const RATE = 5;
const FLOOD = 20 * RATE;

describe("a flood of requests", () => {
  let fixture: TestEnvoy;
  before(async () => void (fixture = await startTestEnvoy({ FLOOD_PER_SECOND: `${RATE}` })));
  after(() => fixture.stop());

  /** Sends `count` requests at once. Returns how many were served and how many were refused. */
  const flood = async (
    count: number,
    { cert, key }: Identity,
  ): Promise<{ served: number; refused: number }> => {
    const answers = await Promise.all(
      Array.from({ length: count }, () => fixture.send(request("GET /health"), { cert, key })),
    );
    const having = (status: number): number => answers.filter((answer) => answer.status === status).length;
    return { served: having(200), refused: having(429) };
  };

  it("is limited for each certificate separately", async () => {
    const others = fixture.authority.issue("other");
    const [own, another] = await Promise.all([flood(FLOOD, fixture.client), flood(RATE, others)]);
    assert(own.refused >= RATE, `${own.refused}`);
    assertEquals(own.served + own.refused, FLOOD);
    assertEquals(another, { served: RATE, refused: 0 });
  });

  it("is refused with rate_limited and Retry-After, also with a forged certificate header", async () => {
    const forged = request("GET /health", [`X-Forwarded-Client-Cert: Hash=${"0".repeat(64)}`]);
    const answers = await Promise.all(Array.from({ length: FLOOD }, () => fixture.send(forged)));
    const refused = answers.find(({ status }) => status === 429);
    assertEquals(JSON.parse(refused!.body).code, "rate_limited");
    assertMatch(refused!.head, /\nretry-after: 1\r/);
  });
});

/** Builds an HTTP/2 frame byte by byte. */
const frame = (type: number, flags: number, stream: number, payload: readonly number[] = []): Buffer =>
  Buffer.from([
    0,
    payload.length >> 8,
    payload.length & 255,
    type,
    flags,
    0,
    stream >> 16,
    (stream >> 8) & 255,
    stream & 255,
    ...payload,
  ]);
const MAX_STREAMS = 100;
const PREFACE = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0)]);
/** GET https://localhost/ in HPACK: indexes of the static table, and the host as a literal. */
const HEADERS = [0x82, 0x87, 0x84, 0x41, 9, ...Buffer.from("localhost")];
const END_OF_BOTH = 0x05;
const openStream = (stream: number): Buffer => frame(1, END_OF_BOTH, stream, HEADERS);
const resetStream = (stream: number): Buffer => frame(3, 0, stream, [0, 0, 0, 8]);

/** Opens an HTTP/2 connection and records the bytes that it receives. */
async function speak(fixture: TestEnvoy) {
  const socket = await fixture.open({ ALPNProtocols: ["h2"] });
  assertEquals(socket.alpnProtocol, "h2");
  socket.on("error", () => {});
  const received: Buffer[] = [];
  socket.on("data", (part: Buffer) => received.push(part));
  socket.write(PREFACE);
  return { socket, received: () => Buffer.concat(received) };
}

describe("HTTP/2", () => {
  let fixture: TestEnvoy;
  before(async () => void (fixture = await startTestEnvoy()));
  after(() => fixture.stop());

  it("is served", async () => {
    const { socket, received } = await speak(fixture);
    socket.write(openStream(1));
    while (fixture.arrived.length === 0 || !received().includes("ok")) await once(socket, "data");
    socket.destroy();
  });

  it("closes a connection that opens and resets many streams, but serves another connection", async () => {
    fixture.arrived.length = 0;
    const { socket } = await speak(fixture);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const streams = Array.from({ length: 5000 }, (_, at) => 2 * at + 1);
    socket.write(Buffer.concat(streams.flatMap((stream) => [openStream(stream), resetStream(stream)])));
    assertEquals((await fixture.send(request("GET /health"))).status, 200);
    await closed;
    const counter = "http.partners.downstream_rq_too_many_premature_resets";
    assertEquals(await fixture.ask(`/stats?filter=${counter}`), `${counter}: 1\n`);
    assert(fixture.arrived.length < 200, `${fixture.arrived.length}`);
  });

  it("announces the maximum number of concurrent streams", async () => {
    const { socket, received } = await speak(fixture);
    // SETTINGS_MAX_CONCURRENT_STREAMS, which the server announces in its first frame.
    const setting = Buffer.from([0, 3, 0, 0, 0, MAX_STREAMS]);
    while (received().length < 48) await once(socket, "data");
    assert(received().includes(setting), received().toString("hex"));
    socket.destroy();
  });
});

describe("connections", () => {
  let fixture: TestEnvoy;
  before(async () => void (fixture = await startTestEnvoy({ CONNECTIONS_MAX: "3" })));
  after(() => fixture.stop());

  it("beyond the limit are closed, and are accepted again after another connection has closed", async () => {
    const held = await Promise.all([fixture.open(), fixture.open(), fixture.open()]);
    const refused = fixture.open().then((socket) => once(socket, "close").then(() => true), () => true);
    // Wait less than the minutes after which Envoy also closes an idle connection.
    assertEquals(await Promise.race([refused, sleep(30_000, false, { ref: false })]), true);
    held[0]!.end();
    await once(held[0]!, "close");
    assertEquals((await fixture.send(request("GET /health"))).status, 200);
    for (const socket of held) socket.destroy();
  });
});

describe("requests beyond the service's capacity", () => {
  let fixture: TestEnvoy;
  before(async () => void (fixture = await startTestEnvoy({}, () => {})));
  after(() => fixture.stop());

  it("are refused at once with service_unavailable", async () => {
    const WAITING = 1024;
    const streams = Array.from({ length: MAX_STREAMS }, (_, at) => openStream(2 * at + 1));
    const connections = Array.from({ length: Math.ceil(WAITING / MAX_STREAMS) }, () => speak(fixture));
    const sockets = (await Promise.all(connections)).map(({ socket }) => socket);
    for (const socket of sockets) socket.write(Buffer.concat(streams));
    while (!(await fixture.ask("/stats?filter=upstream_rq_pending_overflow")).match(/: [1-9]/)) {
      await sleep(50);
    }
    const { status, head, body } = await fixture.send(request("GET /health"));
    assertEquals([status, JSON.parse(body).code], [503, "service_unavailable"]);
    assertMatch(head, /\nretry-after: 1\r/);
    for (const socket of sockets) socket.destroy();
  });
});
