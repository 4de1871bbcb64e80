import type { Deployment } from "./deployment.ts";
import type { Arrival, Inbox } from "./inboxes.ts";
import type { Finding } from "./report.ts";
import { untilDelivered } from "./until_delivered.ts";

/**
 * How long to wait for all deliveries. Within this time, another worker takes over from a killed worker, and
 * a lost attempt is repeated.
 */
const TIMEOUT_MS = 30_000;

interface StoredEvent {
  readonly client: number;
  readonly id: string;
  readonly sequence: number;
  readonly orderId: string | null;
}

export interface Leniency {
  /**
   * True if a process was killed. An event may then arrive again if only that process knew of its delivery.
   */
  readonly mayRepeat?: boolean;
  /** How long to wait for all deliveries, instead of TIMEOUT_MS. */
  readonly timeoutMs?: number;
}

/**
 * Checks that each event reached its partner once, with its sequence number and a valid signature. No other
 * event may have arrived, and nothing may be left to send.
 */
export async function checkInboxes(
  deployment: Deployment,
  inboxes: readonly Inbox[],
  { mayRepeat = false, timeoutMs = TIMEOUT_MS }: Leniency = {},
): Promise<Finding> {
  const late = await untilDelivered(deployment, timeoutMs).then(() => [], ({ message }) => [message]);
  const events = await deployment.sql<StoredEvent[]>`
    select client_id as client, 'evt_' || id as id, sequence::int as sequence,
      case when type = 'order.executed' then 'ord_' || subject end as "orderId"
    from gold.event order by client_id, sequence`;
  const arrivals = inboxes.flatMap((inbox) => inbox.arrivals);
  const [delivered, again] = [new Set(arrivals.map(({ id }) => id)), countAgain(inboxes)];
  const orders = new Set(arrivals.flatMap(({ orderId }) => orderId ?? []));
  const violations = [
    ...late,
    ...(again > 0 && !mayRepeat ? [`${again} events arrived again although nothing was killed`] : []),
    ...inboxes.flatMap((inbox) =>
      compare(inbox, events.filter(({ client }) => client === inbox.trader.client))
    ),
    ...await findLeft(deployment),
  ];
  return {
    what: `${orders.size} order events and ${
      delivered.size - orders.size
    } other events delivered; ${again} arrived again`,
    violations,
  };
}

function compare({ trader: { clientId }, arrivals }: Inbox, events: readonly StoredEvent[]): string[] {
  const own = new Map(events.map((event) => [event.id, event]));
  const missing = new Map(own);
  for (const { id } of arrivals) missing.delete(id);
  const isReplay = ({ id, sequence, orderId }: Arrival) => {
    const event = own.get(id);
    return event?.sequence === sequence && event.orderId === (orderId ?? null);
  };
  const gap = events.findIndex(({ sequence }, index) => sequence !== index + 1);
  return [
    ...(gap < 0 ? [] : [`${clientId}: the database has no event with sequence number ${gap + 1}`]),
    ...[...missing.values()].map(({ sequence }) => `${clientId}: event ${sequence} never arrived`),
    ...arrivals.filter((arrival) => !isReplay(arrival)).map(({ id }) =>
      `${clientId}: ${id} arrived but matches none of the partner's events`
    ),
    ...arrivals.filter(({ signedBy }) => signedBy.length === 0).map(({ sequence }) =>
      `${clientId}: the signature of event ${sequence} is invalid`
    ),
  ];
}

/**
 * Returns the rows of `retry`. There may be none, because the row of a retry is deleted when its event is
 * delivered and the endpoint's mark has passed the event.
 */
async function findLeft({ sql }: Deployment): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select 'event ' || sequence || ' of endpoint ' || client_id
      || case when parked_at is null then ' is due' else ' is parked' end as line
    from gold.retry`;
  return rows.map(({ line }) => line);
}

/** Counts the deliveries of events that had already arrived. */
function countAgain(inboxes: readonly Inbox[]): number {
  let again = 0;
  for (const { arrivals } of inboxes) again += arrivals.length - new Set(arrivals.map(({ id }) => id)).size;
  return again;
}
