import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { createAuthority } from "../gateway/trial.ts";
import { startGateway } from "../gateway/mod.ts";
import { addTrialCertificate } from "./partner.ts";
import type { TrialService } from "./service.ts";

export interface TrialGateway {
  /** A connection with the partner's own certificate. */
  open(): Promise<TLSSocket>;
  stop(): Promise<void>;
}

/** Mutual TLS in front of a trial service that listens, with a certificate for its partner. */
export async function trialGateway(
  { books, config, partner, refresh }: Pick<TrialService, "books" | "config" | "partner" | "refresh">,
): Promise<TrialGateway> {
  if (config.listen.kind !== "unix") throw new Error("the gateway reaches a service on a Unix socket alone");
  const authority = await createAuthority();
  const [client, server] = await Promise.all([
    authority.issue(partner.clientId),
    authority.issue("localhost"),
  ]);
  await addTrialCertificate(
    books.sql,
    partner.clientId,
    createHash("sha256").update(client.der).digest("hex"),
  );
  await refresh();
  const gateway = await startGateway({
    port: 0,
    ca: authority.ca,
    cert: server.cert,
    key: server.key,
    upstreams: [config.listen.path],
    newRequestId: () => "req_gateway",
  });
  return {
    async open() {
      const { ca } = authority;
      const { cert, key } = client;
      const socket = connect({
        host: "127.0.0.1",
        port: gateway.port,
        servername: "localhost",
        ca,
        cert,
        key,
      });
      await once(socket, "secureConnect");
      return socket;
    },
    stop: () => gateway.close(),
  };
}
