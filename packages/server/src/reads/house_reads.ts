import type { Sql } from "postgres";

interface Price {
  readonly source: string;
  readonly mid: bigint;
  readonly buy: bigint;
  readonly sell: bigint;
  readonly spreadBasisPoints: number;
  readonly asOf: Date;
  readonly tickedAt: string;
  readonly stale: boolean;
  readonly url: string | null;
  readonly marketOpen: boolean;
}

interface MarketHours {
  readonly alwaysOpen: boolean;
  /** By the clock of Riyadh, as `09:00`; day 0 is Sunday. */
  readonly sessions: readonly { readonly day: number; readonly opens: string; readonly closes: string }[];
}

/** What is the same for every partner. */
export interface HouseReads {
  price(): Promise<Price>;
  marketHours(): Promise<MarketHours>;
  /** The reply's text. */
  reserves(): Promise<string>;
}

export function openHouseReads(sql: Sql): HouseReads {
  return {
    async price() {
      const [row] = await sql`
        select source, mid::text, buy::text, sell::text, spread_basis_points, as_of, ticked_at::text, stale, url, market_open
        from gold.current_price`;
      if (!row) throw new Error("no price has been set: run `gold price set`");
      return {
        source: row.source,
        mid: BigInt(row.mid),
        buy: BigInt(row.buy),
        sell: BigInt(row.sell),
        spreadBasisPoints: row.spread_basis_points,
        asOf: row.as_of,
        tickedAt: row.ticked_at,
        stale: row.stale,
        url: row.url,
        marketOpen: row.market_open,
      };
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
      const [row] = await sql<{ body: string }[]>`select gold.read_reserves() as body`;
      return row!.body;
    },
  };
}
