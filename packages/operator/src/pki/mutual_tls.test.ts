import { createServer, request, type Server } from "node:https";
import { assert, assertEquals } from "@std/assert";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { describe, it } from "node:test";
import type { Authority } from "./authority.ts";
import { readCsr } from "./csr.ts";
import { issueClientCertificate, issueServerCertificate } from "./issuance.ts";
import { certificateFingerprint } from "./certificate.ts";
import { CLIENT_ID, makeAuthority, makeRequest, ORGANIZATION } from "./samples.ts";

interface Credential {
  readonly cert?: string;
  readonly key?: string;
}

const HOUR_MS = 3_600_000;
const ORDER = { names: ["localhost", "127.0.0.1", "::1"], organization: "Gold House" };

async function issueClient(
  authority: Authority,
  issuedAt: Date,
  days?: number,
): Promise<{ cert: string; key: string }> {
  const { pem, privateKeyPem } = await makeRequest();
  const order = {
    csr: await readCsr(pem),
    authority,
    clientId: CLIENT_ID,
    organization: ORGANIZATION,
    issuedAt,
  };
  const issued = await issueClientCertificate(days === undefined ? order : { ...order, days });
  return { cert: issued.pem, key: privateKeyPem };
}

/** Returns the fingerprint that the server saw, or null if no answer came. */
function call(port: number, ca: string, host: string, credential: Credential): Promise<string | null> {
  return new Promise((resolve) => {
    const options = {
      host,
      port,
      ca,
      ...credential,
      agent: false,
      servername: host === "localhost" ? host : "",
    };
    const outgoing = request(options, (incoming) => {
      let body = "";
      incoming.on("data", (part: Uint8Array) => body += new TextDecoder().decode(part));
      incoming.on("end", () => resolve(body));
      incoming.on("error", () => resolve(null));
    });
    outgoing.on("error", () => resolve(null));
    outgoing.setTimeout(30_000, () => outgoing.destroy());
    outgoing.end();
  });
}

async function withServer(
  certificate: Credential,
  ca: string,
  use: (port: number) => Promise<void>,
): Promise<void> {
  const server: Server = createServer(
    { ...certificate, ca, requestCert: true, rejectUnauthorized: true },
    async (incoming, outgoing) => {
      const peer = (incoming.socket as TLSSocket).getPeerCertificate();
      outgoing.end(await certificateFingerprint(new Uint8Array(peer.raw)));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
}

describe("mutual TLS with issued certificates", () => {
  it("a server accepts a partner's certificate and rejects every other certificate", async () => {
    const now = new Date();
    const { authority, certificatePem: ca } = await makeAuthority(5, new Date(now.getTime() - 48 * HOUR_MS));
    const { authority: foreignAuthority } = await makeAuthority(5, now);
    const server = await issueServerCertificate({ ...ORDER, authority, issuedAt: now });
    const client = await issueClient(authority, now);
    const refused: [string, Credential][] = [
      ["no certificate", {}],
      ["a server's certificate", { cert: server.pem, key: server.privateKeyPem }],
      ["an expired certificate", await issueClient(authority, new Date(now.getTime() - 25 * HOUR_MS), 1)],
      [
        "a certificate that is not valid yet",
        await issueClient(authority, new Date(now.getTime() + HOUR_MS)),
      ],
      ["a certificate of another CA with the same name", await issueClient(foreignAuthority, now)],
    ];
    await withServer({ cert: server.pem, key: server.privateKeyPem }, ca, async (port) => {
      assertEquals(await call(port, ca, "localhost", client), await certificateFingerprint(client.cert));
      for (const [what, credential] of refused) {
        assertEquals(await call(port, ca, "localhost", credential), null, what);
      }
      assert(await call(port, ca, "localhost", client) !== null, "the server must still answer");
    });
  });

  it("a client rejects a server with a partner's certificate or with another name", async () => {
    const now = new Date();
    const { authority, certificatePem: ca } = await makeAuthority(5, now);
    const client = await issueClient(authority, now);
    const elsewhere = await issueServerCertificate({
      ...ORDER,
      names: ["gold.example"],
      authority,
      issuedAt: now,
    });
    const certificates = [client, { cert: elsewhere.pem, key: elsewhere.privateKeyPem }];
    for (const certificate of certificates) {
      await withServer(certificate, ca, async (port) => {
        assertEquals(await call(port, ca, "localhost", client), null);
      });
    }
  });
});
