import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Certificate } from "../contract/caller_fixture.ts";
import { issueCertificate } from "../contract/certificates_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { expectProblem } from "@gold-partner/server/testing";
import { certify, fingerprintOf, register, stackSigner } from "./certificate_fixture.ts";
import { keepConnection, type KeptConnection, PROTOCOLS } from "./kept_connection_fixture.ts";
import { hostOf, requestText, type Visit, visit } from "./visit_fixture.ts";

/** The documented limits: a revoked certificate is refused within these times. */
const [HANDSHAKE_MS, READ_MS] = [2000, 1000];
/** The extra time that a busy machine may need. */
const SLOW_MS = 20_000;
/** How long a new connection is watched for an alert. */
const KNOCK_MS = 1000;
/** The lifetime of the short-lived certificate, in which the test must register and use it. */
const LIFE_SECONDS = 20;
const VERSIONS = ["-tls1_3", "-tls1_2"] as const;

describe("a revoked or expired certificate behind Envoy", () => {
  let stack: Stack;
  before(async () => {
    stack = await Stack.open({ envoy: true });
  });
  after(() => stack.close());

  const tokenOf = async (certificate: Certificate): Promise<string> => {
    const from = stack.partner.presenting(certificate);
    await from.renewToken();
    return from.token;
  };
  const read = (connection: KeptConnection, token: string) =>
    connection.send("GET", "/v1/balances", { authorization: `Bearer ${token}` });
  const write = (connection: KeptConnection, token: string) =>
    connection.send("POST", "/v1/quotes", {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    }, '{"side":"buy","gold_grams":1}');

  /**
   * Issues a further certificate to the partner, and opens a connection with it on which a write and a read
   * succeed.
   */
  async function openBy(protocol: typeof PROTOCOLS[number]) {
    const { fingerprint, ...certificate } = await issueCertificate(stack, stack.partner);
    const token = await tokenOf(certificate);
    const connection = await keepConnection(protocol, stack.partner, certificate);
    assertEquals([(await write(connection, token)).status, (await read(connection, token)).status], [
      201,
      200,
    ]);
    return { fingerprint, token, connection };
  }

  it("cannot write over an open connection once it is revoked", async () => {
    for (const protocol of PROTOCOLS) {
      const { fingerprint, token, connection } = await openBy(protocol);
      await stack.operator("cert revoke", fingerprint);
      await expectProblem(await write(connection, token), "certificate_revoked");
      connection.close();
    }
  });

  it("cannot read over an open connection a second after it is revoked", async () => {
    for (const protocol of PROTOCOLS) {
      const { fingerprint, token, connection } = await openBy(protocol);
      await stack.operator("cert revoke", fingerprint);
      const revokedMs = performance.now();
      let [sentMs, reply] = [revokedMs, await read(connection, token)];
      while (reply.ok && sentMs - revokedMs <= READ_MS + SLOW_MS) {
        [sentMs, reply] = [performance.now(), await read(connection, token)];
      }
      // The loop ends at the first refused read, or at the first read after the limit. In both cases the
      // reply must be this refusal.
      await expectProblem(reply, "certificate_revoked");
      await expectProblem(await read(connection, token), "certificate_revoked");
      connection.close();
    }
  });

  it("cannot open a connection two seconds after it is revoked", async () => {
    for (const version of VERSIONS) {
      const certificate = await issueCertificate(stack, stack.partner);
      const knock = (plan = {}) =>
        visit(stack, certificate, { options: [version], timeoutMs: KNOCK_MS, ...plan });
      assertEquals((await knock()).alert, undefined);
      await stack.operator("cert revoke", certificate.fingerprint);
      const revokedMs = performance.now();
      let [knockedMs, { alert }] = [revokedMs, await knock()];
      while (alert === undefined && knockedMs - revokedMs <= HANDSHAKE_MS + SLOW_MS) {
        [knockedMs, { alert }] = [performance.now(), await knock()];
      }
      // The loop ends at the first refused connection, or at the first connection after the limit. In both
      // cases this alert must have arrived.
      assertEquals(alert, "certificate_revoked");
      assertEquals((await knock({ timeoutMs: 30_000 })).alert, "certificate_revoked");
    }
  });

  /**
   * Sends a request with openssl. The first call saves its TLS session in a file, and later calls offer that
   * session. openssl's output says whether Envoy resumed it.
   */
  async function visitBySession(certificate: Certificate, version: string): Promise<Visit> {
    const file = stack.running.state.path(`session${version}_${fingerprintOf(certificate)}`);
    const options = [version, existsSync(file) ? "-sess_in" : "-sess_out", file];
    return await visit(stack, certificate, {
      verbose: true,
      options,
      sends: requestText(hostOf(stack), "GET /health"),
    });
  }

  it("cannot resume a session, so that every connection checks the certificate again", async () => {
    const certificate = await issueCertificate(stack, stack.partner);
    for (const version of VERSIONS) {
      for (const _ of ["kept", "brought along"]) {
        const { said } = await visitBySession(certificate, version);
        assertStringIncludes(said, "HTTP/1.1 200");
        assertMatch(said, /^New, TLSv1\.[23]/m, said);
        assert(!/New Session Ticket arrived|Session-ID: [0-9A-F]|TLS session ticket:/.test(said), said);
      }
    }
  });

  it("is refused over open connections and for saved sessions once it has expired", async () => {
    const certificate = await certify(await stackSigner(stack), { endsSeconds: LIFE_SECONDS });
    await register(stack, stack.partner, certificate);
    const connections = await Promise.all(
      PROTOCOLS.map((protocol) => keepConnection(protocol, stack.partner, certificate)),
    );
    for (const connection of connections) assertEquals((await connection.send("GET", "/health")).status, 200);
    for (const version of VERSIONS) {
      assertStringIncludes((await visitBySession(certificate, version)).said, "HTTP/1.1 200");
    }
    await sleep(certificate.notAfter.getTime() - Date.now() + 50);
    for (const connection of connections) {
      await expectProblem(await connection.send("GET", "/health"), "certificate_expired");
      connection.close();
    }
    for (const version of VERSIONS) {
      const { alert, said } = await visitBySession(certificate, version);
      assertEquals(alert, "certificate_expired", said);
      assert(!said.includes("HTTP/1.1"), said);
    }
  });
});
