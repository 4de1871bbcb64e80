import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { until } from "../../../../tools/testing/until.ts";
import { startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";
import type { Identity } from "../pki_fixture.ts";
import type { AttackCounts, AttackPlan } from "./attacker_fixture.ts";
import { writeAddressMap } from "./runtime_api.ts";
import { failuresOf, isServed, startTestFront, type TestFront } from "./front_fixture.ts";
import { valuesOf } from "../../../../tools/testing/raw_http.ts";

const ATTACKER = fileURLToPath(new URL("./attacker_fixture.ts", import.meta.url));
const HANDSHAKES = 100;
const SILENT = 11_000;
/**
 * HAProxy's limit of connections. 11,000 attempts keep every connection occupied, even on a busy machine.
 * Envoy closes each silent connection after three seconds.
 */
const FLOODED = { CONNECTIONS_MAX: "1000" };
const IDLE = 300;
/** Limits that a few hundred TLS connections exceed. */
const SMALL = {
  CONNECTIONS_MAX: "200",
  CONNECTIONS_PER_ADDRESS: "40",
  CONNECTIONS_PER_PARTNER: "60",
  CONNECTIONS_UNREGISTERED: "60",
};
const HONEST = "127.0.0.1/32";
/** 100 addresses of one partner, and 100 unregistered addresses. */
const [REGISTERED, UNREGISTERED] = ["127.0.1", "127.0.2"].map((network) =>
  Array.from({ length: 100 }, (_, n) => `${network}.${n + 1}`)
);

/**
 * Runs `act` while another process attacks. Waits first until that process has tried every connection and
 * holds at least `held` of them.
 */
async function underAttack<T>(plan: AttackPlan, held: number, act: () => Promise<T>): Promise<T> {
  // Run on Node even under Deno's tests, because Deno opens connections too slowly for a flood.
  const child = spawn("node", ["--import", "tsx", ATTACKER, JSON.stringify(plan)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    for await (const line of createInterface(child.stdout)) {
      const counts = JSON.parse(line) as AttackCounts;
      if (counts.tried === plan.count && counts.held >= held) break;
    }
    child.stdout.resume();
    return await act();
  } finally {
    child.stdin.end();
    await ended;
  }
}

/** Stops the fixture also after a failure: a running HAProxy would keep this file from ending. */
async function using<T extends { stop(): Promise<void> }, R>(
  starting: Promise<T>,
  act: (fixture: T) => Promise<R>,
): Promise<R> {
  const fixture = await starting;
  return await act(fixture).finally(() => fixture.stop());
}

const certificateOf = (fixture: TestEnvoy, { cert, key }: Identity) => ({
  ca: fixture.authority.cert,
  cert,
  key,
});

/** Shows that the attack is strong enough to test HAProxy. */
const untilUnreachable = (fixture: TestEnvoy) => until(async () => await failuresOf(fixture, 10, {}) > 1);

describe("an Envoy without HAProxy in front of it", () => {
  it("becomes unreachable when one address opens connections and sends nothing", async () => {
    await using(startTestEnvoy(FLOODED), (fixture) =>
      underAttack(
        { port: fixture.envoy.ports[0]!, from: ["127.0.0.2"], count: SILENT },
        0,
        () => untilUnreachable(fixture),
      ));
  });

  it("becomes unreachable when one partner holds idle connections", async () => {
    await using(startTestEnvoy(SMALL), (fixture) => {
      const tls = certificateOf(fixture, fixture.authority.issue("attacker"));
      return underAttack(
        { port: fixture.envoy.ports[0]!, from: ["127.0.0.2"], count: IDLE, tls },
        Number(SMALL.CONNECTIONS_MAX),
        () => untilUnreachable(fixture),
      );
    });
  });
});

describe("an Envoy behind HAProxy", () => {
  it("serves a partner while one address opens 11,000 connections and sends nothing", async () => {
    const { failed, metrics } = await using(startTestFront(FLOODED), async (fixture) => ({
      failed: await underAttack(
        { port: fixture.port, from: ["127.0.0.2"], count: SILENT },
        0,
        () => failuresOf(fixture.envoy, HANDSHAKES, fixture),
      ),
      metrics: await fixture.metrics(),
    }));
    const [, refused = "0"] =
      /^haproxy_frontend_denied_sessions_total\{proxy="partners"\} (\d+)$/m.exec(metrics) ?? [];
    console.log(`${failed} of ${HANDSHAKES} handshakes failed; HAProxy refused ${refused} connections`);
    assert(failed <= 1, `${failed} of ${HANDSHAKES} handshakes failed`);
    assert(Number(refused) > SILENT / 10, `HAProxy counts ${refused} refusals`);
  });

  it("serves a partner while another partner holds as many idle connections as it can", async () => {
    const failed = await using(startTestFront(SMALL), (fixture) => {
      const tls = certificateOf(fixture.envoy, fixture.envoy.authority.issue("attacker"));
      return underAttack(
        { port: fixture.port, from: ["127.0.0.2"], count: IDLE, tls },
        Number(SMALL.CONNECTIONS_PER_ADDRESS),
        () => failuresOf(fixture.envoy, HANDSHAKES, fixture),
      );
    });
    assert(failed <= 1, `${failed} of ${HANDSHAKES} handshakes failed`);
  });

  it("serves a partner while another certificate connects from a hundred addresses", async () => {
    for (const from of [REGISTERED!, UNREGISTERED!]) {
      const failed = await using(startTestFront(SMALL), async (fixture) => {
        await writeAddressMap(fixture.socket, new Map([[HONEST, "honest"], ["127.0.1.0/24", "attacker"]]));
        const tls = certificateOf(fixture.envoy, fixture.envoy.authority.issue("attacker"));
        return await underAttack(
          { port: fixture.port, from, count: IDLE, tls },
          Number(SMALL.CONNECTIONS_PER_PARTNER),
          () => failuresOf(fixture.envoy, HANDSHAKES, fixture),
        );
      });
      assert(failed <= 1, `${failed} of ${HANDSHAKES} handshakes failed`);
    }
  });
});

describe("HAProxy in front of Envoy", () => {
  let fixture: TestFront;
  before(async () => void (fixture = await startTestFront()));
  after(() => fixture.stop());

  /** Returns how many milliseconds a connection stays open after `first` is written and nothing else. */
  const lifeMs = async (first: Uint8Array | string): Promise<number> => {
    const startedMs = performance.now();
    const socket = connect(fixture.port, "127.0.0.1").on("error", () => {}).resume();
    socket.write(first);
    await once(socket, "close");
    return performance.now() - startedMs;
  };

  it("announces the client's address to Envoy", async () => {
    assert(await isServed(fixture.envoy, { port: fixture.port, from: "127.0.0.9" }));
    assertEquals(valuesOf(fixture.envoy.arrived.at(-1)!, "x-client-ip"), ["127.0.0.9"]);
  });

  it("closes an unfinished handshake within three seconds, and a non-TLS connection at once", async () => {
    const hello = Buffer.from(await helloOf(fixture));
    const [silent, half, stuck, plain] = await Promise.all(
      ["", hello.subarray(0, 20), hello, "GET / HTTP/1.1\r\n\r\n"].map(lifeMs),
    );
    // Allow 6 s for a busy machine, which is less than the next longer timeout of Envoy (10 s).
    for (const [what, ms] of Object.entries({ silent, half, stuck })) assert(ms! < 6000, `${what}: ${ms} ms`);
    // The next longer timeout of HAProxy is 1 s. A busy machine may delay one connection by that much.
    const lives = [plain!];
    while (Math.min(...lives) >= 900 && lives.length < 20) lives.push(await lifeMs("GET / HTTP/1.1\r\n\r\n"));
    assert(Math.min(...lives) < 900, `no TLS: ${lives} ms`);
    assertMatch(
      await fixture.metrics(),
      /^haproxy_frontend_requests_denied_total\{proxy="partners"\} [1-9]/m,
    );
  });
});

/** The first bytes that a TLS client writes. */
async function helloOf({ envoy }: TestFront): Promise<Uint8Array> {
  const { createServer } = await import("node:net");
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const opened = envoy.open({ port }).catch(() => {});
  const [socket] = await once(server, "connection");
  const [hello] = await once(socket, "data");
  socket.destroy();
  server.close();
  await opened;
  return hello;
}
