import type { Query } from "../database/query.ts";

interface Price {
  readonly buy: bigint;
  readonly sell: bigint;
  readonly asOf: Date;
  readonly stale: boolean;
  readonly marketOpen: boolean;
}

interface MarketHours {
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
  marketHours(): Promise<MarketHours>;
  /** The published reply, as JSON text. Null if none was published and the database accepts no writes. */
  reserves(): Promise<string | null>;
}

export function openMarketReads(sql: Query): MarketReads {
  return {
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
      const rows = await sql<{ always_open: boolean; day: number | null; opens: string; closes: string }[]>`
        select p.always_open, h.day, to_char(h.opens, 'HH24:MI') as opens, to_char(h.closes, 'HH24:MI') as closes
        from gold.current_price p left join gold.market_hours h on not p.always_open order by h.day, h.opens`;
      return {
        alwaysOpen: rows[0]?.always_open ?? true,
        sessions: rows.flatMap(({ day, opens, closes }) => day === null ? [] : [{ day, opens, closes }]),
      };
    },
    async reserves() {
      const [row] = await sql<{ body: string | null }[]>`select gold.read_reserves() as body`;
      return row!.body;
    },
  };
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
