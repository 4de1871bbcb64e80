import { eventStreamQuery, REQUEST_HEADER, writeJson } from "@gold-partner/protocol";
import { admitCaller } from "../admission/admit_caller.ts";
import { readQuery, refuseQuery } from "../admission/query/read_query.ts";
import type { Partner } from "../admission/registry/snapshot.ts";
import type { Route } from "../http/context.ts";
import { Refusal } from "../http/refusal.ts";
import type { Price } from "../reads/market_reads.ts";
import { openFeed } from "../streams/feed.ts";
import type { Streams } from "../streams/streams.ts";
import type { Deps } from "./deps.ts";
import { describePrice } from "./market_route.ts";

/** The shortest time between two messages of a stream of prices. */
const PAUSE_MS = 250;
/** How many events one read returns at most. */
const EVENTS_MAX = 100;
const UNAVAILABLE = `event: unavailable\ndata: {"code":"price_unavailable"}\n\n`;

/** Sends the reply of GET /v1/prices when a member of it changes, and says when there is no fresh price. */
export function priceStreamRoute(deps: Deps, streams: Streams): Route {
  const { reads, monotonicMs } = deps;
  const read = async (partners: readonly Partner[]) => {
    const simulated = partners.filter(({ simulations }) => simulations);
    const [common, ...own] = await Promise.all([
      reads.price(),
      ...simulated.map(async ({ id }) => [id, messageOf(await reads.simulatedPrice(id))] as const),
    ]);
    const [message, messages] = [messageOf(common), new Map(own)];
    return ({ id }: Partner) => messages.get(id) ?? message;
  };
  const feed = openFeed(read, monotonicMs, UNAVAILABLE);
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    refuseQuery(c);
    return streams.open(c, partner, async function* (stream) {
      let sent: string | undefined;
      for (;;) {
        const pauseMs = sent === undefined ? 0 : PAUSE_MS;
        const message = await stream.next(feed, (message) => message !== sent, pauseMs);
        yield message;
        sent = message ?? sent;
      }
    });
  };
}

const messageOf = (price: Price | undefined): string =>
  !price || price.stale ? UNAVAILABLE : `data: ${writeJson(describePrice(price))}\n\n`;

/** Sends the caller's events without a gap, from the one after `after` or Last-Event-ID on, or from now on. */
export function eventStreamRoute(deps: Deps, streams: Streams): Route {
  const { reads, monotonicMs } = deps;
  const feed = openFeed(async (partners) => {
    const newest = await reads.newestEvents(partners.map(({ id }) => id));
    return ({ id }: Partner) => newest.get(id)!;
  }, monotonicMs);
  /** Streams that are up to date ask for the same events at the same time. */
  const reading = new Map<string, ReturnType<typeof reads.eventBodies>>();
  const eventsOf = (client: number, after: bigint) => {
    const key = `${client} ${after}`;
    let events = reading.get(key);
    if (!events) {
      events = reads.eventBodies(client, after, EVENTS_MAX).finally(() => reading.delete(key));
      reading.set(key, events);
    }
    return events;
  };
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    const { after } = readQuery(c, eventStreamQuery);
    const asked = readLastEventId(c.req.header(REQUEST_HEADER.lastEventId)) ?? after;
    const from = asked === undefined
      ? (await reads.newestEvents([partner.id])).get(partner.id)!
      : BigInt(asked);
    // The first read decides whether there is a stream, because a refusal after the status would look like a lost
    // connection: clients would open the stream again at once.
    let events = await eventsOf(partner.id, from);
    return streams.open(c, partner, async function* (stream) {
      // A caller that has no event yet must know where to go on after a break.
      yield `id: ${from}\n\n`;
      for (let at = from;; events = await eventsOf(partner.id, at)) {
        for (const { sequence, body } of events) yield `id: ${sequence}\ndata: ${body}\n\n`;
        at = BigInt(events.at(-1)?.sequence ?? at);
        if (events.length === EVENTS_MAX) continue;
        while (await stream.next(feed, (newest) => newest > at) === undefined) yield undefined;
      }
    });
  };
}

function readLastEventId(text: string | undefined): number | undefined {
  const { success, data } = eventStreamQuery.safeParse({ after: text });
  if (success) return data.after;
  throw new Refusal(
    "invalid_request",
    "Last-Event-ID must be the id of a message of this stream, a whole number.",
  );
}
