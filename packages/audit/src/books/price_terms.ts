// Compares each price with the terms of a price.set and the band of a market.band in the audit trail.
import type { Findings } from "../findings.ts";
import type { Note } from "../registry/notes.ts";
import type { Row } from "../snapshot.ts";

const HOUR_MS = 3_600_000;

/** How far a price may be from the one before it and from those of the last hour, in basis points. */
interface Band {
  readonly step: number;
  readonly hour: number;
  /** Whether `hour` also bounds the rises and the falls of an hour. A band of 0.5.0 did not. */
  readonly swings: boolean;
}

/** Consecutive prices with the same mid price, of which the oldest counts for the hour. */
interface Run {
  readonly mid: number;
  storedAt: number;
}

/**
 * Checks the price history from the first audit row that names a price. Audit rows of 0.4.0 name none, and
 * 0.4.0 had no band. The band is judged as refuse_outside_band() of the database judges it.
 */
export class PriceTerms {
  readonly #findings: Findings;
  /** The audit rows of each price. */
  readonly #notes = new Map<unknown, Note[]>();
  /** The mid prices that two people approved, by proposal. */
  readonly #approved: ReadonlyMap<unknown, unknown>;
  /** The price.set that is in force. */
  #terms: Note | undefined;
  #isNoted = false;
  #band: Band | undefined;
  /** The prices with which the band compares. */
  #runs: Run[] = [];
  #last: Row;
  /** Where the breaker's comparison begins. Undefined after a market.open of 0.5.0, which names no row. */
  #watchedFrom: unknown;
  #bandFrom: unknown = 1;

  constructor(findings: Findings, notes: readonly Note[], proposals: readonly Row[]) {
    this.#findings = findings;
    const approved = proposals.filter(({ kind, state }) => kind === "price.set" && state === "approved");
    this.#approved = new Map(approved.map(({ id, content }) => [id, JSON.parse(content)?.mid]));
    for (const note of notes) {
      if (/^(price\.set|market\.open)$/.test(note.action)) this.#watchedFrom = note.detail.price_id;
      if (note.action !== "price.set" && note.action !== "market.band") continue;
      const id = note.detail.price_id;
      if (id !== undefined) this.#notes.set(id, [...this.#notes.get(id) ?? [], note]);
      else if (this.#notes.size === 0 && note.action === "price.set") this.#terms = note;
    }
  }

  /** Checks the next row of the price history. */
  check(row: Row): void {
    const notes = this.#notes.get(Number(row.id)) ?? [];
    const set = notes.find(({ action }) => action === "price.set");
    if (set) this.#terms = set;
    if (set || this.#isNoted) {
      this.#checkTerms(row, set);
      if (this.#band && isGiven(row)) this.#checkBand(row, this.#band, set);
    }
    for (const { action, detail } of notes) {
      this.#isNoted = true;
      if (action === "market.band") this.#setBand(row, detail);
    }
    this.#last = row;
  }

  /** The columns of the current price that follow from the audit trail. Call it after the last row. */
  columns(): Readonly<Record<"watched_from" | "band_from", unknown>> {
    return { watched_from: this.#watchedFrom, band_from: this.#bandFrom };
  }

  #checkTerms(row: Row, set: Note | undefined): void {
    const { subject, detail } = this.#terms ?? {};
    if (detail) {
      const expected = `${subject} ${detail.spread_basis_points} ${detail.stale_after_seconds}`;
      const found = `${row.source} ${row.spread_basis_points} ${row.stale_after_seconds}`;
      this.#expect(row, "terms", expected, found);
    }
    // A fixed price is stored again when the clock stepped back.
    const named = set?.detail ?? (row.source === "fixed" ? this.#last : undefined);
    if (named) this.#expect(row, "price", pricesOf(named), pricesOf(row));
  }

  #checkBand(row: Row, band: Band, set: Note | undefined): void {
    const spread = BigInt(row.spread_basis_points);
    const buy = (row.mid * (20_000n + spread) + 19_999n) / 20_000n;
    const sell = row.mid * (20_000n - spread) / 20_000n;
    this.#expect(row, "price", pricesOf({ mid: row.mid, buy, sell }), pricesOf(row));
    const run: Run = { mid: Number(row.mid), storedAt: row.stored_at };
    const last = this.#runs.at(-1);
    if (set && this.#approved.get(set.detail.proposal) === `${row.mid}`) {
      this.#runs = [run];
      this.#bandFrom = row.id;
    } else if (last?.mid === run.mid) last.storedAt = Math.min(last.storedAt, run.storedAt);
    else {
      const oldest = this.#compare(row, run, band);
      if (band.swings && oldest !== undefined) this.#checkSwings(row, oldest, band);
      this.#runs.push(run);
    }
  }

  /**
   * Compares with the price before, and with those of the last hour. Forgets the older ones. Returns the
   * oldest price of the hour, or undefined after a finding.
   */
  #compare(row: Row, { mid, storedAt }: Run, { step, hour }: Band): number | undefined {
    for (let at = this.#runs.length - 1, limit = step; at >= 0; at--, limit = hour) {
      const earlier = this.#runs[at]!;
      if (Math.abs(mid - earlier.mid) * 10_000 > earlier.mid * limit) {
        this.#expect(row, "mid", `within ${limit} basis points of ${earlier.mid}, or approved`, mid);
        return undefined;
      }
      if (earlier.storedAt <= storedAt - HOUR_MS) {
        this.#runs.splice(0, at);
        break;
      }
    }
    return this.#runs[0]?.mid;
  }

  /** Adds up the rises and the falls of more than the spread, from the newest price to the oldest. */
  #checkSwings(row: Row, oldest: number, { hour }: Band): void {
    let low = Number(row.mid);
    let high = low;
    const spread = Number(row.spread_basis_points);
    const turns = (from: number, to: number) => (to - from) * 10_000 > from * spread;
    let isRise: boolean | undefined;
    const sums = { rises: 0, falls: 0 };
    const add = () => {
      if (isRise !== undefined) sums[isRise ? "rises" : "falls"] += high - low;
    };
    for (let at = this.#runs.length - 1; at >= 0; at--) {
      const { mid } = this.#runs[at]!;
      if (isRise === undefined) {
        [low, high] = [Math.min(low, mid), Math.max(high, mid)];
        if (turns(low, high)) isRise = mid === low;
      } else if (isRise ? turns(low, mid) : turns(mid, high)) {
        add();
        if (isRise) high = mid;
        else low = mid;
        isRise = !isRise;
      } else if (isRise) low = Math.min(low, mid);
      else high = Math.max(high, mid);
    }
    add();
    for (const [name, sum] of Object.entries(sums)) {
      if (sum * 10_000 > oldest * hour) {
        this.#expect(
          row,
          "mid",
          `${name} of an hour within ${hour} basis points of ${oldest}, or approved`,
          sum,
        );
      }
    }
  }

  /**
   * A new band compares with the current price and later ones. A changed band compares with the same prices.
   */
  #setBand(row: Row, detail: Note["detail"]): void {
    const { step_basis_points: step, hour_basis_points: hour, swings = false } = detail;
    if (!this.#band) this.#bandFrom = row.id;
    if (step === null || hour === null) this.#band = undefined;
    else {
      if (!this.#band) this.#runs = isGiven(row) ? [{ mid: Number(row.mid), storedAt: row.stored_at }] : [];
      this.#band = { step, hour, swings };
    }
  }

  #expect(row: Row, column: string, expected: unknown, found: unknown): void {
    this.#findings.expect("price_is_allowed", `price_history ${row.id} ${column}`, expected, found);
  }
}

const pricesOf = ({ mid, buy, sell }: Row): string => `mid ${mid}, buy ${buy}, sell ${sell}`;

/** Whether this is a price: an http source that has given none yet has a placeholder, which is stale. */
const isGiven = ({ source, as_of }: Row): boolean => source !== "http" || as_of > 0;
