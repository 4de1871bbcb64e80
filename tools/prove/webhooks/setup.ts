import { Deployment } from "../stage/deployment.ts";
import type { ServerProcess } from "../stage/server_process.ts";
import { Receivers } from "./receivers.ts";

/**
 * One process serves requests, two processes deliver webhooks, and each partner has a receiver. A partner and
 * the receiver of its first endpoint have the same index. The first partners have further endpoints.
 */
export interface Setup {
  readonly deployment: Deployment;
  readonly service: ServerProcess;
  readonly deliverers: readonly ServerProcess[];
  readonly receivers: Receivers;
}

/** How many endpoints the first partners have besides their first one. */
export const FURTHER_EACH = 2;
const INITIAL_FUNDING_SAR = "10000000";

export async function openSetup(
  { partners, withThree, retries }: {
    readonly partners: number;
    /** How many of the partners have three endpoints. */
    readonly withThree: number;
    readonly retries: string;
  },
): Promise<Setup> {
  const deployment = await Deployment.start({ servers: 1, traders: partners, lanes: 2, role: "api" });
  try {
    const [service] = deployment.servers as [ServerProcess];
    const receivers = await Receivers.open(deployment, withThree * FURTHER_EACH);
    await deployment.fund(INITIAL_FUNDING_SAR);
    const deliverers = await Promise.all(
      ["delivery_1", "delivery_2"].map((name) =>
        deployment.addServer(name, "delivery", { WEBHOOK_RETRIES: retries })
      ),
    );
    return { deployment, service, deliverers, receivers };
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}
