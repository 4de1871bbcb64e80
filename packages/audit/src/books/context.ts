import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";
import type { Notes } from "../registry/notes.ts";
import type { BarList } from "./bar_lists.ts";
import type { Prices } from "./prices.ts";
import type { Epochs } from "./epochs.ts";
import type { Position } from "./range.ts";
import type { Signatures } from "./signatures.ts";

/** The rows of one client that exist once. */
export interface Client {
  readonly account?: Row;
  readonly tail?: Row;
  readonly endpoint?: Row;
  /** The registered first webhook endpoint. */
  readonly receiver?: Row | undefined;
  readonly allowance?: Row;
  readonly publicId?: string;
  /** Hex. */
  readonly chainKey?: string;
}

/** What the rules of the books read besides their own rows. */
export interface Books {
  readonly sql: Connection;
  readonly findings: Findings;
  /** By `bucket client`. */
  readonly clients: ReadonlyMap<string, Client>;
  /** External checkpoints, by client number: sequence number to head. */
  readonly heads: ReadonlyMap<number, ReadonlyMap<bigint, string>>;
  readonly notes: Notes;
  /** When each payment batch was prepared, by its id. */
  readonly batches: ReadonlyMap<string, number>;
  readonly isSandbox: boolean;
  /** When the database was migrated to 0.4.0. -Infinity if it was created with 0.4.0 or later. */
  readonly migratedAt: number;
  readonly prices: Prices;
  readonly lists: readonly BarList[];
  readonly epochs: Epochs;
  readonly requests: RequestTerms;
  /** The database's clock at the beginning of the snapshot. */
  readonly now: number;
  /**
   * Events older than this instant have no attempts, because the partitions with their attempts were dropped.
   */
  readonly attemptsKeptSince: number;
  readonly totals: Totals;
}

/** What the rules of records and requests read besides the rows of a client. */
export interface RequestTerms {
  /**
   * After this instant, every order and withdrawal has a stored request. Infinity if no instant was recorded.
   */
  readonly keptSince: number;
  /** The largest number of stripes that the vault ever had. */
  readonly mostStripes: number;
  /** The public base URLs of this deployment, the current one first. */
  readonly baseUrls: readonly string[];
  readonly signatures: Signatures;
}

export interface Totals {
  /** The gold that clients hold. */
  clientGold: bigint;
  /** The gold that moved from the vault to clients, minus the gold that moved from clients to the vault. */
  sold: bigint;
  records: number;
  /**
   * Orders and withdrawals that a process of 0.3.0 booked after the migration: they have no signed request.
   */
  unsigned: number;
  /** Signatures that were verified. */
  verified: number;
}

export const clientKey = ({ bucket, client }: Position): string => `${bucket} ${client}`;
