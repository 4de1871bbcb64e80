import type { Finding } from "../stage/report.ts";
import type { Trader } from "../stage/trader.ts";
import { byFrequency, countEach, tallyText, Wire } from "../stage/wire.ts";
import type { Arrival } from "./receivers_process.ts";
import type { Setup } from "./setup.ts";
import { type ListedEvent, readEvents } from "./listed_events.ts";

/** The state of all events so far. */
interface CheckedEvents extends Finding {
  /** The events that were parked because their receivers accepted no try. */
  readonly parked: readonly string[];
}

/** The maximum number of parked events in the list. Every partner has fewer. */
const LISTED = "10000";

/** Compares the events that the receivers got with the events that the partners and the operator read. */
export async function checkArrivals(
  setup: Setup,
  arrivals: readonly Arrival[],
  tries: number,
): Promise<CheckedEvents> {
  const { deployment, service } = setup;
  await deployment.renewTokens();
  const wire = await Wire.open(service.socket);
  const violations: string[] = [];
  const parked: string[] = [];
  let events = 0;
  try {
    for (const [receiver, trader] of deployment.traders.entries()) {
      const listed = await readEvents(wire, trader);
      const own = listed.filter(({ status }) => status === "parked").map(({ id }) => id);
      violations.push(
        ...checkNumbers(trader, listed),
        ...checkDeliveries(trader, listed, arrivals.filter((arrival) => arrival.receiver === receiver)),
        ...await checkParked(setup, trader, own, tries),
      );
      parked.push(...own);
      events += listed.length;
    }
  } finally {
    wire.close();
  }
  violations.push(...await findUncounted(setup, events), ...await deployment.findDefects());
  return {
    what: `${events} events, ${parked.length} parked`,
    violations,
    parked,
  };
}

function checkNumbers({ clientId }: Trader, listed: readonly ListedEvent[]): string[] {
  const at = listed.findIndex(({ sequence }, n) => sequence !== n + 1);
  return at < 0 ? [] : [`${clientId}: GET /v1/events returned no event with sequence number ${at + 1}`];
}

/**
 * Checks that each delivery is signed and matches an event that the partner reads, and that each event was
 * accepted or parked.
 */
function checkDeliveries(
  { clientId }: Trader,
  listed: readonly ListedEvent[],
  arrivals: readonly Arrival[],
): string[] {
  const violations: string[] = [];
  const known = new Map(listed.map((event) => [event.id, event]));
  const accepted = new Set<string>();
  for (const { id, sequence, digest, fault, accepted: isAccepted } of arrivals) {
    const event = known.get(id);
    if (fault !== undefined) violations.push(`${clientId} ${sequence}: ${fault}`);
    else if (event?.sequence !== sequence) {
      violations.push(
        `${clientId}: ${id} arrived as number ${sequence}, which matches none of the partner's events`,
      );
    } else if (event.digest !== digest) {
      violations.push(
        `${clientId} ${sequence}: the delivered bytes differ from the bytes that the partner reads`,
      );
    } else if (isAccepted) accepted.add(id);
  }
  for (const { id, sequence, status } of listed) {
    const expected = accepted.has(id) ? "delivered" : "parked";
    if (status !== expected) {
      violations.push(
        `${clientId} ${sequence}: its status is ${status}, but its receiver ${
          accepted.has(id) ? "accepted it" : "never accepted it"
        }`,
      );
    }
  }
  return violations;
}

/**
 * Checks that the operator sees the same parked events, and that each was tried at least as often as the
 * schedule says.
 */
async function checkParked(
  { deployment }: Setup,
  { clientId, client }: Trader,
  parked: readonly string[],
  tries: number,
): Promise<string[]> {
  const list = await deployment.operator("event list", clientId, "--status", "parked", "--limit", LISTED);
  const { items } = list as { items: { event_id: string }[] };
  const listed = items.map(({ event_id }) => event_id).sort();
  const rows = await deployment.sql<{ sequence: string; made: number }[]>`
    select r.sequence, count(a.attempted_at)::int as made from gold.retry r
    left join gold.attempt a on a.receiver_id = r.receiver_id and a.sequence = r.sequence
    where r.receiver_id = ${client} and r.parked_at is not null group by r.sequence`;
  return [
    ...(listed.join() === parked.toSorted().join()
      ? []
      : [`${clientId}: the operator's list of parked events differs`]),
    ...rows.filter(({ made }) => made < tries).map(({ sequence, made }) =>
      `${clientId} ${sequence}: parked after ${made} of ${tries} tries`
    ),
  ];
}

async function findUncounted({ deployment }: Setup, events: number): Promise<string[]> {
  const [row] = await deployment
    .sql`select sum(event_sequence)::int as events from gold.account where client_id <> 0`;
  return row!.events === events ? [] : [`${row!.events} events were committed, but partners read ${events}`];
}

/** Describes how the deliveries were answered, and how often an event arrived again after it was accepted. */
export async function describeArrivals({ deployment }: Setup, arrivals: readonly Arrival[]): Promise<string> {
  const ways = byFrequency(countEach(arrivals.map(({ way }) => way)));
  const [row] = await deployment.sql`select count(*)::int as attempts from gold.attempt`;
  const again = countAgain(arrivals);
  return `${arrivals.length} deliveries (${tallyText(ways)}), ${again} of them repeated an accepted event, ` +
    `${row!.attempts} attempts recorded`;
}

/**
 * Counts events that arrived again after they were accepted. A delivery whose answer was cut does not count
 * as accepted, because the sender may not have the answer and must then send the event again.
 */
export function countAgain(arrivals: readonly Arrival[]): number {
  const heard = new Set<string>();
  let again = 0;
  for (const { id, accepted, way } of arrivals) {
    if (heard.has(id)) again++;
    else if (accepted && way !== "cut within the answer") heard.add(id);
  }
  return again;
}
