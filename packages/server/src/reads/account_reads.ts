import type { POSTING_TEXTS, statementReply } from "@gold-partner/protocol";
import type { Query } from "../database/query.ts";
import { sinceEpoch } from "./since_epoch.ts";

/** In minor units: SAR in halalas, gold in 0.0001 g. */
export interface Holdings {
  readonly sarAvailable: bigint;
  readonly sarHeld: bigint;
  readonly gold: bigint;
}

/** The events of a statement: numbers greater than `above`, up to and including `last`. */
export interface StatementRange {
  readonly above: bigint;
  readonly last: bigint;
  readonly opening: Holdings;
  readonly closing: Holdings;
}

type Cells = Record<keyof typeof statementReply.shape.postings.element.shape, string>;
type PartnerTextName = keyof typeof POSTING_TEXTS;

/**
 * The change of one account by one transfer. Every value is text; a number is its exact decimal text. A text
 * that the partner did not give is missing.
 */
export type StatementLine = Readonly<Omit<Cells, PartnerTextName> & Partial<Pick<Cells, PartnerTextName>>>;

/** A partner's limits, and how much of each is used. Grams are in 0.0001 g. A null limit does not apply. */
export interface PartnerLimits {
  readonly maximumOpenQuotes: bigint | null;
  readonly maximumOpenGrams: bigint | null;
  readonly maximumDailyRecords: bigint | null;
  readonly openQuotes: bigint;
  readonly openGrams: bigint;
  readonly records: bigint;
  readonly resetsAt: Date;
}

/**
 * The limits of a day and their use. Grams are in 0.0001 g, SAR in halalas. A null maximum does not apply.
 * `netBuys` and `netSells` are what today's orders and the open quotes use of the net position, and can be
 * negative.
 */
export interface DayLimits {
  readonly maximumWithdrawals: bigint | null;
  readonly maximumWithdrawn: bigint | null;
  readonly withdrawals: bigint;
  readonly withdrawn: bigint;
  readonly maximumNetGrams: bigint | null;
  readonly netBuys: bigint;
  readonly netSells: bigint;
  /** Null if the operator's exposure is unlimited. */
  readonly exposure: { readonly buy: boolean; readonly sell: boolean } | null;
  /** When the circuit breaker closed the market; null while it is open. */
  readonly haltedAt: Date | null;
  readonly resetsAt: Date;
}

/** Reads a partner's own account: balances, statement, limits and credentials. */
export interface AccountReads {
  balances(client: number): Promise<Holdings & { readonly asOf: Date }>;
  /** Undefined if `at` is in the future. */
  balancesAt(client: number, at: string): Promise<Holdings | undefined>;
  /** `from` and `to` are days in Riyadh, both included. */
  statementRange(client: number, from: string, to: string): Promise<StatementRange>;
  statementLines(client: number, above: bigint, last: bigint): Promise<readonly StatementLine[]>;
  /** Undefined for a partner without limits. */
  limits(client: number): Promise<PartnerLimits | undefined>;
  dayLimits(client: number): Promise<DayLimits>;
  /** What is registered for the client, as the text of a JSON object. */
  registered(client: number): Promise<string>;
  /** The reply's body, as JSON text. */
  credentials(client: number): Promise<string>;
  /** The newest requests for changes. The reply's body, as JSON text. */
  changes(client: number): Promise<string>;
  /** Undefined if the client has no such request. */
  change(client: number, uuid: string): Promise<string | undefined>;
  /** The reply's body, as JSON text. */
  chainKey(client: number): Promise<string>;
  /** The reply's body, as JSON text. Only the sandbox has simulations. */
  simulations(client: number): Promise<string>;
}

export function openAccountReads(sql: Query): AccountReads {
  return {
    async limits(client) {
      const [row] = await sql`
        select maximum_open_quotes::text, maximum_open_grams::text, maximum_daily_records::text, open_quotes::text, open_grams::text,
          records::text, resets_at
        from gold.read_limits(${client})`;
      return row && {
        maximumOpenQuotes: bigintOf(row.maximum_open_quotes),
        maximumOpenGrams: bigintOf(row.maximum_open_grams),
        maximumDailyRecords: bigintOf(row.maximum_daily_records),
        openQuotes: BigInt(row.open_quotes),
        openGrams: BigInt(row.open_grams),
        records: BigInt(row.records),
        resetsAt: row.resets_at,
      };
    },
    async dayLimits(client) {
      const [row] = await sql`
        select maximum_withdrawals::text, maximum_withdrawn::text, withdrawals::text, withdrawn::text, maximum_net_grams::text,
          net_buys::text, net_sells::text, limits_exposure, buys_open, sells_open, halted_at, resets_at
        from gold.read_day_limits(${client})`;
      return {
        maximumWithdrawals: bigintOf(row!.maximum_withdrawals),
        maximumWithdrawn: bigintOf(row!.maximum_withdrawn),
        withdrawals: BigInt(row!.withdrawals),
        withdrawn: BigInt(row!.withdrawn),
        maximumNetGrams: bigintOf(row!.maximum_net_grams),
        netBuys: BigInt(row!.net_buys),
        netSells: BigInt(row!.net_sells),
        exposure: row!.limits_exposure ? { buy: row!.buys_open, sell: row!.sells_open } : null,
        haltedAt: row!.halted_at,
        resetsAt: row!.resets_at,
      };
    },
    async balances(client) {
      const [row] = await sql`
        select available::text, held::text, gold::text, as_of from gold.balance_now(${client})`;
      return { ...holdingsOf([row!.available, row!.held, row!.gold]), asOf: row!.as_of };
    },
    async balancesAt(client, at) {
      const [row] = await sql`
        select available::text, held::text, gold::text from gold.balance_at(${client}, ${
        sinceEpoch(at)
      }::text::timestamptz)`;
      return row && holdingsOf([row.available, row.held, row.gold]);
    },
    async statementRange(client, from, to) {
      const [row] = await sql`
        select above::text, last::text, array_to_string(opening, ' ') as opening, array_to_string(closing, ' ') as closing
        from gold.statement_range(${client}, ${sinceEpoch(from)}::text::date, ${sinceEpoch(to)}::text::date)`;
      return {
        above: BigInt(row!.above),
        last: BigInt(row!.last),
        opening: holdingsOf(row!.opening.split(" ")),
        closing: holdingsOf(row!.closing.split(" ")),
      };
    },
    async statementLines(client, above, last) {
      const rows = await sql<{ line: StatementLine }[]>`
        select line from gold.list_postings(${client}, ${`${above}`}::text::bigint, ${`${last}`}::text::bigint) line`;
      return rows.map(({ line }) => line);
    },
    async credentials(client) {
      const [row] = await sql<{ body: string }[]>`select gold.read_credentials(${client}) as body`;
      return row!.body;
    },
    async registered(client) {
      const [row] = await sql<{ body: string }[]>`select gold.read_account(${client}) as body`;
      return row!.body;
    },
    async changes(client) {
      const [row] = await sql<{ body: string }[]>`select gold.list_changes(${client}) as body`;
      return row!.body;
    },
    async change(client, uuid) {
      const [row] = await sql<
        { body: string | null }[]
      >`select gold.find_change(${client}, ${uuid}::uuid) as body`;
      return row!.body ?? undefined;
    },
    async chainKey(client) {
      const [row] = await sql<{ body: string }[]>`select gold.read_chain_key(${client}) as body`;
      return row!.body;
    },
    async simulations(client) {
      const [row] = await sql<{ body: string }[]>`select gold.read_simulations(${client}) as body`;
      return row!.body;
    },
  };
}

const holdingsOf = ([available, held, gold]: readonly string[]): Holdings => ({
  sarAvailable: BigInt(available!),
  sarHeld: BigInt(held!),
  gold: BigInt(gold!),
});

const bigintOf = (text: string | null) => text === null ? null : BigInt(text);
