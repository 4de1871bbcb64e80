import { withdrawalCreatedReply } from "@gold-partner/protocol";
import { expectProblem } from "../../testing/problem.ts";
import type { TestPartner } from "../../testing/partner.ts";
import { suiteService } from "../../testing/service.ts";
import { randomUUID } from "node:crypto";
import { assertEquals } from "@std/assert";
import { describe, it } from "node:test";
import { itLeavesNoDefects } from "../../testing/books.ts";

describe("POST /v1/withdrawals", () => {
  const service = suiteService();

  /** A partner with this amount of SAR. */
  async function funded(amount: number): Promise<TestPartner> {
    const partner = await service.addPartner();
    const reply = await service.send("/sandbox/fund", { partner, body: `{"amount_sar":${amount}}` });
    assertEquals(reply.status, 201);
    return partner;
  }
  const withdraw = (partner: TestPartner, body: string, more: Record<string, unknown> = {}) =>
    service.signed("/v1/withdrawals", body, { partner, ...more });

  it("holds the amount, and returns the masked IBAN and the status pending_approval", async () => {
    const partner = await funded(1000);
    const reply = await withdraw(partner, '{"amount_sar":250.5,"reference":"Payroll 7"}');
    assertEquals(reply.status, 201);
    const made = withdrawalCreatedReply.strict().parse(await reply.json());
    assertEquals(made.amount_sar, 250.5);
    assertEquals(made.reference, "Payroll 7");
    assertEquals(made.iban_masked, "SA03****************7519");
    assertEquals(made.status, "pending_approval");
    assertEquals(made.balances.sar, { available: 749.5, held: 250.5 });
  });

  it("returns the same bytes to a retry with a fresh signature, and moves no money again", async () => {
    const partner = await funded(100);
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await withdraw(partner, '{"amount_sar":60}', { headers });
    const again = await withdraw(partner, '{ "amount_sar": 60.00 }', { headers });
    assertEquals([first.status, again.status], [201, 200]);
    assertEquals(again.headers.get("Idempotent-Replayed"), "true");
    assertEquals(await again.text(), await first.text());
    await expectProblem(withdraw(partner, '{"amount_sar":61}', { headers }), "idempotency_key_conflict");
  });

  it("rejects an invalid amount or reference before it spends the nonce", async () => {
    const partner = await funded(100);
    const nonce = randomUUID();
    const bodies = [
      '{"amount_sar":0}',
      '{"amount_sar":-1}',
      '{"amount_sar":0.001}',
      '{"amount_sar":"one"}',
      "{}",
      '{"amount_sar":1,"iban":"SA0380000000608010167519"}',
      '{"amount_sar":1,"reference":" x"}',
      `{"amount_sar":1,"reference":"${"x".repeat(36)}"}`,
      '{"amount_sar":1,"reference":"é"}',
      '{"amount_sar":1,"reference":7}',
    ];
    for (const body of bodies) {
      await expectProblem(withdraw(partner, body, { nonce }), "invalid_request");
    }
    assertEquals((await withdraw(partner, '{"amount_sar":1}', { nonce })).status, 201);
    await expectProblem(withdraw(partner, '{"amount_sar":1}', { nonce }), "nonce_reused");
  });

  it("rejects an unsigned request and a signature for an order", async () => {
    const partner = await funded(100);
    await expectProblem(
      service.send("/v1/withdrawals", { partner, body: '{"amount_sar":1}' }),
      "signature_missing",
    );
    await expectProblem(
      withdraw(partner, '{"amount_sar":1}', { url: `${service.config.publicBaseUrl}/v1/orders` }),
      "signature_invalid",
    );
  });

  itLeavesNoDefects(() => service.books);
});
