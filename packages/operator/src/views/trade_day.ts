import type { Query } from "../query.ts";

/** The trades of one minute. Gold is in 0.0001 g, SAR in halalas; SAR is what the partners paid and received. */
interface TradeMinute {
  /** Its beginning, in seconds since 1970. */
  readonly at: number;
  readonly orders: number;
  readonly bought: bigint;
  readonly sold: bigint;
  readonly sarIn: bigint;
  readonly sarOut: bigint;
}

/** How many orders one statement reads. It ends long before its time limit. */
const MOST_ORDERS = 100_000;
const HOUR_MS = 3_600_000;
/** A count may be used again for this many times as long as it took. */
const REUSE_FACTOR = 100;

/** The trades of all partners, and what each partner bought minus what it sold since the day began. */
export interface Trades {
  readonly minutes: readonly TradeMinute[];
  /** In 0.0001 g, by the partner's number. A partner without a trade has none. */
  readonly nets: ReadonlyMap<number, bigint>;
}

/** The open quotes of all partners, and the limit of the exposure. In 0.0001 g. */
export interface OpenQuotes {
  readonly maximum: string | null;
  readonly buys: string;
  readonly sells: string;
}

/**
 * The trades since one hour before a day's beginning, minute by minute. Each read adds what is new since the last
 * one, because no index has the orders of all partners by time. A day of a million orders takes some seconds once.
 */
export class TradeDay {
  #since = NaN;
  readonly #reached = new Map<number, string>();
  readonly #minutes = new Map<number, TradeMinute>();
  readonly #nets = new Map<number, bigint>();
  #reading: Promise<unknown> = Promise.resolve();
  #open: OpenQuotes | undefined;
  #openUntilMs = 0;

  /** Reads up to now. Reads at the same time wait for each other. */
  read(query: Query, since: Date): Promise<Trades> {
    const read = this.#reading.catch(() => {}).then(() => this.#read(query, since));
    this.#reading = read;
    return read;
  }

  /**
   * Counts the open quotes. Without a limit of the exposure, the database looks each quote up. With `mayBeOld`, uses
   * the last count again, so that a page that loads all the time costs the database at most 1 % of its time.
   */
  async countOpen(query: Query, mayBeOld = false): Promise<OpenQuotes> {
    const startMs = performance.now();
    if (mayBeOld && this.#open && startMs < this.#openUntilMs) return this.#open;
    const [row] = await query`select maximum::text, buys::text, sells::text from gold.open_exposures()`;
    const endMs = performance.now();
    this.#openUntilMs = endMs + REUSE_FACTOR * (endMs - startMs);
    return this.#open = row as OpenQuotes;
  }

  async #read(query: Query, since: Date): Promise<Trades> {
    if (since.getTime() !== this.#since) await this.#begin(query, since);
    for (let more = true; more;) {
      const [row] = await query`
        select gold.trades_after(${`{${[...this.#reached.keys()].join()}}`}::text::int[],
          ${`{${[...this.#reached.values()].join()}}`}::text::bigint[],
          ${since.toISOString()}::text::timestamptz, ${MOST_ORDERS}::int) as found`;
      const { found } = row!;
      for (const [client, sequence, net] of found.reached) {
        this.#reached.set(client, sequence);
        this.#nets.set(client, BigInt(net) + (this.#nets.get(client) ?? 0n));
      }
      for (const minute of found.minutes) this.#add(minute);
      more = found.more;
    }
    return { minutes: [...this.#minutes.values()].sort((a, b) => a.at - b.at), nets: this.#nets };
  }

  async #begin(query: Query, since: Date): Promise<void> {
    const from = new Date(since.getTime() - HOUR_MS).toISOString();
    const rows = await query`
      select client, sequence::text from gold.sequences_at(${from}::text::timestamptz - interval '1 millisecond')`;
    this.#reached.clear();
    this.#minutes.clear();
    this.#nets.clear();
    for (const { client, sequence } of rows) this.#reached.set(client, sequence);
    this.#since = since.getTime();
  }

  #add({ at, orders, bought, sold, sar_in, sar_out }: Readonly<Record<string, string | number>>): void {
    const known = this.#minutes.get(Number(at));
    this.#minutes.set(Number(at), {
      at: Number(at),
      orders: Number(orders) + (known?.orders ?? 0),
      bought: BigInt(bought!) + (known?.bought ?? 0n),
      sold: BigInt(sold!) + (known?.sold ?? 0n),
      sarIn: BigInt(sar_in!) + (known?.sarIn ?? 0n),
      sarOut: BigInt(sar_out!) + (known?.sarOut ?? 0n),
    });
  }
}
