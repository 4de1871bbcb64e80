import type { Query } from "../database/query.ts";
import { PriceMinutes } from "./price_minutes.ts";
import { sinceEpoch } from "./since_epoch.ts";

export interface Price {
  readonly buy: bigint;
  readonly sell: bigint;
  readonly asOf: Date;
  readonly stale: boolean;
  readonly marketOpen: boolean;
}

interface MarketHours {
  /** How many seconds a quote is firm, as text. Undefined if no price was ever set. */
  readonly quoteTtlSeconds: string | undefined;
  readonly alwaysOpen: boolean;
  /** In Riyadh time, as `09:00`; day 0 is Sunday. Empty if the market is always or never open. */
  readonly sessions: readonly { readonly day: number; readonly opens: string; readonly closes: string }[];
}

/** Reads of the market and the reserves. Except for simulatedPrice(), they are the same for every partner. */
export interface MarketReads {
  /** Undefined if no price was ever set. */
  price(): Promise<Price | undefined>;
  /** The price for a partner of the sandbox that has simulations. */
  simulatedPrice(client: number): Promise<Price | undefined>;
  /** The prices of the last 24 hours. */
  priceMinutes(): ReturnType<PriceMinutes["read"]>;
  marketHours(): Promise<MarketHours>;
  /** The published reply, as JSON text. Null if none was published and the database accepts no writes. */
  reserves(): Promise<string | null>;
  /** A list of bars, as JSON text. Undefined if there is no list with this number. */
  reservesList(list: string): Promise<string | undefined>;
  /** The list of bars in force at an instant. Undefined for an instant before the first list. */
  reservesAt(at: string): Promise<ListedReserves | undefined>;
}

export interface ListedReserves {
  /** The number of the list, as text. */
  readonly list: string;
  /** In 0.0001 g. */
  readonly fine: bigint;
}

export function openMarketReads(sql: Query): MarketReads {
  const minutes = new PriceMinutes(sql);
  return {
    priceMinutes: () => minutes.read(),
    async price() {
      const rows = await sql<PriceRow[]>`
        select buy::text, sell::text, as_of, stale, market_open
        from gold.current_price`;
      return priceOf(rows);
    },
    async simulatedPrice(client) {
      const rows = await sql<PriceRow[]>`
        select buy::text, sell::text, as_of, stale, market_open
        from gold.read_simulated_price(${client})`;
      return priceOf(rows);
    },
    async marketHours() {
      const rows = await sql<HoursRow[]>`
        select p.quote_ttl_seconds::text, p.always_open, h.day, to_char(h.opens, 'HH24:MI') as opens, to_char(h.closes, 'HH24:MI') as closes
        from gold.current_price p left join gold.market_hours h on not p.always_open order by h.day, h.opens`;
      return {
        quoteTtlSeconds: rows[0]?.quote_ttl_seconds,
        alwaysOpen: rows[0]?.always_open ?? true,
        sessions: rows.flatMap(({ day, opens, closes }) => day === null ? [] : [{ day, opens, closes }]),
      };
    },
    async reserves() {
      const [row] = await sql<{ body: string | null }[]>`select gold.read_reserves() as body`;
      return row!.body;
    },
    async reservesList(list) {
      const [row] = await sql<
        { body: string | null }[]
      >`select gold.find_reserves_list(${list}::text::int) as body`;
      return row?.body ?? undefined;
    },
    async reservesAt(at) {
      const [row] = await sql<{ list: string; fine: string }[]>`
        select list::text, fine::text from gold.reserves_at(${sinceEpoch(at)}::text::timestamptz)`;
      return row && { list: row.list, fine: BigInt(row.fine) };
    },
  };
}

interface HoursRow {
  readonly quote_ttl_seconds: string;
  readonly always_open: boolean;
  readonly day: number | null;
  readonly opens: string;
  readonly closes: string;
}

interface PriceRow {
  readonly buy: string;
  readonly sell: string;
  readonly as_of: Date;
  readonly stale: boolean;
  readonly market_open: boolean;
}

const priceOf = ([row]: readonly PriceRow[]): Price | undefined =>
  row && {
    buy: BigInt(row.buy),
    sell: BigInt(row.sell),
    asOf: row.as_of,
    stale: row.stale,
    marketOpen: row.market_open,
  };
