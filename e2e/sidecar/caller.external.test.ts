import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Caller, Certificate } from "../contract/caller_fixture.ts";
import { issueCertificate } from "../contract/certificates_fixture.ts";
import { Faults } from "../contract/faults_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { expectProblem } from "@gold-partner/server/testing";
import { certificateOf, certify, fingerprintOf, stackSigner } from "./certificate_fixture.ts";
import { countArrived } from "./direct_fixture.ts";
import { addressClaims, identityClaims, type Lines, STEERING } from "./forgeries_fixture.ts";
import { keepConnection } from "./kept_connection_fixture.ts";
import { expectRefused, hostOf, requestText, visit } from "./visit_fixture.ts";

/** An address that is reserved for documentation (RFC 5737). */
const ELSEWHERE = "203.0.113.7";

describe("the caller's identity behind Envoy", () => {
  let stack: Stack;
  let own: Certificate;
  let other: Caller;
  let others: Certificate;
  before(async () => {
    stack = await Stack.open({ envoy: true });
    other = await stack.onboard("Other Bank");
    [own, others] = [await certificateOf(stack.partner), await certificateOf(other)];
  });
  after(() => stack.close());

  const bearer = ({ token }: Caller) => `Authorization: Bearer ${token}`;
  const health = (lines: Lines = []) => requestText(hostOf(stack), "GET /health", lines);
  const balances = (lines: Lines) => requestText(hostOf(stack), "GET /v1/balances", lines);
  const fund = (lines: Lines = []) =>
    requestText(
      hostOf(stack),
      "POST /sandbox/fund",
      ["Content-Type: application/json", `Idempotency-Key: ${randomUUID()}`, ...lines],
      '{"amount_sar":1}',
    );
  const countFundings = async (partner: Caller) =>
    ((await partner.succeed("listFundings", { query: { limit: "100" } })).items as unknown[]).length;

  it("accepts a token only with the certificate that it was issued for", async () => {
    const second = await issueCertificate(stack, stack.partner);
    assertEquals((await visit(stack, own, { sends: balances([bearer(stack.partner)]) })).reply?.status, 200);
    for (const certificate of [others, second]) {
      const sends = balances([bearer(stack.partner)]);
      await expectRefused(stack, certificate, "token_certificate_mismatch", sends);
    }
  });

  it("identifies the caller by its certificate, whatever a header claims", async () => {
    const unregistered = await certify(await stackSigner(stack));
    const faults = new Faults();
    let served = 0;
    for (const claim of identityClaims(fingerprintOf(others), fingerprintOf(own))) {
      await faults.note(JSON.stringify(claim).slice(0, 120), async () => {
        const [mine, stolen, nobody] = await Promise.all([
          visit(stack, own, { sends: fund(claim) }),
          // Send the other partner's token. The request would succeed if the service believed the claim.
          visit(stack, own, { sends: balances([bearer(other), ...claim]) }),
          visit(stack, unregistered, { sends: health(claim) }),
        ]);
        const statuses = [mine, stolen, nobody].map(({ reply }) => reply?.status);
        if (mine.reply?.status === 400) return assertEquals(statuses, [400, 400, 400]);
        served++;
        assertEquals(statuses, [201, 401, 403]);
        await expectProblem(stolen.reply!, "token_certificate_mismatch");
        await expectProblem(nobody.reply!, "certificate_unknown");
      });
    }
    faults.expectNone();
    assertEquals([await countFundings(stack.partner), await countFundings(other)], [served, 0]);
    assert(served >= 20, `only ${served} requests with a claim were served`);
  });

  it("identifies the caller by its certificate over h2 too", async () => {
    const connection = await keepConnection("h2", stack.partner, own);
    const name = "x-forwarded-client-cert";
    const [mine, theirs] = [own, others].map((certificate) => `Hash=${fingerprintOf(certificate)}`);
    for (
      const claim of [theirs!, `${mine},${theirs}`, `${theirs},${mine}`, [theirs!, mine!], [mine!, theirs!]]
    ) {
      const claimed = { [name]: claim };
      assertEquals((await connection.send("GET", "/health", claimed)).status, 200);
      const authorization = `Bearer ${other.token}`;
      const reply = await connection.send("GET", "/v1/balances", { ...claimed, authorization });
      await expectProblem(reply, "token_certificate_mismatch");
    }
    connection.close();
  });

  it("identifies the address by the connection, whatever a header claims", async () => {
    await stack.operator("partner set", other.credentials.client_id, "--ip", `${ELSEWHERE}/32`);
    await other.until(({ status }) => status === 403);
    const faults = new Faults();
    for (const claim of addressClaims(ELSEWHERE)) {
      await faults.note(claim.join(" | "), async () => {
        const [forbidden, allowed] = await Promise.all(
          [others, own].map((certificate) => visit(stack, certificate, { sends: health(claim) })),
        );
        if (allowed!.reply!.status === 400) return await expectProblem(forbidden!.reply!, "invalid_request");
        assertEquals(allowed!.reply!.status, 200);
        const { detail } = await expectProblem(forbidden!.reply!, "ip_not_allowed");
        assertStringIncludes(detail, "from 127.0.0.1,");
      });
    }
    faults.expectNone();
  });

  it("returns 403 ip_not_allowed for a call from an address that is not allowed", async () => {
    const { reply } = await visit(stack, own, { options: ["-bind", "127.0.0.2:0"], sends: health() });
    assertStringIncludes((await expectProblem(reply!, "ip_not_allowed")).detail, "from 127.0.0.2,");
  });

  it("ignores headers that could control Envoy: same reply, and each request arrives once", async () => {
    const metadata = (lines: Lines = []) =>
      requestText(hostOf(stack), "GET /.well-known/oauth-authorization-server", lines);
    const plain = await (await visit(stack, own, { sends: metadata() })).reply!.text();
    const faults = new Faults();
    for (const lines of STEERING) {
      await faults.note(lines.join(" | "), async () => {
        const arrived = await countArrived(stack);
        const { reply } = await visit(stack, own, { sends: metadata(lines) });
        assertEquals([reply!.status, await reply!.text()], [200, plain]);
        assert(/^req_[0-9a-f-]{36}$/.test(reply!.headers.get("X-Request-Id")!));
        // Use a write. It takes longer than each of the claimed timeouts, and would fail if one of them were
        // applied.
        assertEquals((await visit(stack, own, { sends: fund(lines) })).reply!.status, 201);
        assertEquals(await countArrived(stack), arrived + 2);
      });
    }
    faults.expectNone();
  });
});
