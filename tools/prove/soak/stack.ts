import { Deployment } from "../stage/deployment.ts";
import { KeepAlivePool } from "../stage/partner_connection.ts";
import type { ServerProcess } from "../stage/server_process.ts";
import { Wire } from "../stage/wire.ts";
import { Receivers } from "../webhooks/receivers.ts";
import { DayTrader } from "./day.ts";
import { Deliveries } from "./deliveries.ts";
import { KeptIds } from "./kept_ids.ts";
import { KeptMemory } from "./kept_memory.ts";
import { Traffic } from "./traffic.ts";

/**
 * The service as `npm start` runs it, in one process, with a webhook receiver and a simulated trader for each
 * partner.
 */
export interface Stack {
  readonly deployment: Deployment;
  readonly service: ServerProcess;
  readonly kept: KeptMemory;
  readonly deliveries: Deliveries;
  readonly traffic: Traffic;
}

const LANES = 2;
/** More than the service handles at once, so that excess requests queue in the service and not here. */
const CONNECTIONS_MAX = 256;

export async function openStack(partners: number): Promise<Stack> {
  const deployment = await Deployment.start({ servers: 1, traders: partners, lanes: LANES });
  try {
    const { traders, state } = deployment;
    const receivers = await Receivers.open(deployment);
    // Measure another process: the first process reaches its database through a relay inside this process, so
    // its measurements would include the relay.
    await deployment.servers[0]!.stop();
    const kept = new KeptMemory(state.path("run", "heap"));
    const service = await deployment.addServer("service", "all", kept.environment);
    const wires = new KeepAlivePool(() => Wire.open(service.socket), CONNECTIONS_MAX);
    const ids = (name: string) => new KeptIds(state.path("run", name));
    const traffic = new Traffic(
      ids("accepted"),
      (failed) => traders.map((trader) => new DayTrader(trader, wires, failed)),
    );
    deployment.onStop(async () => {
      await traffic.stop();
      wires.close();
    });
    await traffic.open();
    // Open all connections beforehand. If new ones were opened when the service stalls, they would take memory
    // of the service, which this proof measures.
    await wires.openAll();
    return { deployment, service, kept, deliveries: new Deliveries(receivers, ids("delivered")), traffic };
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}
