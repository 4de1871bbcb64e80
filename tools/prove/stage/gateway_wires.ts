import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { connect } from "node:tls";
import {
  createAuthority,
  issueServerCertificate,
  openAuthority,
  readAuthorityKey,
} from "@gold-partner/operator";
import { ID_PREFIX, newId } from "@gold-partner/protocol";
import { startGateway } from "@gold-partner/dev";
import type { Deployment } from "./deployment.ts";
import { EnvoyFront } from "./envoy_front.ts";
import { openTlsWire, readIdentity } from "./partner_connection.ts";
import type { Trader } from "./trader.ts";
import { Wire } from "./wire.ts";

export interface GatewayWires {
  openWires(count: number): Promise<Wire[]>;
  close(): Promise<void>;
}

/**
 * Opens connections as partners do: mutual TLS with the trader's own certificate, through the gateway to all
 * processes.
 */
export async function openGatewayWires(deployment: Deployment, trader: Trader): Promise<GatewayWires> {
  const { state, servers, port } = deployment;
  const issuedAt = new Date();
  const organization = "Development";
  const made = await createAuthority({ commonName: "Server CA", organization, issuedAt, years: 1 });
  const authority = await openAuthority(made.certificatePem, await readAuthorityKey(made.privateKeyPem));
  const names = ["localhost"];
  const server = await issueServerCertificate({ authority, names, organization, issuedAt, days: 30 });
  const gateway = await startGateway({
    port,
    ca: await readFile(state.path("pki", "partner_ca.pem"), "utf8"),
    cert: server.pem,
    key: server.privateKeyPem,
    upstreams: servers.map(({ socket }) => socket),
    newRequestId: () =>
      newId(ID_PREFIX.request, Date.now(), (n) => crypto.getRandomValues(new Uint8Array(n))),
  });
  const [cert, key] = await Promise.all(
    [trader.credentials.cert, trader.credentials.key].map((file) => readFile(file, "utf8")),
  );
  return {
    openWires: (count) =>
      Promise.all(Array.from({ length: count }, async () => {
        const socket = connect({
          port,
          host: "localhost",
          servername: "localhost",
          ca: made.certificatePem,
          cert: cert!,
          key: key!,
        });
        await once(socket, "secureConnect");
        return new Wire(socket);
      })),
    close: () => gateway.close(),
  };
}

/** The same with the real Envoy in place of the gateway. Envoy ends with the deployment. */
export async function openEnvoyWires(deployment: Deployment, trader: Trader): Promise<GatewayWires> {
  await EnvoyFront.open(deployment);
  const identity = await readIdentity(trader.credentials);
  return {
    openWires: (count) =>
      Promise.all(Array.from({ length: count }, () => openTlsWire(deployment.port, identity))),
    close: () => Promise.resolve(),
  };
}
