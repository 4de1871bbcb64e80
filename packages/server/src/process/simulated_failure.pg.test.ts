import { randomUUID } from "node:crypto";
import { assertEquals, assertMatch } from "@std/assert";
import { before, describe, it } from "node:test";
import { openSimulator, type Simulator } from "../../testing/simulator.ts";
import { startService } from "./service.ts";
import { sendRaw } from "./service_fixture.ts";
import { suiteService } from "../../testing/service.ts";
import { setUp } from "../../testing/set_up.ts";

const ROUNDS = 5;

describe("a failure that a partner simulates with a request to one process", () => {
  /** The process to which the partner sends the simulation. */
  const near = suiteService();
  const log: string[] = [];
  // Another process on the same database. It reads the registry once a second.
  setUp(() => startService(near.config, (line) => log.push(line)));
  let bank: Simulator;
  before(async () => void (bank = await openSimulator(near)));

  /** Requests a quote at the other process. The status is NaN if the connection ends without a reply. */
  async function quoteAfar(key: string): Promise<{ status: number; text: string }> {
    const body = '{"side":"buy","gold_grams":1}';
    const { status, head, body: text } = await sendRaw(near.config.listen, [
      "POST /v1/quotes HTTP/1.1",
      "Host: localhost",
      `X-Forwarded-Client-Cert: Hash=${bank.partner.fingerprint}`,
      "X-Client-Ip: 127.0.0.1",
      `Authorization: Bearer ${await near.token(bank.partner)}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      `Idempotency-Key: ${key}`,
    ], body);
    return { status, text: head + text };
  }

  it("fails the next write at every other process, however old its registry is", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await bank.arm("failure", { kind: "unavailable" });
      const key = randomUUID();
      const refused = await quoteAfar(key);
      assertEquals(refused.status, 503, refused.text);
      assertMatch(refused.text, /service_unavailable/);
      assertEquals((await quoteAfar(key)).status, 201);
    }
  });

  it("fails exactly the requested number of requests, counted over all processes", async () => {
    await bank.arm("failure", { kind: "timeout", count: 4 });
    const statuses = await Promise.all(Array.from({ length: 10 }, async (_, n) => {
      if (n % 2 === 0) return (await quoteAfar(randomUUID())).status;
      return (await bank.quote()).status;
    }));
    assertEquals(statuses.filter((status) => status === 504).length, 4);
    assertEquals(statuses.filter((status) => status === 201).length, 6);
  });

  it("loses the reply of an executed request: the connection closes, and a retry gets the reply", async () => {
    const key = randomUUID();
    await bank.arm("failure", { kind: "lost_reply" });
    assertEquals(await quoteAfar(key), { status: NaN, text: "" });
    const retry = await quoteAfar(key);
    assertEquals(retry.status, 200);
    assertMatch(retry.text, /Idempotent-Replayed: true/i);
    assertEquals(log.filter((line) => line.includes("error")), []);
  });
});
