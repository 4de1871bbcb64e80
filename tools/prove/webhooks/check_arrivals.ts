import type { Finding } from "../stage/report.ts";
import type { Trader } from "../stage/trader.ts";
import { byFrequency, countEach, tallyText, Wire } from "../stage/wire.ts";
import type { Endpoint } from "./receivers.ts";
import type { Arrival } from "./receivers_process.ts";
import type { Setup } from "./setup.ts";
import { type ListedEvent, readEvents } from "./listed_events.ts";

/** The state of all events so far. */
interface CheckedEvents extends Finding {
  /** The events that were parked because a receiver accepted no try, and their partners. */
  readonly parked: ReadonlyMap<string, Trader>;
}

/** The maximum number of parked events in the list. Every endpoint has fewer. */
const LISTED = "10000";

/**
 * Compares the events that the receiver of each endpoint got with the events that the partners and the operator
 * read. The receivers for which `acceptsAll` returns true accept every delivery.
 */
export async function checkArrivals(
  setup: Setup,
  arrivals: readonly Arrival[],
  tries: number,
  acceptsAll: (receiver: number) => boolean,
): Promise<CheckedEvents> {
  const { deployment, service, receivers } = setup;
  await deployment.renewTokens();
  const wire = await Wire.open(service.socket);
  const violations: string[] = [];
  const parked = new Map<string, Trader>();
  const endpoints = [...receivers.endpoints.values()];
  let [events, parkedDeliveries] = [0, 0];
  try {
    for (const trader of deployment.traders) {
      const listed = await readEvents(wire, trader);
      const own = endpoints.filter((endpoint) => endpoint.trader === trader);
      violations.push(...checkNumbers(trader, listed), ...checkTakers(trader, listed, own));
      for (const endpoint of own) {
        const { receiver, number } = endpoint;
        const refused = listed.filter(({ statuses }) => statuses.get(number) === "parked").map(({ id }) =>
          id
        );
        violations.push(
          ...checkDeliveries(endpoint, listed, arrivals.filter((arrival) => arrival.receiver === receiver)),
          ...await checkParked(setup, endpoint, refused, tries),
          ...(acceptsAll(receiver) && refused.length > 0
            ? [
              `${nameOf(endpoint)}: ${refused.length} events are parked, but its receiver accepts everything`,
            ]
            : []),
        );
        for (const id of refused) parked.set(id, trader);
        parkedDeliveries += refused.length;
      }
      events += listed.length;
    }
  } finally {
    wire.close();
  }
  violations.push(...await findUncounted(setup, events), ...await deployment.findDefects());
  return {
    what:
      `${events} events for ${endpoints.length} endpoints, ${parkedDeliveries} deliveries of ${parked.size} ` +
      "events parked",
    violations,
    parked,
  };
}

const nameOf = ({ trader, number }: Endpoint) => `endpoint ${number} of ${trader.clientId}`;

/** True if the endpoint gets the event. */
const takes = ({ types, addedAfter }: Endpoint, { type, sequence }: ListedEvent): boolean =>
  sequence > addedAfter && (types.length === 0 || types.includes(type) || type === "webhook.test");

function checkNumbers({ clientId }: Trader, listed: readonly ListedEvent[]): string[] {
  const at = listed.findIndex(({ sequence }, n) => sequence !== n + 1);
  return at < 0 ? [] : [`${clientId}: GET /v1/events returned no event with sequence number ${at + 1}`];
}

/** Checks that each event lists a delivery to each of the partner's endpoints that gets it, and to no other. */
function checkTakers(
  { clientId }: Trader,
  listed: readonly ListedEvent[],
  endpoints: readonly Endpoint[],
): string[] {
  return listed.flatMap((event) => {
    const expected = endpoints.filter((endpoint) => takes(endpoint, event)).map(({ number }) => number)
      .join();
    const actual = [...event.statuses.keys()].join();
    return actual === expected ? [] : [
      `${clientId} ${event.sequence}: its deliveries are to endpoints ${actual || "none"} instead of ${
        expected || "none"
      }`,
    ];
  });
}

/**
 * Checks that each delivery is signed with the endpoint's own secret and matches an event that the endpoint
 * gets, that it names the endpoint's event before it, and that each event was accepted or parked.
 */
function checkDeliveries(
  endpoint: Endpoint,
  listed: readonly ListedEvent[],
  arrivals: readonly Arrival[],
): string[] {
  const violations: string[] = [];
  const name = nameOf(endpoint);
  const taken = listed.filter((event) => takes(endpoint, event));
  const known = new Map(
    taken.map((event, n) => [event.id, { ...event, previous: taken[n - 1]?.sequence ?? null }]),
  );
  const accepted = new Set<string>();
  for (const { id, sequence, digest, previous, fault, accepted: isAccepted } of arrivals) {
    const event = known.get(id);
    if (fault !== undefined) violations.push(`${name}, event ${sequence}: ${fault}`);
    else if (event?.sequence !== sequence) {
      violations.push(
        `${name}: ${id} arrived as number ${sequence}, which matches none of the endpoint's events`,
      );
    } else if (event.digest !== digest) {
      violations.push(
        `${name}, event ${sequence}: the delivered bytes differ from the bytes that the partner reads`,
      );
    } else if (event.previous !== previous) {
      violations.push(
        `${name}, event ${sequence}: previous_sequence is ${
          previous === undefined ? "missing" : previous
        } instead of ${event.previous}`,
      );
    } else if (isAccepted) accepted.add(id);
  }
  for (const { id, sequence, statuses } of taken) {
    const expected = accepted.has(id) ? "delivered" : "parked";
    const status = statuses.get(endpoint.number);
    if (status !== expected) {
      violations.push(
        `${name}, event ${sequence}: its status is ${status}, but the receiver ${
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
  endpoint: Endpoint,
  parked: readonly string[],
  tries: number,
): Promise<string[]> {
  const { trader: { clientId }, number, id } = endpoint;
  const options = ["--endpoint", `${number}`, "--status", "parked", "--limit", LISTED];
  const list = await deployment.operator("event list", clientId, ...options);
  const { items } = list as { items: { event_id: string }[] };
  const listed = items.map(({ event_id }) => event_id).sort();
  const rows = await deployment.sql<{ sequence: string; made: number }[]>`
    select r.sequence, count(a.attempted_at)::int as made from gold.retry r
    left join gold.attempt a on a.client_id = r.client_id and a.sequence = r.sequence
    where r.client_id = ${id} and r.parked_at is not null group by r.sequence`;
  return [
    ...(listed.join() === parked.toSorted().join()
      ? []
      : [`${nameOf(endpoint)}: the operator's list of parked events differs`]),
    ...rows.filter(({ made }) => made < tries).map(({ sequence, made }) =>
      `${nameOf(endpoint)}, event ${sequence}: parked after ${made} of ${tries} tries`
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
 * Counts events that arrived again at an endpoint after it accepted them. A delivery whose answer was cut does
 * not count as accepted, because the sender may not have the answer and must then send the event again.
 */
export function countAgain(arrivals: readonly Arrival[]): number {
  const heard = new Set<string>();
  let again = 0;
  for (const { receiver, id, accepted, way } of arrivals) {
    const key = `${receiver} ${id}`;
    if (heard.has(key)) again++;
    else if (accepted && way !== "cut within the answer") heard.add(key);
  }
  return again;
}
