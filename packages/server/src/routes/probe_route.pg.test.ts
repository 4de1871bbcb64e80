import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { BODY_MAX_BYTES, hostBytes, type ProbeReply, probeReply } from "@gold-partner/protocol";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { expectProblem } from "../../testing/problem.ts";
import { newTestKey } from "../../testing/partner.ts";
import { type Signing, suiteService, type TestService } from "../../testing/service.ts";
import { valueOf } from "../../testing/rows.ts";

const PATH = "/v1/signed-probe";

describe("POST /v1/signed-probe", () => {
  const service = suiteService();

  const send = (signing: Signing = {}, body: string | Uint8Array = "any body") =>
    service.signed(PATH, body, signing);
  async function verdict(signing: Signing = {}, body: string | Uint8Array = "any body"): Promise<ProbeReply> {
    const reply = await send(signing, body);
    assertEquals([reply.status, reply.headers.get("Content-Type")], [200, "application/json"]);
    return probeReply.strict().parse(await reply.json());
  }
  const oks = ({ steps }: ProbeReply) =>
    Object.fromEntries(Object.entries(steps).map(([name, { ok }]) => [name, ok]));
  const nonces = () =>
    valueOf<number>(
      service.books.sql`select count(*)::int from gold.nonce where client_id = ${service.partner.client}`,
    );

  it("reports a valid signature, shows the verified text, and spends the nonce", async () => {
    const nonce = randomUUID();
    const { valid, canonical_string, canonical_sha256, mistake, clock_offset_seconds } = await verdict({
      nonce,
    });
    assertEquals([valid, mistake], [true, null]);
    assert(Math.abs(clock_offset_seconds!) < 30);
    const [method, url, bodySha256, , signedNonce] = canonical_string!.split("\n");
    assertEquals([method, url, bodySha256, signedNonce], [
      "POST",
      service.config.publicBaseUrl + PATH,
      hostBytes.sha256Hex(hostBytes.utf8("any body")),
      nonce,
    ]);
    assertEquals(canonical_sha256, hostBytes.sha256Hex(hostBytes.utf8(canonical_string!)));
    const again = await verdict({ nonce });
    assertEquals([again.valid, again.steps.nonce.ok, again.steps.signature.ok], [false, false, true]);
    assertStringIncludes(again.steps.nonce.detail, "used before");
  });

  it("rejects an order whose nonce a probe has spent", async () => {
    const nonce = randomUUID();
    assertEquals((await verdict({ nonce })).valid, true);
    await expectProblem(service.signed("/v1/orders", '{"quote_id":"qt_none"}', { nonce }), "nonce_reused");
  });

  it("accepts any body and any content type as opaque bytes", async () => {
    const bodies = ["", "{", "\ufeff{}\r\n", new Uint8Array([0, 0xff, 0xfe]), "x".repeat(BODY_MAX_BYTES)];
    for (const body of bodies) {
      assertEquals((await verdict({}, body)).valid, true);
    }
    for (const type of [null, "text/plain; charset=utf-16", "garbage"]) {
      const headers = { "Content-Type": type, "Content-Encoding": "gzip", "Idempotency-Key": null };
      assertEquals((await verdict({ headers }, hostBytes.utf8("x"))).valid, true);
    }
  });

  it("includes the query in the signed URL", async () => {
    const target = `${PATH}?trace=1`;
    const reply = await service.signed(target, "x");
    const { valid, canonical_string } = await reply.json() as ProbeReply;
    assertEquals(valid, true);
    assertStringIncludes(canonical_string!, target);
  });

  it("reports each failed step, and skips the steps that depend on it", async () => {
    const now = Math.floor(service.now() / 1000);
    const passed = { timestamp: true, nonce: true, header: true, key: true, signature: true };
    const table: [Signing, Partial<Record<keyof typeof passed, boolean | null>>][] = [
      [{ timestamp: `${now - 1000}` }, { timestamp: false, signature: null }],
      [{ headers: { "X-Timestamp": `${now}000` } }, { timestamp: false, signature: null }],
      [{ headers: { "X-Timestamp": null } }, { timestamp: false, signature: null }],
      [{ headers: { "X-Nonce": "short" } }, { nonce: false, signature: null }],
      [{ headers: { "X-JWS-Signature": "x" } }, { header: false, key: null, signature: null }],
      [{ headers: { "X-JWS-Signature": null } }, { header: false, key: null, signature: null }],
      [{ key: await newTestKey("nobody") }, { key: false, signature: null }],
      [{ key: await newTestKey() }, { signature: false }],
      [{ signedBody: "another" }, { signature: false }],
    ];
    for (const [signing, expected] of table) {
      const found = await verdict(signing);
      const name = JSON.stringify(signing.headers ?? {});
      assertEquals([found.valid, oks(found)], [false, { ...passed, ...expected }], name);
      for (const { ok, detail } of Object.values(found.steps)) assert(detail.length > 3, `${ok}`);
    }
  });

  it("returns the clock's offset, even outside the allowed window", async () => {
    const { clock_offset_seconds, steps } = await verdict({
      timestamp: `${Math.floor(service.now() / 1000) - 1000}`,
    });
    assert(Math.abs(clock_offset_seconds! + 1000) < 30, `${clock_offset_seconds}`);
    assertStringIncludes(steps.timestamp.detail, "behind");
    assertEquals((await verdict({ headers: { "X-Timestamp": "x" } })).clock_offset_seconds, null);
  });

  it("stores nothing and does not spend the nonce if the signature cannot be verified", async () => {
    const nonce = randomUUID();
    const spent = await nonces();
    const stale = `${Math.floor(service.now() / 1000) - 1000}`;
    for (const signing of [{ key: await newTestKey() }, { signedBody: "another" }, { timestamp: stale }]) {
      assertEquals((await verdict({ ...signing, nonce })).valid, false);
    }
    assertEquals(await nonces(), spent);
    assertEquals((await verdict({ nonce })).valid, true);
    assertEquals(await nonces(), spent + 1);
  });

  it("rejects a bad certificate, address, token or size, whatever else is wrong", async () => {
    const malformed = { "X-Timestamp": "x", "X-JWS-Signature": null };
    const cases = [
      [{ "X-Forwarded-Client-Cert": `Hash=${"0".repeat(64)}` }, "certificate_unknown"],
      [{ "X-Client-Ip": "192.0.2.1" }, "ip_not_allowed"],
      [{ Authorization: null }, "token_missing"],
    ] as const;
    for (const [bad, code] of cases) {
      await expectProblem(send({ headers: { ...malformed, ...bad } }), code);
    }
    const large = "x".repeat(BODY_MAX_BYTES + 1);
    await expectProblem(send({}, large), "body_too_large");
    await expectProblem(send({ headers: malformed }, large), "body_too_large");
  });

  it("returns 503 while another process has locked the account, and does not spend the nonce", async () => {
    const nonce = randomUUID();
    const held = await holdAccount(service);
    await expectProblem(send({ nonce }), "service_unavailable");
    await held.release();
    assertEquals((await verdict({ nonce })).valid, true);
  });

  describe("with Prefer: handling=strict", () => {
    const strict = (headers: Record<string, string | null> = {}) => ({
      Prefer: "handling=strict",
      ...headers,
    });

    it("answers like an order", async () => {
      const stale = `${Math.floor(service.now() / 1000) - 1000}`;
      await expectProblem(send({ headers: strict({ "X-JWS-Signature": null }) }), "signature_missing");
      await expectProblem(send({ headers: strict({ "X-Timestamp": "x" }) }), "timestamp_invalid");
      await expectProblem(send({ headers: strict({ "X-Nonce": "x" }) }), "nonce_invalid");
      await expectProblem(send({ headers: strict(), timestamp: stale }), "timestamp_out_of_window");
      await expectProblem(send({ headers: strict(), signedBody: "x" }), "signature_invalid");
      const nonce = randomUUID();
      const first = await send({ headers: strict(), nonce });
      assertEquals([first.status, first.headers.get("Preference-Applied")], [200, "handling=strict"]);
      assertEquals(probeReply.strict().parse(await first.json()).valid, true);
      await expectProblem(send({ headers: strict(), nonce }), "nonce_reused");
    });

    it("recognises the preference in every valid spelling and among other preferences", async () => {
      const spellings = [
        "handling=strict",
        "HANDLING=strict",
        'handling="strict"',
        'wait=5, handling = "strict"; x=1',
        "wait=5, handling=strict",
        "handling=strict, wait=5",
      ];
      for (const Prefer of spellings) {
        await expectProblem(send({ headers: { Prefer }, signedBody: "x" }), "signature_invalid");
      }
      for (
        const Prefer of ["handling=lenient", "xhandling=strict", "handling=strictly", 'handling="strict']
      ) {
        assertEquals((await verdict({ headers: { Prefer }, signedBody: "x" })).valid, false);
      }
    });
  });
});

/** Locks the partner's account as another process would. */
async function holdAccount({ books, partner }: TestService): Promise<{ release(): Promise<void> }> {
  const sql = books.connect("superuser", 1);
  await sql`begin`;
  await sql`select from gold.account where client_id = ${partner.client} for update`;
  return { release: async () => void await sql`rollback` };
}
