import type { Query } from "../database/query.ts";

/** The first, highest, lowest and last price of a minute, in 0.0001 SAR per gram. */
export type Range = readonly [first: bigint, highest: bigint, lowest: bigint, last: bigint];

interface PriceMinute {
  /** The beginning, as replies write an instant, so that texts compare as instants. */
  readonly at: string;
  readonly buy: Range;
  readonly sell: Range;
}

interface MinuteRow {
  readonly at: string;
  /** No older minute is shown. */
  readonly oldest: string;
  readonly buy: readonly string[];
  readonly sell: readonly string[];
}

/**
 * The prices of the last 24 hours, minute by minute, the same for all partners. Each read adds what is new, because
 * the history can have several prices a second.
 */
export class PriceMinutes {
  readonly #sql: Query;
  #minutes: readonly PriceMinute[] = [];
  #reading: Promise<readonly PriceMinute[]> | undefined;

  constructor(sql: Query) {
    this.#sql = sql;
  }

  /** Reads up to now. Reads at the same time share one statement. */
  read(): Promise<readonly PriceMinute[]> {
    return this.#reading ??= this.#read().finally(() => this.#reading = undefined);
  }

  async #read(): Promise<readonly PriceMinute[]> {
    const known = this.#minutes.at(-1)?.at ?? null;
    const rows = await this.#sql<MinuteRow[]>`
      select at, oldest, to_json(buy::text[]) as buy, to_json(sell::text[]) as sell from gold.price_minutes(${known}::text::timestamptz)`;
    const fresh = rows.map(({ at, buy, sell }) => ({ at, buy: rangeOf(buy), sell: rangeOf(sell) }));
    const [{ at: from, oldest } = { at: "", oldest: "" }] = rows;
    const kept = this.#minutes.filter(({ at }) => at >= oldest && at < from);
    return this.#minutes = [...kept, ...fresh];
  }
}

const rangeOf = ([first, highest, lowest, last]: readonly string[]): Range => [
  BigInt(first!),
  BigInt(highest!),
  BigInt(lowest!),
  BigInt(last!),
];
