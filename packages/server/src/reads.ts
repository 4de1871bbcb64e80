import type { Sql } from "postgres";

interface Balances {
  readonly sarAvailable: bigint;
  readonly sarHeld: bigint;
  readonly gold: bigint;
  readonly asOf: Date;
}

interface Price {
  readonly source: string;
  readonly mid: bigint;
  readonly buy: bigint;
  readonly sell: bigint;
  readonly spreadBasisPoints: number;
  readonly asOf: Date;
  readonly tickedAt: string;
  readonly stale: boolean;
}

/** What is read without a write: views, never tables. */
export interface Reads {
  balances(client: number): Promise<Balances>;
  price(): Promise<Price>;
  /** Whether the database answers. */
  ping(): Promise<void>;
}

export function openReads(sql: Sql): Reads {
  return {
    async balances(client) {
      const [row] = await sql`
        select sar_available::text, sar_held::text, gold::text, as_of from gold.client_balance
        where bucket = ${client % 64} and client_id = ${client}`;
      if (!row) throw new Error(`client ${client} has no account`);
      return {
        sarAvailable: BigInt(row.sar_available),
        sarHeld: BigInt(row.sar_held),
        gold: BigInt(row.gold),
        asOf: row.as_of,
      };
    },
    async price() {
      const [row] = await sql`
        select source, mid::text, buy::text, sell::text, spread_basis_points, as_of, ticked_at::text, stale from gold.current_price`;
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
      };
    },
    async ping() {
      await sql`select 1`;
    },
  };
}
