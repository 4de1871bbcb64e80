import { Buffer } from "node:buffer";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { eachOf } from "./bytes_fixture.ts";
import {
  block,
  type Field,
  FLAG,
  FRAME,
  frame,
  FRAME_MAX_BYTES,
  headers,
  integer,
  reset,
  SETTING,
  settings,
  uint32,
  widen,
} from "./frames_fixture.ts";
import { fieldsOf, Http2Wire } from "./http2_wire_fixture.ts";
import { Siege } from "./siege_fixture.ts";

const RAPID_RESETS = 10_000;
/**
 * The number of bytes after which a flood stops. Far more than Envoy accepts before it ends the connection.
 */
const FLOOD_MAX_BYTES = 30_000_000;
const VERDICT_MS = 30_000;
const STREAMS_MAX = 100;
/**
 * A stalled stream must end within this time. Envoy waits 30 s for a client to read its replies; a busy
 * machine needs more time.
 */
const STALLED_MS = 60_000;
const WINDOW_MAX = 2 ** 31 - 1;

describe("HTTP/2 attacks through Envoy", () => {
  let siege: Siege;
  let get: Field[];
  let post: Field[];
  before(async () => {
    siege = await Siege.open();
    const { host } = new URL(siege.stack.running.baseUrl);
    get = fieldsOf(host, "/health");
    post = fieldsOf(host, "/v1/quotes", [], "POST");
  });
  after(() => siege?.close());

  const open: Siege["openHttp2"] = (...settings) => siege.openHttp2(...settings);

  it("are cut off repeatedly when they open and reset ten thousand streams", async () => {
    let [sent, connections] = [0, 0];
    const reached = await siege.withstand(`${RAPID_RESETS} rapid resets`, async () => {
      while (sent < RAPID_RESETS) {
        const wire = await open();
        connections++;
        for (let stream = 1; sent < RAPID_RESETS && !wire.ended; stream += 2) {
          wire.write(headers(stream, get), reset(stream));
          // Give the event loop a turn to read pending data, so that the end of the connection is noticed.
          if (++sent % 50 === 0) await sleep(1);
        }
        wire.close();
      }
    });
    assert(connections >= 10, `only ${connections} connections were needed`);
    const served = reached["/health 200"] ?? 0;
    assert(served < RAPID_RESETS / 10, `${served} of ${RAPID_RESETS} requests reached the service`);
  });

  it("are cut off when they flood a connection with cheap frames", async () => {
    const begun = frame(FRAME.headers, FLAG.endStream, 1, block(get));
    const floods: Readonly<Record<string, readonly [first: Uint8Array, one: Uint8Array]>> = {
      continuation: [begun, frame(FRAME.continuation, 0, 1, block([["x", "y".repeat(1000)]]))],
      "empty continuation": [begun, frame(FRAME.continuation, 0, 1)],
      settings: [settings(), settings([[SETTING.window, 65_535]])],
      ping: [settings(), frame(FRAME.ping, 0, 0, Buffer.alloc(8))],
      priority: [settings(), frame(FRAME.priority, 0, 1, Buffer.alloc(5))],
      "window of 1": [settings(), widen(0, 1)],
      "empty data": [headers(1, post, 0), frame(FRAME.data, 0, 1)],
      "repeated reset": [headers(1, get), reset(1)],
      "nameless headers": [settings(), headers(1, [...get, ...Array<Field>(1000).fill(["", ""])])],
    };
    const uncut: string[] = [];
    for (const [name, [first, one]] of Object.entries(floods)) {
      await siege.withstand(`flood of ${name}`, async () => {
        const wire = await open();
        wire.write(first);
        const part = Buffer.concat(Array<Uint8Array>(Math.ceil(4096 / one.length)).fill(one));
        await wire.pour(part, FLOOD_MAX_BYTES);
        if (!await wire.untilEnded(VERDICT_MS)) uncut.push(name);
        wire.close();
      });
    }
    assertEquals(uncut, []);
  });

  it("get no more concurrent streams than Envoy allows", async () => {
    const streams = Array.from({ length: 1000 }, (_, n) => 1 + 2 * n);
    const form = fieldsOf(new URL(siege.stack.running.baseUrl).host, "/oauth/token", [
      ["content-type", "application/x-www-form-urlencoded"],
    ], "POST");
    const reached = await siege.withstand("a thousand streams at once", async () => {
      const wire = await open();
      // End no stream before all have begun, because an ended stream makes room for another.
      wire.write(...streams.map((stream) => headers(stream, form, 0)));
      wire.write(...streams.map((stream) => frame(FRAME.data, FLAG.endStream, stream, Buffer.from("x"))));
      for (const stream of streams.slice(0, STREAMS_MAX)) await wire.untilVerdict(stream, VERDICT_MS);
      await sleep(1000);
      wire.close();
    });
    assertEquals(reached, { "/oauth/token 400": STREAMS_MAX });
  });

  it("are refused if a body or headers are too large, in any encoding", async () => {
    const verdicts: Record<string, string> = {};
    const said = async (name: string, stream: number, bytes: readonly Uint8Array[]) => {
      const wire = (await open()).write(...bytes);
      verdicts[name] = await wire.untilVerdict(stream, VERDICT_MS);
      wire.close();
    };
    const part = frame(FRAME.data, 0, 1, Buffer.alloc(FRAME_MAX_BYTES));
    // Stores one field of 4,000 characters in the HPACK table. Each repetition then takes one byte.
    const large = Buffer.concat([
      Buffer.of(0x40),
      integer(1, 7),
      Buffer.from("x"),
      integer(4000, 7),
      Buffer.alloc(4000, 97),
    ]);
    const bomb = Buffer.concat([block(get), large, Buffer.alloc(12_000, 0x80 | 62)]);
    const reached = await siege.withstand("too large", async () => {
      await said("body", 1, [headers(1, post, 0), ...Array<Uint8Array>(8).fill(part)]);
      await said("header", 1, [
        frame(FRAME.headers, FLAG.endStream, 1, block(get)),
        ...["a", "b"].map((name) => frame(FRAME.continuation, 0, 1, block([[name, "x".repeat(12_000)]]))),
        frame(FRAME.continuation, FLAG.endHeaders, 1),
      ]);
      await said("headers", 1, [
        headers(1, [...get, ...Array.from({ length: 200 }, (_, n): Field => [`x-${n}`, "1"])]),
      ]);
      await said("compressed headers", 1, [frame(FRAME.headers, FLAG.endStream | FLAG.endHeaders, 1, bomb)]);
      await said("path", 1, [
        headers(
          1,
          get.map(([name, value]): Field => [name, name === ":path" ? `/${"x".repeat(9000)}` : value]),
        ),
      ]);
    });
    const refused = /^(4\d\d .*|reset|goaway|closed)$/;
    assertEquals(Object.entries(verdicts).filter(([, verdict]) => !refused.test(verdict)), []);
    assertEquals([verdicts.body, verdicts.path], ["413 body_too_large", "414 uri_too_long"]);
    assertEquals(reached, { "none 414": 1 });
  });

  it("lose their streams if they send requests but accept no reply data", async () => {
    const { host } = new URL(siege.stack.running.baseUrl);
    let left = STREAMS_MAX;
    await siege.withstand(`${STREAMS_MAX} streams without a window`, async () => {
      const wire = await open([SETTING.window, 0]);
      const asks = Array.from(
        { length: STREAMS_MAX },
        (_, n) => headers(1 + 2 * n, fieldsOf(host, "/openapi.json")),
      );
      wire.write(...asks);
      const end = performance.now() + STALLED_MS;
      const resets = () => wire.frames.filter(({ type }) => type === FRAME.reset).length;
      while (performance.now() < end && !wire.ended && resets() < STREAMS_MAX) await sleep(100);
      left = wire.ended ? 0 : STREAMS_MAX - resets();
      wire.close();
    });
    assertEquals(left, 0);
  });

  it("lose the stream or the connection if they break the protocol", async () => {
    const end = FLAG.endStream | FLAG.endHeaders;
    const broken: Readonly<Record<string, readonly Uint8Array[]>> = {
      "window beyond its maximum": [headers(1, post, 0), widen(1, WINDOW_MAX), widen(1, WINDOW_MAX)],
      "connection's window beyond its maximum": [widen(0, WINDOW_MAX), headers(1, get)],
      "window increment of zero": [widen(0, 0), headers(1, get)],
      "setting beyond its maximum": [settings([[SETTING.window, WINDOW_MAX + 1]]), headers(1, get)],
      "frame size of zero": [settings([[SETTING.frameSize, 0]]), headers(1, get)],
      "frame that is too long": [
        headers(1, post, 0),
        frame(FRAME.data, 0, 1, Buffer.alloc(FRAME_MAX_BYTES + 1)),
      ],
      "headers on the connection": [headers(0, get)],
      "stream id of the server": [headers(2, get)],
      "data on an unknown stream": [frame(FRAME.data, 0, 1, Buffer.alloc(1))],
      "push by a client": [frame(FRAME.push, FLAG.endHeaders, 1, Buffer.concat([uint32(2), block(get)]))],
      "padding longer than the frame": [
        headers(1, post, 0),
        frame(FRAME.data, FLAG.padded | FLAG.endStream, 1, Buffer.of(200, 1)),
      ],
      "half a setting": [frame(FRAME.settings, 0, 0, Buffer.alloc(5))],
      "settings acknowledgement with a payload": [frame(FRAME.settings, FLAG.ack, 0, Buffer.alloc(6))],
      "half a ping": [frame(FRAME.ping, 0, 0, Buffer.alloc(4))],
      "headers that cannot be decoded": [frame(FRAME.headers, end, 1, Buffer.alloc(6, 0xff))],
      "another stream between header frames": [
        frame(FRAME.headers, FLAG.endStream, 1, block(get)),
        headers(3, get),
      ],
      "continuation without headers": [frame(FRAME.continuation, FLAG.endHeaders, 1, block(get))],
      "pseudo-header as a trailer": [headers(1, post, 0), headers(1, [[":path", "/health"]])],
      "data after the end": [headers(1, [...post]), frame(FRAME.data, 0, 1, Buffer.alloc(10))],
    };
    const served: string[] = [];
    await siege.withstand("broken frames", () =>
      eachOf(Object.entries(broken), async ([name, bytes]) => {
        const wire = (await open()).write(...bytes);
        const verdict = await wire.untilVerdict(1, VERDICT_MS);
        if (!/^(reset|goaway|closed|4\d\d .*)$/.test(verdict)) served.push(`${name}: ${verdict}`);
        wire.close();
      }));
    assertEquals(served, []);
  });

  it("can use HTTP/2 without ALPN, but not if ALPN selected HTTP/1.1", async () => {
    const verdictOver = async (protocols?: string[]) => {
      const socket = await siege.connect(protocols ? { ALPNProtocols: protocols } : {});
      const wire = new Http2Wire(socket).greet().write(headers(1, get));
      const verdict = await wire.untilVerdict(1, VERDICT_MS);
      wire.close();
      return verdict;
    };
    assertEquals([await verdictOver(), await verdictOver(["h2"]), await verdictOver(["http/1.1"])], [
      "200",
      "200",
      "closed",
    ]);
  });
});
