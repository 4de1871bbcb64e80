// Runs the service as `npm start -- --envoy` does, and raises the partner's rate limit.
import { once } from "node:events";
import { connect, type SecureVersion, type TLSSocket } from "node:tls";
import { findFreePort } from "@gold-partner/dev/postgres";
import { readIdentity } from "../../prove/stage/partner_connection.ts";
import { openService, type StartedService } from "../service.ts";

export interface EnvoyStack extends Pick<StartedService, "credentials" | "socket"> {
  readonly servicePid: number;
  readonly envoyPid: number;
  /** Opens a connection to Envoy with a full handshake. No session is ever resumed. */
  connectTls(version?: SecureVersion): Promise<TLSSocket>;
  stop(): Promise<void>;
}

/**
 * The partner's rate limit in the service. It refuses nothing, because one machine cannot send this many
 * requests per second. The database requires that Envoy's own limit is at least four times as high.
 */
const RATE_PER_SECOND = 100_000;

export async function openEnvoyStack(): Promise<EnvoyStack> {
  const options = { port: await findFreePort(), envoy: true, floodPerSecond: 4 * RATE_PER_SECOND };
  return await openService(options, async ({ credentials, socket, operator, pids, baseUrl }) => {
    const rate = ["--rate", `${RATE_PER_SECOND}/s`, "--burst", `${RATE_PER_SECOND}`];
    await operator("partner set", credentials.client_id, ...rate);
    const identity = await readIdentity(credentials);
    return {
      ...{ credentials, socket, servicePid: pids.server, envoyPid: pids.sidecar },
      async connectTls(version: SecureVersion = "TLSv1.3") {
        const socket = connect({
          ...identity,
          port: Number(new URL(baseUrl).port),
          host: "127.0.0.1",
          servername: "localhost",
          minVersion: version,
          maxVersion: version,
        });
        await once(socket, "secureConnect");
        return socket;
      },
    };
  });
}
