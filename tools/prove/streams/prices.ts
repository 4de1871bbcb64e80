import { setTimeout as sleep } from "node:timers/promises";
import { pricesFromMid } from "@gold-partner/protocol";
import type { Sql } from "postgres";
import { percentile } from "../../testing/statistics.ts";
import { addTo } from "../stage/wire.ts";
import type { FollowedStream, StreamHandlers } from "./followed_stream.ts";

const CHANGE_MS = 250;
/** How long the service pauses between two prices of a stream. */
const PAUSE_MS = 250;
/** A stream may show a price for this long after a newer one was committed. */
export const SHOWN_MS = 500;
/** The first mid price, in pips of 0.0001 SAR. Each change adds one pip, so no two percentages share a price. */
const FIRST_PIPS = 5_000_000n;
const SPREAD_BASIS_POINTS = 60n;
const PIPS_PER_SAR = 10_000;

/** Changes the price each CHANGE_MS, and remembers when each price was committed. */
export class ChangingPrice {
  /** By the number of the price, the monotonic time at which Postgres acknowledged its commit. */
  readonly committedMs: number[] = [];
  readonly #numbers = new Map<number, Map<number, number>>();
  readonly #done: Promise<void>;
  #on = true;

  /** `percents`: by how much the partners' own prices differ. */
  constructor(sql: Sql, percents: readonly number[]) {
    for (const percent of [0, ...percents]) this.#numbers.set(percent, new Map());
    this.#done = this.#repeat(sql);
    // stop() reports a failure.
    this.#done.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#on = false;
    await this.#done;
  }

  /** The number of the price that a partner with this percentage sees. Undefined if it was never its price. */
  numberOf(sar: number, percent: number): number | undefined {
    return this.#numbers.get(percent)!.get(Math.round(sar * PIPS_PER_SAR));
  }

  /** How many ms before `atMs` the next price was committed; 0 if it was not. */
  supersededMs(number: number, atMs: number): number {
    return Math.max(0, atMs - (this.committedMs[number + 1] ?? atMs));
  }

  async #repeat(sql: Sql): Promise<void> {
    for (let number = 0; this.#on; number++) {
      const pause = sleep(CHANGE_MS);
      const mid = FIRST_PIPS + BigInt(number);
      const { buyPricePips: buy, sellPricePips: sell } = pricesFromMid(mid, SPREAD_BASIS_POINTS);
      for (const [percent, numbers] of this.#numbers) numbers.set(raised(Number(buy), percent), number);
      await sql`update gold.price set mid = ${`${mid}`}, buy = ${`${buy}`}, sell = ${`${sell}`}`;
      this.committedMs.push(performance.now());
      await pause;
    }
  }
}

/** Rounded up, as the service rounds a simulated price. */
const raised = (pips: number, percent: number): number => Math.ceil(pips * (100 + percent) / 100);

/** What all streams of prices received. */
export class PriceTally {
  readonly delaysMs: number[] = [];
  /** How many streams ended for each reason; `broken` without a last message. */
  readonly ends = new Map<string, number>();
  readonly refusals = new Map<string, number>();
  readonly foreign: string[] = [];
  readonly old: string[] = [];
  oldestMs = 0;
  messages = 0;

  get percentiles(): string {
    return [0.5, 0.99, 1].map((share) => percentile(this.delaysMs, share).toFixed(0)).join(" / ");
  }

  get p99Ms(): number {
    return percentile(this.delaysMs, 0.99);
  }
}

/** Checks each message of one stream of prices. */
export class PriceWatch implements StreamHandlers {
  stream!: FollowedStream;
  readonly name: string;
  readonly percent: number;
  readonly hasShortToken: boolean;
  /** The reasons for which this stream ended, in order. */
  readonly reasons: (string | undefined)[] = [];
  /** When the stream last said that there is no fresh price. */
  unavailableAtMs = -Infinity;
  isOpen = false;
  readonly #price: ChangingPrice;
  readonly #tally: PriceTally;
  #shown: number | undefined;
  #readyMs = 0;

  constructor(
    name: string,
    percent: number,
    hasShortToken: boolean,
    price: ChangingPrice,
    tally: PriceTally,
  ) {
    this.name = name;
    this.percent = percent;
    this.hasShortToken = hasShortToken;
    this.#price = price;
    this.#tally = tally;
  }

  opened(atMs: number): void {
    this.isOpen = true;
    this.#readyMs = atMs;
  }

  message({ event, data }: { readonly event: string; readonly data: string }, atMs: number): void {
    const tally = this.#tally;
    tally.messages++;
    this.checkShown(atMs);
    if (event === "unavailable") {
      this.unavailableAtMs = atMs;
      this.#shown = undefined;
    } else {
      const { buy_price: sar } = JSON.parse(data) as { buy_price: number };
      const number = this.#price.numberOf(sar, this.percent);
      if (number === undefined) {
        tally.foreign.push(`${this.name}, whose prices are ${this.percent} % higher, got ${data}`);
      } else if (number !== this.#shown) {
        const committedMs = this.#price.committedMs[number] ?? atMs;
        const dueMs = Math.max(committedMs, this.#readyMs);
        // A price from before the last `unavailable` could not be read earlier.
        if (committedMs > this.unavailableAtMs) tally.delaysMs.push(Math.max(0, atMs - dueMs));
        this.#shown = number;
        this.checkShown(atMs);
      }
    }
    this.#readyMs = atMs + PAUSE_MS;
  }

  ended(reason: string | undefined, atMs: number): void {
    this.checkShown(atMs);
    this.#shown = undefined;
    this.isOpen = false;
    this.reasons.push(reason);
    addTo(this.#tally.ends, reason ?? "broken");
  }

  /** Checks for how long the price on display has not been the newest one. */
  checkShown(atMs: number): void {
    if (this.#shown === undefined) return;
    const ms = this.#price.supersededMs(this.#shown, atMs);
    this.#tally.oldestMs = Math.max(this.#tally.oldestMs, ms);
    if (ms > SHOWN_MS) this.#tally.old.push(`${this.name} showed an old price for ${ms.toFixed(0)} ms`);
  }
}
