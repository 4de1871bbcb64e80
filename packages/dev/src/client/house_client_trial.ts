import { GoldClient, type GoldClientOptions, openTransport, type Transport } from "@gold-partner/client";
import { readFile } from "node:fs/promises";
import type { Credentials } from "../partner.ts";

/** What a partner's client needs beyond its credentials, or instead of them. */
export interface ClientPlan extends Partial<GoldClientOptions> {
  /** Another door of the same service. */
  readonly port?: number;
}

/** The SDK over mutual TLS, through the real transport of this runtime. */
export async function openClient(credentials: Credentials, plan: ClientPlan = {}): Promise<GoldClient> {
  const { port, ...manner } = plan;
  const transport = port === undefined ? {} : { transport: await rerouted(credentials, port) };
  return await GoldClient.fromCredentials(credentials, { ...transport, ...manner });
}

/** Requests go to another port than the base URL's, which stays what is signed. */
async function rerouted({ cert, key, ca }: Credentials, port: number): Promise<Transport> {
  const [certPem, keyPem, caPem] = await Promise.all([cert, key, ca].map((file) => readFile(file, "utf8")));
  const transport = openTransport({ cert: certPem!, key: keyPem!, ca: caPem! });
  return {
    send: (request) => {
      const url = new URL(request.url);
      url.port = `${port}`;
      return transport.send({ ...request, url: url.href });
    },
    close: () => transport.close(),
  };
}
