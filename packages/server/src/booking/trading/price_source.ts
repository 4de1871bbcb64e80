/** The price as it stands in the books. */
export interface StandingPrice {
  readonly source: string;
  readonly url: string | null;
  readonly midPips: bigint;
  readonly spreadBasisPoints: bigint;
  /** Undefined where this source has not given a price yet. */
  readonly asOf: Date | undefined;
}

export interface SourcePrice {
  readonly midPips: bigint;
  /** Of which instant the source says that its price is, in the one spelling of an instant; null where it does not say. */
  readonly asOf: string | null;
}

/** Where the next price comes from. Whoever uses it adds the spread and writes it down. */
export interface PriceSource {
  /** Undefined where the price stands as it is; a SourceError where there should be one and is not. */
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

/** The operator's own word: it stays until the operator says another. */
export const fixedSource: PriceSource = { next: () => Promise.resolve(undefined) };
