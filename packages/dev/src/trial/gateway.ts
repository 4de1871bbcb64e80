import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { type Authority, createAuthority, type Issued } from "../gateway/trial.ts";
import { startGateway } from "../gateway/mod.ts";
import { startTrialEnvoy } from "./envoy.ts";
import { addTrialCertificate } from "./partner.ts";
import type { TrialService } from "./service.ts";

export interface TrialGateway {
  /** Opens a connection with the partner's own certificate. */
  open(): Promise<TLSSocket>;
  stop(): Promise<void>;
}

/** The part that ends mutual TLS: its port and how to close it. */
interface Door {
  readonly port: number;
  close(): Promise<void>;
}

interface DoorPlan {
  readonly authority: Authority;
  readonly server: Issued;
  readonly socket: string;
  readonly baseUrl: string;
}

/**
 * Opens mutual TLS in front of a service fixture that listens, and registers a certificate for its partner.
 */
export async function trialGateway(
  { books, config, partner, refresh }: Pick<TrialService, "books" | "config" | "partner" | "refresh">,
  door: "gateway" | "envoy" = "gateway",
): Promise<TrialGateway> {
  if (config.listen.kind !== "unix") {
    throw new Error("the gateway needs a service that listens on a Unix socket");
  }
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
  const plan = { authority, server, socket: config.listen.path, baseUrl: config.publicBaseUrl };
  const { port, close } = await (door === "envoy" ? openEnvoy(plan) : openGateway(plan));
  return {
    async open() {
      const { ca } = authority;
      const { cert, key } = client;
      const socket = connect({ host: "127.0.0.1", port, servername: "localhost", ca, cert, key });
      await once(socket, "secureConnect");
      return socket;
    },
    stop: close,
  };
}

async function openGateway({ authority: { ca }, server: { cert, key }, socket }: DoorPlan): Promise<Door> {
  const newRequestId = () => "req_gateway" as const;
  const gateway = await startGateway({ port: 0, ca, cert, key, upstreams: [socket], newRequestId });
  return { port: gateway.port, close: () => gateway.close() };
}

async function openEnvoy(
  { authority: { ca }, server: { cert, key }, socket, baseUrl }: DoorPlan,
): Promise<Door> {
  const envoy = await startTrialEnvoy({ port: 0, baseUrl, ca, cert, key, upstreams: `unix:${socket}` });
  return { port: envoy.port, close: () => envoy.stop() };
}
