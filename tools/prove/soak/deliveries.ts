import type { Deployment } from "../stage/deployment.ts";
import type { Finding } from "../stage/report.ts";
import { compareIds, findImbalance, missingFrom, readOrders } from "../stage/stage.ts";
import { untilDelivered } from "../stage/until_delivered.ts";
import type { Receivers } from "../webhooks/receivers.ts";
import type { KeptIds } from "./kept_ids.ts";
import { SeenNumbers } from "../../testing/seen_numbers.ts";

const TIMEOUT_MS = 120_000;

/**
 * The deliveries that arrived at the partners' receivers, stored compactly because a soak has about a million
 * of them.
 */
export class Deliveries {
  readonly orders: KeptIds;
  readonly faults: string[] = [];
  again = 0;
  readonly #receivers: Receivers;
  readonly #sequences: readonly SeenNumbers[];

  constructor(receivers: Receivers, orders: KeptIds) {
    this.#receivers = receivers;
    this.orders = orders;
    this.#sequences = receivers.urls.map(() => new SeenNumbers());
  }

  /** Adds the deliveries since the last call. */
  async take(): Promise<void> {
    for (const { receiver, sequence, order, fault } of await this.#receivers.take()) {
      if (fault !== undefined) this.faults.push(`event ${sequence} of receiver ${receiver}: ${fault}`);
      if (!this.#sequences[receiver]!.add(sequence)) this.again++;
      if (order !== undefined) this.orders.add(order);
    }
  }

  countOf(receiver: number): number {
    return this.#sequences[receiver]!.count;
  }
}

/**
 * Checks that exactly the accepted orders were executed, each once, and delivered. Every other event must be
 * delivered, too, and the books must balance.
 */
export async function checkBooks(
  deployment: Deployment,
  acceptedIds: KeptIds,
  deliveries: Deliveries,
): Promise<Finding> {
  const late = await untilDelivered(deployment, TIMEOUT_MS).then(() => [], ({ message }) => [message]);
  await deliveries.take();
  const [accepted, executed] = [acceptedIds.read(), await readOrders(deployment)];
  const delivered = [...new Set(deliveries.orders.read())];
  const counts = new Map(
    (await deployment.sql<{ client: number; events: number }[]>`
      select client_id as client, event_sequence::int as events from gold.account where client_id <> 0`)
      .map(({ client, events }) => [client, events]),
  );
  const violations = [
    ...late,
    ...compareIds("orders", accepted, executed),
    ...missingFrom(delivered, executed).map((id) => `${id} was executed but not delivered`),
    ...missingFrom(executed, delivered).map((id) => `${id} was delivered but not executed`),
    ...deployment.traders.flatMap(({ client, clientId }, receiver) =>
      counts.get(client) === deliveries.countOf(receiver)
        ? []
        : [`${clientId}: ${counts.get(client)} events exist, but ${deliveries.countOf(receiver)} arrived`]
    ),
    ...(deliveries.again === 0
      ? []
      : [`${deliveries.again} events arrived again although nothing was killed`]),
    ...deliveries.faults,
    ...await findImbalance(deployment),
    ...await deployment.findDefects(),
  ];
  const events = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    what: `${accepted.length} orders accepted, ${executed.length} executed, ${delivered.length} delivered; ` +
      `${events} events in total; every account recomputed`,
    violations,
  };
}
