import { once } from "node:events";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../../../tools/testing/until.ts";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";

const PACE_MS = 2000;
/** Two in 50 ms. */
const PER_SECOND = 40;
const FLOOD = 12;
/** A rate per second that a slow machine exceeds too. */
const SLOW = 5;

describe("a pace that the service asks for", () => {
  let fixture: TestEnvoy;
  before(async () => {
    fixture = await startTestEnvoy({}, ({ url, headers }, response) => {
      if (url === "/overloaded") {
        response.setHeader(
          "X-Gold-Pace",
          `${PACE_MS} ${headers["x-rate"] ?? PER_SECOND} quote ${headers["x-process"] ?? "a1"} ${
            headers["x-forwarded-client-cert"]
          }`,
        );
        return void response.writeHead(503, { "Content-Length": "0" }).end();
      }
      if (url !== "/flooded") return void response.end("ok");
      response.writeHead(429, {
        "Content-Type": "text/plain",
        "Content-Length": "16",
        "RateLimit-Policy": '"default";q=5;w=1',
        "RateLimit": '"default";r=0;t=1',
        "X-Gold-Pace": `${PACE_MS} ${PER_SECOND} other a1 ${headers["x-forwarded-client-cert"]}`,
      }).end("from the service");
    });
  });
  after(() => fixture.stop());
  // The pace of the test before has ended.
  beforeEach(() => sleep(PACE_MS));

  const send = (line: string, headers: string[] = [], identity = fixture.client) =>
    fixture.send(request(line, headers), { cert: identity.cert, key: identity.key });
  const sendMany = (line: string) => Promise.all(Array.from({ length: FLOOD }, () => send(line)));

  it("is kept by Envoy, which answers like the service's refusal, and is hidden from the partner", async () => {
    const first = await send("GET /flooded");
    assertEquals([first.status, first.body], [429, "from the service"]);
    assertEquals(/x-gold-pace/i.test(first.head), false);
    fixture.arrived.length = 0;
    const answers = await sendMany("GET /v1/prices");
    const refused = answers.filter(({ status }) => status === 429);
    assert(refused.length > 0);
    assertEquals(fixture.arrived.length, FLOOD - refused.length);
    for (const { head, body } of refused) {
      assertEquals(JSON.parse(body).code, "rate_limited");
      assertMatch(head, /\nratelimit-policy: "default";q=5;w=1\r/);
      assertMatch(head, /\nratelimit: "default";r=0;t=1\r/);
      assertMatch(head, /\nretry-after: 1\r/);
    }
  });

  it("holds for one certificate, and not for its orders", async () => {
    const other = fixture.authority.issue("other");
    await send("GET /flooded");
    const answers = await Promise.all([
      ...Array.from({ length: FLOOD }, () => send("GET /v1/prices", [], other)),
      ...Array.from({ length: FLOOD }, () => send("POST /v1/orders", ["Content-Length: 0"])),
    ]);
    assertEquals(new Set(answers.map(({ status }) => status)), new Set([200]));
  });

  it("holds for quotes alone while the service is overloaded, with a Retry-After that is spread", async () => {
    await send("GET /overloaded", [`X-Rate: ${SLOW}`]);
    const socket = await fixture.open();
    let text = "";
    socket.setEncoding("latin1").on("data", (part: string) => text += part);
    const seconds = () => new Set([...text.matchAll(/\nretry-after: ([1-4])\r/g)].map(([, found]) => found));
    // On one connection, because a slow machine opens too few of them to exceed the pace.
    for (let sent = 1; seconds().size < 2 || !/HTTP\/1\.1 200 /.test(text); sent++) {
      socket.write("POST /v1/quotes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
      await until(() => text.match(/HTTP\/1\.1 /g)?.length === sent, () => text);
    }
    assertEquals((await send("GET /v1/prices")).status, 200);
    assertMatch(text, /HTTP\/1\.1 503 [^{]*\{"[^}]*"code":"service_unavailable"/);
    socket.destroy();
  });

  it("keeps a connection of HTTP/1.1 open after it refused a request with a body", async () => {
    await send("GET /overloaded");
    const socket = await fixture.open();
    const lines = ["POST /v1/quotes HTTP/1.1", "Host: localhost", "Content-Length: 2", "", "{}"];
    let text = "";
    socket.setEncoding("latin1").on("data", (part: string) => text += part);
    for (let sent = 1; sent <= FLOOD; sent++) {
      socket.write(lines.join("\r\n"));
      await until(() => text.match(/HTTP\/1\.1 /g)?.length === sent, () => text);
    }
    assert(/HTTP\/1\.1 503 /.test(text), text);
    assertEquals(/\nconnection: close\r/i.test(text), false);
    socket.destroy();
  });

  it("ends after its time, although Envoy refused requests until then", async () => {
    await send("GET /flooded");
    const ends = Date.now() + PACE_MS;
    while (Date.now() < ends - 500) await sendMany("GET /v1/prices");
    await sleep(ends - Date.now());
    const answers = await sendMany("GET /v1/prices");
    assertEquals(new Set(answers.map(({ status }) => status)), new Set([200]));
  });

  it("is for quotes the sum of what the processes of the service ask for", async () => {
    const passed = async (processes: readonly string[]) => {
      for (const name of processes) await send("GET /overloaded", [`X-Process: ${name}`, `X-Rate: ${SLOW}`]);
      fixture.arrived.length = 0;
      const socket = await fixture.open();
      const starts = performance.now();
      // One connection, because a slow machine opens too few of them within a second to exceed the pace.
      while (performance.now() < starts + 1000) {
        socket.write("POST /v1/quotes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
        await once(socket, "data");
      }
      socket.destroy();
      const allowed = processes.length * SLOW * (performance.now() - starts) / 1000;
      assert(fixture.arrived.length <= allowed + 2, `${fixture.arrived.length} of ${allowed} passed`);
      return fixture.arrived.length;
    };
    const [one, three] = [await passed(["a1"]), await passed(["a1", "b2", "c3"])];
    assert(one > 0 && three >= 2 * one, `${one} and ${three} passed`);
  });

  it("cannot be caused or evaded by a client's own headers", async () => {
    const forged = [
      "X-Gold-Flood: 1",
      "X-Envoy-Fault-Abort-Request: 418",
      "X-Gold-Pace: 9000 0 other a1 Hash=0",
    ];
    assertEquals((await send("GET /v1/prices", forged)).status, 200);
    const { rawHeaders } = fixture.arrived.at(-1)!;
    assertEquals(rawHeaders.filter((name) => /^x-(gold-(flood|pace)|envoy)/i.test(name)), []);
  });
});
