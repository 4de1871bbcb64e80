import { createHash, X509Certificate } from "node:crypto";
import { createTestAuthority, type Issued } from "@gold-partner/server/testing";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { identifyPeer, normaliseIp } from "./peer.ts";
import { readAnswer, readToEnd, valuesOf } from "../../../../tools/testing/raw_http.ts";
import { type Echo, echo, type Fixture, startFixture } from "./fixture.ts";

const GET = (headers = ""): string =>
  `GET /v1/prices HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`;

/** Long enough for a handshake on a busy machine. */
const SHORT_LIFE_MS = 5_000;
const DAY_MS = 86_400_000;

describe("startGateway(), identity", () => {
  let shortLived: Issued;
  let shortEndsMs: number;
  let foreign: Issued;
  let expired: Issued;
  let fixture: Fixture;
  let hash: string;
  let session: Uint8Array | undefined;

  before(async () => {
    fixture = await startFixture(echo, { proxySecret: "ours", timeouts: { headersMs: 60_000 } });
    const { authority, client } = fixture;
    expired = authority.issue(["expired"], -1, -1_000 / DAY_MS);
    foreign = createTestAuthority().issue(["client"]);
    // Issue this certificate last, so that it is still valid at the handshake. Its lifetime can be up to a
    // second shorter, because a certificate expires at a whole second.
    shortLived = authority.issue(["short"], -1, SHORT_LIFE_MS / DAY_MS);
    shortEndsMs = Date.now() + SHORT_LIFE_MS;
    hash = createHash("sha256").update(new X509Certificate(client.cert).raw).digest("hex");
  });

  after(() => fixture.stop());

  it("refuses requests on an open connection once its certificate has expired", async () => {
    const socket = await fixture.open({ cert: shortLived.cert, key: shortLived.key });
    socket.once("session", (given) => session = given);
    await sleep(shortEndsMs - Date.now() + 100);
    socket.write(GET());
    const { status, head, body } = readAnswer(await readToEnd(socket));
    assertEquals(status, 403);
    assertEquals(JSON.parse(body).code, "certificate_expired");
    assertStringIncludes(head, "connection: close");
  });

  it("refuses an expired certificate on a new connection, resumed or not", async () => {
    await assertRejects(() => fixture.send(GET(), { cert: expired.cert, key: expired.key }).then(mustAnswer));
    const resuming = {
      cert: shortLived.cert,
      key: shortLived.key,
      ...(session && { session: Buffer.from(session) }),
    };
    const answer = await fixture.send(GET(), resuming).then(
      ({ status }) => status || undefined,
      () => undefined,
    );
    // Accept 403 under Deno, which resumes a session without checking the certificate again. The gateway then
    // checks it.
    assert(answer === undefined || ("Deno" in globalThis && answer === 403), `answered ${answer}`);
  });

  it("forwards the certificate's hash and the client's address, over TLS 1.2 and 1.3", async () => {
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const { body } = await fixture.send(GET(), { minVersion: version, maxVersion: version });
      const echoed: Echo = JSON.parse(body);
      assertEquals(valuesOf(echoed, "x-forwarded-client-cert"), [`Hash=${hash}`]);
      assertEquals(valuesOf(echoed, "x-client-ip"), ["127.0.0.1"]);
      assertEquals(valuesOf(echoed, "x-gold-proxy-secret"), ["ours"]);
    }
  });

  it("refuses a client without a certificate or with a certificate of another CA", async () => {
    // Use empty texts. The types do not allow undefined, and omitted fields would use the default
    // credentials.
    const none = { cert: "", key: "" };
    await assertRejects(() => fixture.send(GET(), none).then(mustAnswer));
    await assertRejects(() => fixture.send(GET(), { cert: foreign.cert, key: foreign.key }).then(mustAnswer));
    assert(fixture.log.some((line) => line.startsWith("connection refused: ")), fixture.log.join("\n"));
  });

  it("forwards no forged header, in any spelling, number or combination", async () => {
    const forged = `Hash=${"f".repeat(64)}`;
    const headers = [
      `X-Forwarded-Client-Cert: ${forged}`,
      `x-forwarded-client-cert: ${forged}`,
      `X-FORWARDED-CLIENT-CERT: ${forged}`,
      "x-client-ip: 6.6.6.6",
      "X-Client-IP: 6.6.6.6",
      "X-Real-IP: 6.6.6.6",
      "X-Forwarded-For: 6.6.6.6",
      "X-Forwarded-Proto: http",
      "x-envoy-external-address: 6.6.6.6",
      "X-Gold-Proxy-Secret: theirs",
      "Connection: x-forwarded-client-cert, x-client-ip, x-gold-proxy-secret",
    ];
    const { body } = await fixture.send(GET(headers.join("\r\n") + "\r\n"));
    const echoed: Echo = JSON.parse(body);
    assertEquals(
      echoed.rawHeaders.map((text) => text.toLowerCase()).filter((text) => text.startsWith("x-")),
      ["x-forwarded-client-cert", "x-client-ip", "x-gold-proxy-secret"],
    );
    assertEquals(valuesOf(echoed, "x-forwarded-client-cert"), [`Hash=${hash}`]);
    assertEquals(valuesOf(echoed, "x-client-ip"), ["127.0.0.1"]);
    assertEquals(valuesOf(echoed, "x-gold-proxy-secret"), ["ours"]);
  });

  it("forwards no forged header that follows 3,000 other headers", async () => {
    const { body } = await fixture.send(
      GET("a:\r\n".repeat(3_000) + "X-Client-Ip: 6.6.6.6\r\nX-Last: 1\r\n"),
    );
    const echoed: Echo = JSON.parse(body);
    assertEquals(valuesOf(echoed, "x-client-ip"), ["127.0.0.1"]);
    assertEquals(valuesOf(echoed, "x-last"), ["1"]);
  });
});

describe("identifyPeer()", () => {
  const socket = (fields: object) => ({
    authorized: true,
    remoteAddress: "::1",
    getPeerCertificate: () => ({}),
    ...fields,
  });

  it("returns undefined without a verified certificate or an address", () => {
    const { raw } = new X509Certificate(createTestAuthority().issue(["client"]).cert);
    const getPeerCertificate = () => ({ raw });
    assertEquals(identifyPeer(socket({ getPeerCertificate }) as never)?.ip, "::1");
    assertEquals(identifyPeer(socket({}) as never), undefined);
    assertEquals(identifyPeer(socket({ getPeerCertificate, authorized: false }) as never), undefined);
    assertEquals(identifyPeer(socket({ getPeerCertificate, remoteAddress: undefined }) as never), undefined);
  });
});

describe("normaliseIp()", () => {
  it("converts a mapped address to IPv4 and removes the zone", () => {
    assertEquals(normaliseIp("::ffff:127.0.0.1"), "127.0.0.1");
    assertEquals(normaliseIp("::FFFF:10.0.0.1"), "10.0.0.1");
    assertEquals(normaliseIp("::1"), "::1");
    assertEquals(normaliseIp("fe80::1%eth0"), "fe80::1");
    assertEquals(normaliseIp("::ffff:1"), "::ffff:1");
  });
});

/**
 * Throws if no answer came, which means that the client was refused: under TLS 1.3 a client learns this only
 * after the handshake.
 */
function mustAnswer({ status }: { status: number }): void {
  if (!status) throw new Error("The connection was closed without an answer.");
}
