import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { Relay } from "../../../tools/prove/stage/relay.ts";
import { request, statusesOf } from "./bytes_fixture.ts";
import { Siege } from "./siege_fixture.ts";

const AT_ONCE = 20;
const IDLE = 1000;
const DRIP_MS = 250;
/**
 * The end of a slow request must come within this time. Envoy waits 3 s for a handshake, 10 s for headers and
 * 15 s for a request; a busy machine needs more time.
 */
const ARRIVAL_MS = 30_000;
/**
 * The end of a silent connection must come within this time. Envoy waits 30 s for a client that reads
 * nothing.
 */
const SILENCE_MS = 60_000;
const STATEMENTS = 400;

/** The replies on one connection, and when it ended: Infinity if it did not end. */
interface Fate {
  readonly statuses: readonly number[];
  readonly endedMs: number;
}

describe("slow clients through Envoy", () => {
  let siege: Siege;
  before(async () => {
    siege = await Siege.open();
  });
  after(() => siege?.close());

  const several = <T>(count: number, act: () => Promise<T>) =>
    Promise.all(Array.from({ length: count }, act));

  /**
   * Sends `begin`, then slowly `part` again and again, until the connection ends or `timeoutMs` are over.
   */
  async function drip(begin: string, part: string, timeoutMs: number): Promise<Fate> {
    const socket = await siege.connect();
    let received = "";
    socket.setEncoding("latin1").on("data", (text) => received += text);
    const startedMs = performance.now();
    socket.write(begin);
    while (!isOver(socket) && performance.now() - startedMs < timeoutMs) {
      if (part !== "") socket.write(part);
      await sleep(DRIP_MS);
    }
    const endedMs = isOver(socket) ? performance.now() - startedMs : Infinity;
    socket.destroy();
    return { statuses: statusesOf(received), endedMs };
  }

  it("get 408 and are cut off if a request does not arrive in time", async () => {
    const post = (...headers: string[]) => request("POST /v1/quotes HTTP/1.1", headers);
    const slow: readonly (readonly [begin: string, part: string])[] = [
      ["GET /health HTTP/1.1\r\nHost: localhost\r\nX: ", "x"],
      ["GET /hea", ""],
      [post("Content-Length: 1000"), "x"],
      [post("Content-Length: 1000") + "{", ""],
      [post("Transfer-Encoding: chunked"), "1\r\nx\r\n"],
      [post("Transfer-Encoding: chunked") + "2;", "x"],
    ];
    const fates: Fate[] = [];
    const reached = await siege.withstand(
      `${slow.length * AT_ONCE} slow senders`,
      () =>
        Promise.all(
          slow.map(async ([begin, part]) =>
            void fates.push(...await several(AT_ONCE, () => drip(begin, part, ARRIVAL_MS)))
          ),
        ),
    );
    assertEquals(reached, {});
    assertEquals(fates.filter(({ endedMs }) => endedMs > ARRIVAL_MS), []);
    assertEquals([...new Set(fates.map(({ statuses }) => statuses.join()))], ["408"]);
  });

  it("are cut off if they send nothing at all", async () => {
    const { port } = new URL(siege.stack.running.baseUrl);
    const silent = async (): Promise<boolean> => {
      const socket: Socket = connect(Number(port), "127.0.0.1");
      await once(socket, "connect");
      const over = once(socket.on("error", () => {}).resume(), "close").then(() => true);
      const cut = await Promise.race([over, sleep(ARRIVAL_MS, false, { ref: false })]);
      socket.destroy();
      return cut;
    };
    let cut: boolean[] = [];
    const reached = await siege.withstand("connections without a handshake", async () => {
      cut = await several(AT_ONCE, silent);
    });
    assertEquals([cut.filter((one) => one).length, reached], [AT_ONCE, {}]);
  });

  it("are cut off if they read nothing, and delay no other client's replies", async () => {
    const asks = request("GET /openapi.json HTTP/1.1").repeat(STATEMENTS);
    let cut: boolean[] = [];
    // The relay's TCP sockets stop reading, because Deno's TLS sockets read on while they are paused.
    const relay = await Relay.open(Number(new URL(siege.stack.running.baseUrl).port));
    const reached = await siege.withstand("clients that read nothing", async () => {
      const sockets = await several(AT_ONCE, () => siege.connect({ port: relay.port }));
      relay.withhold();
      cut = await Promise.all(sockets.map(async (socket) => {
        socket.write(asks);
        const end = performance.now() + SILENCE_MS;
        // Write again and again. This client does not read, so only a write notices that the connection has
        // ended.
        while (!isOver(socket) && performance.now() < end) {
          await sleep(1000);
          socket.write("\r\n");
        }
        return isOver(socket);
      }));
    }).finally(() => relay.close());
    assertEquals(cut.filter((one) => one).length, AT_ONCE);
    const replies = reached["/openapi.json 200"] ?? 0;
    assert(replies > 0 && replies < AT_ONCE * STATEMENTS / 2, `${replies} replies: the clients did read`);
  });

  it("may close their half of a connection at any byte, and no partial request is processed", async () => {
    const whole = request("POST /v1/quotes HTTP/1.1", ["Content-Length: 2"], "{}");
    const statuses: number[] = [];
    const reached = await siege.withstand("half closed", async () => {
      for (let at = 0; at < whole.length; at += 3) {
        const socket = await siege.connect();
        let received = "";
        socket.setEncoding("latin1").on("data", (text) => received += text);
        socket.end(whole.slice(0, at));
        await Promise.race([once(socket, "close"), sleep(2000)]);
        socket.destroy();
        statuses.push(...statusesOf(received));
      }
    });
    assertEquals([statuses, reached], [[], {}]);
  });

  it("may keep a thousand idle connections open", async () => {
    let open = 0;
    await siege.withstand(`${IDLE} idle connections`, async () => {
      const sockets = [];
      for (let at = 0; at < IDLE; at += AT_ONCE) {
        sockets.push(...await several(AT_ONCE, () => siege.connect()));
      }
      await sleep(3000);
      open = sockets.filter((socket) => !isOver(socket)).length;
      for (const socket of sockets) socket.destroy();
    });
    assert(open === IDLE, `${open} of ${IDLE} were kept`);
  });
});

const isOver = ({ destroyed, readableEnded }: Pick<Socket, "destroyed" | "readableEnded">): boolean =>
  destroyed || readableEnded;
