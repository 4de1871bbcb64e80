import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { hostBytes } from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { signTestRequest, type TestPartner } from "../../testing/partner.ts";
import { suiteService } from "../../testing/service.ts";
import { setUp } from "../../testing/set_up.ts";
import { codeOf, type RawReply, sendRaw } from "./service_fixture.ts";
import { startService } from "./service.ts";

/** More than the places and the line of one partner together, but no more than the socket accepts at once. */
const FLOOD = 480;
const ORDER = '{"quote_id":"qt_none"}';

describe("requests that wait for their turn", () => {
  const fixture = suiteService();
  setUp(() => startService(fixture.config, () => {}));

  const send = (partner: TestPartner, first: string, headers: readonly string[] = [], body = "") =>
    sendRaw(fixture.config.listen, [
      first,
      "Host: localhost",
      `X-Forwarded-Client-Cert: Hash=${partner.fingerprint}`,
      "X-Client-Ip: 127.0.0.1",
      ...headers,
    ], body);
  const post = async (partner: TestPartner, path: string, body: string, headers: readonly string[]) =>
    await send(partner, `POST ${path} HTTP/1.1`, [
      `Authorization: Bearer ${await fixture.token(partner)}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      ...headers,
    ], body);
  /** Signs an order once. Each call of the returned function sends the same bytes. */
  async function signedOrder(partner: TestPartner): Promise<() => Promise<RawReply>> {
    const signature = await signTestRequest({
      method: "POST",
      url: `${fixture.config.publicBaseUrl}/v1/orders`,
      body: hostBytes.utf8(ORDER),
      timestamp: `${Math.floor(fixture.now() / 1000)}`,
      nonce: randomUUID(),
    }, partner.signingKey.signer);
    const headers = [`Idempotency-Key: ${randomUUID()}`];
    for (const [name, value] of Object.entries(signature)) headers.push(`${name}: ${value}`);
    return () => post(partner, "/v1/orders", ORDER, headers);
  }

  const metrics = async () =>
    (await sendRaw(fixture.config.operationsListen, ["GET /metrics HTTP/1.1", "Host: localhost"])).body;
  const health = (partner: TestPartner) => send(partner, "GET /health HTTP/1.1");
  /** Sets a partner's rate and burst, and waits until the service knows them. */
  async function setRate(partner: TestPartner, rate: number, burst: number): Promise<void> {
    const { sql } = fixture.books;
    await sql`update gold.partner set rate_per_second = ${rate}, burst = ${burst} where id = ${partner.client}`;
    await sql`update gold.registry_version set version = version + 1`;
    while (!(await health(partner)).head.includes(`"default";q=${burst};`));
  }

  it("beyond a partner's own line get 429, without spending their nonce or binding their key", async () => {
    const hostile = await fixture.addPartner();
    const bank = await fixture.addPartner();
    // The rate allows all tries: only the full line refuses.
    await setRate(hostile, 1500, 700);
    // Once, or each try would ask the other process of this suite for a token, which counts in the shared rate.
    await fixture.token(hostile);
    const holder = fixture.books.connect("superuser", 1);
    /** Sends orders whose account is locked, so that they wait, and meanwhile an order of the bank. */
    const flood = async (orders: readonly (() => Promise<RawReply>)[]) => {
      await holder`begin`;
      await holder`select from gold.account where client_id = ${hostile.client} for update`;
      const own = await signedOrder(bank);
      const replies = Promise.all(orders.map((order) => order()));
      let answer: string;
      // On a busy machine, the process that plays all partners may hold the order up for too long.
      do answer = codeOf(await own()); while (answer === "503 service_unavailable");
      assertEquals(answer, "404 not_found");
      await holder`rollback`;
      return await replies;
    };
    let orders: (() => Promise<RawReply>)[] = [];
    let refused: { reply: RawReply; index: number }[] = [];
    // It may also send them so slowly that the first ones have waited too long when the last ones arrive.
    for (let tries = 0; tries < 5 && refused.length === 0; tries++) {
      orders = await Promise.all(Array.from({ length: FLOOD }, () => signedOrder(hostile)));
      refused = (await flood(orders)).flatMap((reply, index) =>
        reply.status === 429 ? [{ reply, index }] : []
      );
    }
    assert(refused.length > 0);
    for (const { reply: { head, body } } of refused) {
      assertMatch(head, /\nRateLimit-Policy: "requests_at_once";q=256;w=1\r/i);
      assertMatch(head, /\nRetry-After: 1(\r|$)/i);
      // Envoy shall let pass what the partner's rate allows in a second, and 60 requests more.
      assertMatch(head, /\nX-Gold-Pace: 3000 2260 order [0-9a-f]{8} Hash=/i);
      assertMatch(body, /"code":"rate_limited"/);
    }
    assertEquals(codeOf(await orders[refused[0]!.index]!()), "404 not_found");
    // Only orders have waited. The time of an order contains its wait.
    const text = await metrics();
    const sum = (name: string) =>
      Number(text.split("\n").find((line) => line.startsWith(name))?.split(" ")[1]);
    const waited = sum("gold_turn_wait_seconds_sum");
    assert(waited > 0 && sum('gold_request_seconds_sum{route="/v1/orders"}') > waited, text);
  });

  it("are refused unread after 50 refusals within a second, until that second ends", async () => {
    const hostile = await fixture.addPartner();
    await setRate(hostile, 1, 1);
    await fixture.token(hostile);
    while ((await health(hostile)).status !== 429);
    const sentMs = performance.now();
    const replies = await Promise.all(Array.from({ length: 200 }, () => health(hostile)));
    const others = replies.filter(({ status }) => status !== 429);
    assertEquals(others.every(({ status }) => status === 200), true);
    assert(others.length <= 1 + (performance.now() - sentMs) / 1000, `${others.length} were served`);
    assertMatch(await metrics(), /gold_requests_total\{route="none",status="429"\} [1-9]/);
    // Its rate still holds: after a second, one more request is served.
    let status = 429;
    for (let tries = 0; status === 429 && tries < 100; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      ({ status } = await health(hostile));
    }
    assertEquals(status, 200);
  });
});
