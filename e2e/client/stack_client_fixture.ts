import {
  GoldClient,
  type GoldClientOptions,
  openTransport,
  type Transport,
  type TransportRequest,
} from "@gold-partner/client";
import { readFile } from "node:fs/promises";
import type { Credentials } from "@gold-partner/dev";

/** Options of a partner's client, in addition to its credentials or in place of them. */
export interface ClientPlan extends Partial<GoldClientOptions> {
  /** The port of another entry point to the same service, such as a relay. */
  readonly port?: number;
}

/** Opens the SDK's client over mutual TLS, with the real transport of this runtime. */
export async function openClient(credentials: Credentials, plan: ClientPlan = {}): Promise<GoldClient> {
  const { port, ...manner } = plan;
  const transport = port === undefined ? {} : { transport: await rerouted(credentials, port) };
  return await GoldClient.fromCredentials(credentials, { ...transport, ...manner });
}

/** Sends requests to another port. Signatures still cover the original base URL. */
async function rerouted({ cert, key, ca }: Credentials, port: number): Promise<Transport> {
  const [certPem, keyPem, caPem] = await Promise.all([cert, key, ca].map((file) => readFile(file, "utf8")));
  const transport = openTransport({ cert: certPem!, key: keyPem!, ca: caPem! });
  const move = (request: TransportRequest) => {
    const url = new URL(request.url);
    url.port = `${port}`;
    return { ...request, url: url.href };
  };
  return {
    send: (request) => transport.send(move(request)),
    open: (request) => transport.open!(move(request)),
    close: () => transport.close(),
  };
}
