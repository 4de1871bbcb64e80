import { AMOUNT_MAX_HALALAS, withdrawalCreatedReply } from "@gold-partner/protocol";
import { expectProblem } from "../../testing/problem.ts";
import type { TestPartner } from "../../testing/partner.ts";
import { suiteService } from "../../testing/service.ts";
import { assertEquals } from "../../../../tools/testing/assert.ts";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";

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
    await expectProblem(
      await withdraw(partner, '{"amount_sar":61}', { headers }),
      "idempotency_key_conflict",
    );
  });

  it("rejects the reference of a pending withdrawal, and repeats this refusal to a retry", async () => {
    const partner = await funded(100);
    assertEquals((await withdraw(partner, '{"amount_sar":1,"reference":"R-1"}')).status, 201);
    const headers = { "Idempotency-Key": randomUUID() };
    for (const replayed of [null, "true"]) {
      const reply = await withdraw(partner, '{"amount_sar":2,"reference":"R-1"}', { headers });
      assertEquals(reply.headers.get("Idempotent-Replayed"), replayed);
      await expectProblem(reply, "withdrawal_reference_reused");
    }
    const other = await funded(100);
    assertEquals((await withdraw(other, '{"amount_sar":1,"reference":"R-1"}')).status, 201);
    for (const body of ['{"amount_sar":1}', '{"amount_sar":1}', '{"amount_sar":1,"reference":""}']) {
      assertEquals((await withdraw(partner, body)).status, 201);
    }
  });

  it("rejects more than the available balance, and more than the largest allowed amount", async () => {
    const partner = await funded(100);
    await expectProblem(await withdraw(partner, '{"amount_sar":100.01}'), "insufficient_funds");
    await expectProblem(
      await withdraw(partner, `{"amount_sar":${(AMOUNT_MAX_HALALAS + 100n) / 100n}}`),
      "limit_exceeded",
    );
    await expectProblem(await withdraw(partner, '{"amount_sar":99999999999999}'), "limit_exceeded");
    assertEquals((await withdraw(partner, '{"amount_sar":100}')).status, 201);
    await expectProblem(await withdraw(partner, '{"amount_sar":0.01}'), "insufficient_funds");
  });

  it("rejects an invalid amount or reference before it spends the nonce", async () => {
    const partner = await funded(100);
    const nonce = randomUUID();
    const bodies = [
      '{"amount_sar":0}',
      '{"amount_sar":-1}',
      '{"amount_sar":0.001}',
      '{"amount_sar":"1"}',
      "{}",
      '{"amount_sar":1,"iban":"SA0380000000608010167519"}',
      '{"amount_sar":1,"reference":" x"}',
      `{"amount_sar":1,"reference":"${"x".repeat(36)}"}`,
      '{"amount_sar":1,"reference":"é"}',
      '{"amount_sar":1,"reference":7}',
    ];
    for (const body of bodies) {
      await expectProblem(await withdraw(partner, body, { nonce }), "invalid_request");
    }
    assertEquals((await withdraw(partner, '{"amount_sar":1}', { nonce })).status, 201);
    await expectProblem(await withdraw(partner, '{"amount_sar":1}', { nonce }), "nonce_reused");
  });

  it("rejects an unsigned request and a signature for an order", async () => {
    const partner = await funded(100);
    await expectProblem(
      await service.send("/v1/withdrawals", { partner, body: '{"amount_sar":1}' }),
      "signature_missing",
    );
    await expectProblem(
      await withdraw(partner, '{"amount_sar":1}', { url: `${service.config.publicBaseUrl}/v1/orders` }),
      "signature_invalid",
    );
  });

  it("leaves books in which verify_ledger() finds no defect", async () => {
    assertEquals(await service.books.defects(), []);
  });
});
