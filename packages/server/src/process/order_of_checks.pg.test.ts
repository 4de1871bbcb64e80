import { randomBytes, randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { BODY_MAX_BYTES, PROBLEM_REGISTRY, type ProblemCode } from "@gold-partner/protocol";
import { assertEquals } from "@std/assert";
import { expectProblem } from "../../testing/problem.ts";
import { newTestKey, type TestKey } from "../../testing/partner.ts";
import { type Signing, suiteService } from "../../testing/service.ts";

interface Attempt extends Signing {
  readonly body: string;
}

/** One fault of a request, and the code that reports it. */
interface Fault {
  readonly code: ProblemCode;
  readonly spoil: (attempt: Attempt) => Attempt;
}

const PATH = "/v1/orders";

describe("the order of checks of a signed order", () => {
  const service = suiteService();
  let stranger: TestKey;
  const spentNonce = randomUUID();
  const boundKey = randomUUID();
  before(async () => {
    stranger = await newTestKey();
    const earlier = { nonce: spentNonce, headers: { "Idempotency-Key": boundKey } };
    await expectProblem(service.signed(PATH, '{"quote_id":"qt_earlier"}', earlier), "not_found");
  });

  const header = (name: string, value: string | null) => (attempt: Attempt): Attempt => ({
    ...attempt,
    headers: { ...attempt.headers, [name]: value },
  });
  const send = ({ body, ...signing }: Attempt) => service.signed(PATH, body, signing);
  /** A request whose only fault is an unknown quote, which is checked last. */
  const sound = (): Attempt => ({ body: '{"quote_id":"qt_none"}' });

  /** The faults, in the order in which the service checks them. */
  const faults = (): Fault[] => [
    { code: "path_not_allowed", spoil: (attempt) => ({ ...attempt, target: "//v1/orders" }) },
    {
      code: "certificate_unknown",
      spoil: header("X-Forwarded-Client-Cert", `Hash=${randomBytes(32).toString("hex")}`),
    },
    { code: "ip_not_allowed", spoil: header("X-Client-Ip", "192.0.2.1") },
    { code: "method_not_allowed", spoil: (attempt) => ({ ...attempt, method: "PUT" }) },
    { code: "token_missing", spoil: header("Authorization", null) },
    { code: "body_too_large", spoil: (attempt) => ({ ...attempt, body: " ".repeat(BODY_MAX_BYTES + 1) }) },
    { code: "unsupported_media_type", spoil: header("Content-Type", "text/plain") },
    { code: "idempotency_key_invalid", spoil: header("Idempotency-Key", "a b") },
    { code: "timestamp_invalid", spoil: header("X-Timestamp", "1") },
    { code: "nonce_invalid", spoil: header("X-Nonce", "short") },
    { code: "timestamp_out_of_window", spoil: (attempt) => ({ ...attempt, timestamp: "1700000000" }) },
    { code: "signature_invalid", spoil: (attempt) => ({ ...attempt, key: stranger }) },
    { code: "invalid_request", spoil: (attempt) => ({ ...attempt, body: `${attempt.body}{` }) },
    { code: "nonce_reused", spoil: (attempt) => ({ ...attempt, nonce: spentNonce }) },
    { code: "idempotency_key_conflict", spoil: header("Idempotency-Key", boundKey) },
  ];

  it("is as documented, so that the earlier of two faults is reported", async () => {
    const all = faults();
    for (const [place, first] of all.entries()) {
      await expectProblem(send(first.spoil(sound())), first.code);
      for (const later of all.slice(place + 1)) {
        const reply = await send(first.spoil(later.spoil(sound())));
        const { code } = await reply.json() as { code: string };
        assertEquals(code, first.code, `${first.code} before ${later.code}`);
      }
    }
  });

  it("spends the nonce only if the request fails at the nonce check or later", async () => {
    for (const { code, spoil } of faults()) {
      if (code === "nonce_reused" || code === "nonce_invalid") continue;
      const nonce = randomUUID();
      await (await send(spoil({ ...sound(), nonce }))).body?.cancel();
      const again = await send({ ...sound(), nonce });
      const { spends_nonce } = PROBLEM_REGISTRY[code];
      await expectProblem(again, spends_nonce ? "nonce_reused" : "not_found");
    }
  });

  it("spends the nonce of a business refusal and of a replay", async () => {
    const key = header("Idempotency-Key", randomUUID());
    for (const replayed of [null, "true"]) {
      const nonce = randomUUID();
      const reply = await send(key({ ...sound(), nonce }));
      assertEquals(reply.headers.get("Idempotent-Replayed"), replayed);
      await expectProblem(reply, "not_found");
      await expectProblem(send({ ...sound(), nonce }), "nonce_reused");
    }
  });

  it("ignores the nonces and idempotency keys of other partners", async () => {
    const other = await service.addPartner();
    const attempt = { ...sound(), partner: other, nonce: spentNonce };
    await expectProblem(send(header("Idempotency-Key", boundKey)(attempt)), "not_found");
  });

  it("rejects a suspended partner after the token check and before the body checks", async () => {
    const other = await service.addPartner();
    await service.token(other);
    await service.books.sql`select gold.suspend_partner(${other.clientId})`;
    await service.refresh();
    const attempt: Attempt = { ...sound(), partner: other };
    await expectProblem(send(header("Authorization", "Bearer x")(attempt)), "token_invalid");
    await expectProblem(send(header("Content-Type", "text/plain")(attempt)), "partner_suspended");
  });
});
