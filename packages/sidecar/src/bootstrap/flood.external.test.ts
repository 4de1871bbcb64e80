import { once } from "node:events";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";
import type { Identity } from "../pki_fixture.ts";

const RATE = 5;
const FLOOD = 20 * RATE;
/** Less than the shortest delay of a refusal. */
const DELAY_MS = 900;

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

  it("gets its refusals late, so that it is not repeated at once", async () => {
    const refusedAfterMs: number[] = [];
    await Promise.all(Array.from({ length: FLOOD }, async () => {
      const socket = await fixture.open();
      const sentMs = performance.now();
      socket.write(request("GET /health"));
      const [first] = await once(socket, "data");
      if (/^HTTP\/1.1 429/.test(`${first}`)) refusedAfterMs.push(performance.now() - sentMs);
    }));
    assert(refusedAfterMs.length >= RATE && Math.min(...refusedAfterMs) >= DELAY_MS, `${refusedAfterMs}`);
  });

  it("is refused with rate_limited and Retry-After, also with a forged certificate header", async () => {
    const forged = request("GET /health", [`X-Forwarded-Client-Cert: Hash=${"0".repeat(64)}`]);
    const answers = await Promise.all(Array.from({ length: FLOOD }, () => fixture.send(forged)));
    const refused = answers.find(({ status }) => status === 429);
    assertEquals(JSON.parse(refused!.body).code, "rate_limited");
    assertMatch(refused!.head, /\nretry-after: 1\r/);
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
