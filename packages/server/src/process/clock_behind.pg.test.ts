import { expectProblem } from "../../testing/problem.ts";
import type { TestPartner } from "../../testing/partner.ts";
import { suiteService } from "../../testing/service.ts";
import { randomUUID } from "node:crypto";
import { assertEquals } from "@std/assert";
import { before, describe, it } from "node:test";

describe("a partner whose newest posting is ahead of the database's clock", () => {
  const service = suiteService();
  let partner: TestPartner;
  before(async () => {
    await service.books.addBar(1_000_000n);
    partner = await service.addPartner();
    assertEquals(
      (await service.send("/sandbox/fund", { partner, body: '{"amount_sar":10000}' })).status,
      201,
    );
  });

  const QUOTE = '{"side":"buy","gold_grams":0.01}';
  const quote = (of: TestPartner, key: string = randomUUID()) =>
    service.send("/v1/quotes", { partner: of, body: QUOTE, headers: { "Idempotency-Key": key } });

  it("gets 503 for quotes and orders until the clock catches up, while others still get quotes", async () => {
    const { quote_id } = await (await quote(partner)).json() as { quote_id: string };
    const order = (nonce: string, key: string) =>
      service.signed("/v1/orders", JSON.stringify({ quote_id }), {
        partner,
        nonce,
        headers: { "Idempotency-Key": key },
      });
    const [key, orderKey, nonce] = [randomUUID(), randomUUID(), randomUUID()];
    await service.books.sql`
      update gold.account set last_posted_at = clock_timestamp() + interval '75 seconds' where client_id = ${partner.client}`;
    for (const reply of [await quote(partner, key), await order(nonce, orderKey)]) {
      const { detail } = await expectProblem(reply, "service_unavailable");
      assertEquals(detail?.includes("clock"), true, detail);
    }
    assertEquals((await quote(service.partner)).status, 201);
    const balances = await service.send("/v1/balances", { partner, method: "GET" });
    assertEquals(balances.status, 200);
    await service.books.sql`
      update gold.account set last_posted_at = clock_timestamp() where client_id = ${partner.client}`;
    assertEquals([(await quote(partner, key)).status, (await order(nonce, orderKey)).status], [201, 201]);
    const alarms = service.log.filter((line) => line.includes("the database's clock is behind"));
    assertEquals(alarms.map((line) => (JSON.parse(line) as { level: string }).level), ["error"]);
  });
});
