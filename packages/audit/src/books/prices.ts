// The history of prices: its hash chain, and the price that each quote must have.
import type { Findings } from "../findings.ts";
import { type Connection, Cursor, type Row } from "../snapshot.ts";
import { selectFrom } from "../tables.ts";
import { instantText, sha256 } from "../values.ts";
import type { PriceTerms } from "./price_terms.ts";

/**
 * The same value as the database's clock_tolerance(). Clocks differ, so an instant may be this much earlier
 * than one that it should follow.
 */
export const TOLERANCE_MS = 5_000;

interface Price {
  readonly buy: bigint;
  readonly sell: bigint;
  readonly storedAt: number;
  /** From this instant the price is stale. */
  readonly staleAt: number;
  readonly lifetimeMs: number;
}

/** Stores five numbers of each row in one array, to save memory: a source may give a price every second. */
export class Prices {
  readonly values: number[];
  /**
   * The newest row. `gold audit keys` writes it to a file. A later audit with `--keys` checks that the
   * history still contains it.
   */
  newest: { readonly id: string; readonly head: string } = { id: "0", head: "00".repeat(32) };

  constructor(values: number[] = []) {
    this.values = values;
  }

  add({ buy, sell, stored_at, as_of, stale_after_seconds, quote_ttl_seconds, source }: Row): void {
    const staleAt = source === "fixed" ? Infinity : as_of + stale_after_seconds * 1000;
    // The database limits prices to 999,999,999.
    this.values.push(Number(buy), Number(sell), stored_at, staleAt, quote_ttl_seconds * 1000);
  }

  find(id: bigint): Price | undefined {
    const at = Number(id - 1n) * 5;
    const [buy, sell, storedAt, staleAt, lifetimeMs] = this.values.slice(at, at + 5);
    if (at < 0 || buy === undefined) return undefined;
    return {
      buy: BigInt(buy),
      sell: BigInt(sell!),
      storedAt: storedAt!,
      staleAt: staleAt!,
      lifetimeMs: lifetimeMs!,
    };
  }
}

export async function readPrices(
  sql: Connection,
  findings: Findings,
  current: readonly Row[],
  kept: { readonly id: string; readonly head: string } | undefined,
  terms: PriceTerms,
): Promise<Prices> {
  const prices = new Prices();
  const cursor = await Cursor.open(sql, "audit_prices", selectFrom("price_history", "order by id"));
  let [number, head]: [bigint, string] = [0n, "00".repeat(32)];
  let keptFound: string | undefined;
  let last: Row | undefined;
  while (cursor.row) {
    const { row } = cursor;
    findings.expect("price_is_recorded", `price_history ${row.id} id`, ++number, row.id);
    const line = [
      1,
      row.id,
      row.source,
      row.mid,
      row.buy,
      row.sell,
      row.spread_basis_points,
      row.stale_after_seconds,
      row.quote_ttl_seconds,
      row.as_of,
      row.stored_at,
    ].join("|");
    const hash = sha256(Buffer.from(head, "hex"), line).toString("hex");
    findings.expect("price_is_recorded", `price_history ${row.id}`, hash, row.hash);
    head = row.hash;
    if (kept && `${row.id}` === kept.id) keptFound = row.hash;
    prices.add(row);
    terms.check(row);
    last = row;
    await cursor.advance();
  }
  await cursor.close();
  prices.newest = { id: `${number}`, head };
  if (kept && kept.id !== "0") {
    findings.expect("head_is_kept", `price_history ${kept.id}`, kept.head, keptFound);
  }
  const texts = [last, current[0]].map((row) =>
    row &&
    [
      row.id,
      row.source,
      row.mid,
      row.buy,
      row.sell,
      row.spread_basis_points,
      row.stale_after_seconds,
      row.quote_ttl_seconds,
      instantText(row.as_of),
      instantText(row.stored_at),
    ].join(" ")
  );
  findings.expect("price_is_recorded", "price", texts[0], texts[1]);
  for (const [name, expected] of Object.entries(terms.columns())) {
    const from = current[0]?.[name];
    if (from === undefined) continue;
    if (expected !== undefined) {
      findings.expect("price_is_recorded", `price ${name}`, `${expected}`, `${from}`);
    } else if (from < 1n || from > number) {
      findings.add("price_is_recorded", `price ${name}`, `1 to ${number}`, from);
    }
  }
  return prices;
}

/**
 * Checks that the quote's price and expiry follow from the price row that it names, and from its simulation.
 */
export function checkQuotePrice(
  findings: Findings,
  prices: Prices,
  pricedSince: number,
  quote: Row,
  simulated: Row | undefined,
): void {
  const row = `quote ${quote.id}`;
  if (quote.price_id === null) {
    if (quote.created_at > pricedSince) findings.add("quote_has_price", row, "a price row", "none");
    if (simulated) findings.add("quote_has_price", `simulated_price ${quote.id}`, "nothing", "a row");
    return;
  }
  const price = prices.find(quote.price_id);
  if (!price) return findings.add("quote_has_price", row, `the price row ${quote.price_id}`, "nothing");
  const percent = 100n + BigInt(simulated?.percent ?? 0);
  const lowered = price.sell * percent / 100n;
  const unit = quote.side === "buy" ? (price.buy * percent + 99n) / 100n : lowered < 1n ? 1n : lowered;
  findings.expect("quote_has_price", `${row} price`, unit, quote.price);
  const end = quote.created_at + price.lifetimeMs;
  findings.expect("quote_has_price", `${row} expires_at`, instantText(end), instantText(quote.expires_at));
  const next = prices.find(quote.price_id + 1n)?.storedAt ?? Infinity;
  // If the next row was stored earlier, the clock stepped back, and the end of this row is unknown.
  const ended = next >= price.storedAt ? next + 2 * TOLERANCE_MS : Infinity;
  const stale = price.staleAt + TOLERANCE_MS;
  const until = ended < stale ? ended : stale;
  if (quote.created_at < price.storedAt - TOLERANCE_MS || quote.created_at > until) {
    const span = `${instantText(price.storedAt)} to ${instantText(until)}`;
    findings.add("quote_has_price", `${row} created_at`, span, instantText(quote.created_at));
  }
}
