import { createHash } from "node:crypto";
import { ask, type Trader } from "../stage/trader.ts";
import { requireReply, type Wire } from "../stage/wire.ts";

/** An event as GET /v1/events lists it. */
export interface ListedEvent {
  readonly id: string;
  readonly sequence: number;
  /**
   * SHA-256 of the event's bytes without its `delivery` member. These are the bytes that a webhook carries.
   */
  readonly digest: string;
  readonly status: string;
}

const PAGE = 200;
const ITEM =
  /(\{"type":"[a-z._]+","id":"(evt_[0-9a-f-]{36})","sequence":([0-9]+),.*?"chain_head":"[0-9a-f]{64}"\}),"delivery":\{"status":"([a-z]+)"/g;

/** Reads all events of a partner from GET /v1/events, oldest first. */
export async function readEvents(wire: Wire, trader: Trader): Promise<ListedEvent[]> {
  const events: ListedEvent[] = [];
  for (let after: string | null = ""; after !== null;) {
    const reply = await wire.send(trader.read(`/v1/events?limit=${PAGE}${after && `&after=${after}`}`));
    const { body: page } = requireReply("reading the events", reply, 200);
    const { items, next_cursor } = JSON.parse(page) as { items: unknown[]; next_cursor: string | null };
    const listed = [...page.matchAll(ITEM)].map(([, body, id, sequence, status]) => ({
      id: id!,
      sequence: Number(sequence),
      digest: createHash("sha256").update(`${body}}`).digest("base64"),
      status: status!,
    }));
    if (listed.length !== items.length) {
      throw new Error(`${items.length} events in a page, but only ${listed.length} in a known form`);
    }
    events.push(...listed);
    after = next_cursor;
  }
  return events;
}

/** Sends a POST with an empty body, as the partner. */
export async function post(socketPath: string, trader: Trader, path: string): Promise<void> {
  await trader.renewToken(socketPath);
  requireReply(path, await ask(socketPath, trader.unsigned(path, new Uint8Array())));
}
