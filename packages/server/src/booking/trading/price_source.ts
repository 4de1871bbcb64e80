/** The current price in the database. */
export interface StandingPrice {
  readonly source: string;
  readonly url: string | null;
  readonly midPips: bigint;
  readonly spreadBasisPoints: bigint;
  /** Undefined if this source has not given a price yet. */
  readonly asOf: Date | undefined;
}

export interface SourcePrice {
  readonly midPips: bigint;
  /** The time that the source states for its price, as RFC 3339 with milliseconds; null if it states none. */
  readonly asOf: string | null;
}

/** Gives the next mid price. The price ticker adds the spread and stores the price. */
export interface PriceSource {
  /** Undefined if the price does not change. Throws a SourceError if the source fails to give a price. */
  next(standing: StandingPrice, stop: AbortSignal): Promise<SourcePrice | undefined>;
}

/** Why a source gave no price; `reason` goes to the log and to a metric's label. */
export class SourceError extends Error {
  override readonly name: string = "SourceError";
  readonly reason: string;

  constructor(reason: string) {
    super(`The price source gave no price: ${reason}.`);
    this.reason = reason;
  }
}

/** A price that an operator set. It does not change until an operator sets another one. */
export const fixedSource: PriceSource = { next: () => Promise.resolve(undefined) };
