import { createHash } from "node:crypto";
import { ask, type Trader } from "../stage/trader.ts";
import { requireReply, type Wire } from "../stage/wire.ts";

/** An event as GET /v1/events lists it. */
export interface ListedEvent {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  /**
   * SHA-256 of the event's bytes without its `delivery` member. These are the bytes that a webhook carries,
   * without its `previous_sequence` and `client_id`.
   */
  readonly digest: string;
  /** The status of the delivery to each endpoint, by the endpoint's number. */
  readonly statuses: ReadonlyMap<number, string>;
}

const PAGE = 200;
const ITEM =
  /(\{"type":"[a-z._]+","id":"evt_[0-9a-f-]{36}","sequence":[0-9]+,.*?"chain_head":"[0-9a-f]{64}"\}),"delivery":\{"status"/g;

interface Item extends Pick<ListedEvent, "id" | "sequence" | "type"> {
  readonly deliveries: readonly { readonly endpoint: number; readonly status: string }[];
}

/** Reads all events of a partner from GET /v1/events, oldest first. */
export async function readEvents(wire: Wire, trader: Trader): Promise<ListedEvent[]> {
  const events: ListedEvent[] = [];
  for (let after: string | null = ""; after !== null;) {
    const reply = await wire.send(trader.read(`/v1/events?limit=${PAGE}${after && `&after=${after}`}`));
    const { body: page } = requireReply("reading the events", reply, 200);
    const { items, next_cursor } = JSON.parse(page) as { items: Item[]; next_cursor: string | null };
    const bodies = [...page.matchAll(ITEM)].map(([, body]) => body!);
    if (bodies.length !== items.length) {
      throw new Error(`${items.length} events in a page, but only ${bodies.length} in a known form`);
    }
    events.push(...items.map(({ id, sequence, type, deliveries }, n) => ({
      id,
      sequence,
      type,
      digest: createHash("sha256").update(`${bodies[n]}}`).digest("base64"),
      statuses: new Map(deliveries.map(({ endpoint, status }) => [endpoint, status])),
    })));
    after = next_cursor;
  }
  return events;
}

/** Sends a POST with an empty body, as the partner. */
export async function post(socketPath: string, trader: Trader, path: string): Promise<void> {
  await trader.renewToken(socketPath);
  requireReply(path, await ask(socketPath, trader.unsigned(path, new Uint8Array())));
}
