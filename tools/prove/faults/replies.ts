import { GRAM_DECIMALS, parseSignedDecimal, SAR_DECIMALS } from "@gold-partner/protocol";
import type { Reply } from "../stage/wire.ts";
import type { Amounts } from "./history.ts";

/** What a write can book. Replies, lists and types of events are named after it. */
export type Booked = "order" | "funding" | "withdrawal";

/** The events of the workload. Others, such as the end of a day, may occur at any time. */
const EVENTS = ["order.executed", "funding.completed", "withdrawal.created"];

export const bodyOf = ({ body }: Reply): unknown => JSON.parse(body);

export const halalas = (sar: number | string): number => Number(parseSignedDecimal(`${sar}`, SAR_DECIMALS));

export const tenthMilligrams = (grams: number | string): number =>
  Number(parseSignedDecimal(`${grams}`, GRAM_DECIMALS));

/** Reads the `balances` of a reply to a write, or the reply of GET /v1/balances. */
export function balancesOf(body: unknown): Amounts {
  const { sar, gold } = body as { sar: { available: number; held: number }; gold: { grams: number } };
  return { available: halalas(sar.available), held: halalas(sar.held), gold: tenthMilligrams(gold.grams) };
}

/** Returns the ids of what the events booked, and whether there are more events. */
export function eventsOf(reply: Reply): { readonly ids: string[]; readonly more: boolean } {
  const { items, next_cursor } = bodyOf(reply) as {
    items: { type: string; data: Record<string, Record<string, string>> }[];
    next_cursor: number | null;
  };
  const ids = items.filter(({ type }) => EVENTS.includes(type)).map(({ type, data }) => {
    const [booked] = type.split(".");
    return data[booked!]![`${booked}_id`]!;
  });
  return { ids, more: next_cursor !== null };
}
