import type { ReservedSql, Sql } from "postgres";
import type { BatchItem, Send } from "../batcher.ts";
import type { Outcome } from "../outcome.ts";
import type { OrderItem } from "./book_orders.ts";
import {
  bookFunding,
  bookOrder,
  fundingItem,
  maskInstants,
  orderItem,
  plantQuote,
  readBooks,
} from "../fixture.ts";

/** A fixture for the property tests: small random books, and one batch that is booked on them in two ways. */

/** The numbers of the clients. Clients 64 and 128 share bucket 0 with the house account. */
export const CLIENTS = [1, 2, 63, 64, 65, 128] as const;
export const PRICE_PIPS = 3_210_000n;

export interface Holding {
  readonly grams: number;
  readonly halalas: number;
}

export interface QuoteDraw {
  readonly owner: number;
  readonly side: "buy" | "sell";
  readonly grams: number;
  readonly expired: boolean;
}

/** Numbers stand for ids: the same number is the same key, nonce, fingerprint or quote. */
export interface OrderDraw {
  readonly client: number;
  readonly key: number;
  readonly nonce: number;
  readonly fingerprint: number;
  /** An index into the quotes. An index beyond the end is an unknown quote; null is a malformed quote_id. */
  readonly quote: number | null;
  readonly stale: boolean;
}

export function uuidOf(kind: number, n: number): string {
  return `0000000${kind}-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

export function drawnOrder(draw: OrderDraw, n: number, quotes: readonly string[]): OrderItem {
  const quote = draw.quote === null ? null : quotes[draw.quote] ?? uuidOf(2, draw.quote);
  return orderItem(CLIENTS[draw.client]!, quote, {
    admissionVersion: draw.stale ? "2" : "1",
    nonce: uuidOf(1, draw.nonce),
    key: `key-${draw.key}`,
    fingerprint: `0${draw.fingerprint}`.repeat(32),
    requestId: uuidOf(3, n),
    asked: {
      quote_id: `qt_${quote}`,
      reference: draw.key % 2 === 0 ? `"R"\\ ${draw.key}` : undefined,
      account_label: draw.nonce % 2 === 0 ? `{م,${n}}` : undefined,
    },
  });
}

/** Creates clients with money and gold, and a bar that leaves `free` in the vault (0.0001 g). */
export async function stageHoldings(sql: Sql, holdings: readonly Holding[], free: number): Promise<void> {
  const fine = BigInt(free + holdings.reduce((sum, { grams }) => sum + grams, 0));
  const gross = (fine * 10_000n + 9_998n) / 9_999n;
  await sql`select gold.add_bar('BAR', 'Test', 'Test', ${`${gross}`}::text::bigint, 9999)`;
  for (const [index, { grams, halalas }] of holdings.entries()) {
    const client = CLIENTS[index]!;
    await sql`insert into gold.account (bucket, client_id) values (${client % 64}, ${client})`;
    const price = 10_000n;
    const cost = (BigInt(grams) * price + 999_999n) / 1_000_000n;
    if (cost + BigInt(halalas) > 0n) await bookFunding(sql, fundingItem(client, cost + BigInt(halalas)));
    if (grams === 0) continue;
    const quote = await plantQuote(sql, { client, side: "buy", grams: BigInt(grams), price, ageSeconds: 0 });
    const { status } = await bookOrder(sql, orderItem(client, quote));
    if (status !== 201) throw new Error(`client ${client} could not buy its gold`);
  }
}

export async function stageQuotes(sql: Sql, draws: readonly QuoteDraw[]): Promise<string[]> {
  const quotes: string[] = [];
  for (const { owner, side, grams, expired } of draws) {
    const terms = {
      client: CLIENTS[owner]!,
      side,
      grams: BigInt(grams),
      price: PRICE_PIPS,
      reference: `quote, ${grams}`,
    };
    // An open quote ends in an hour, so that it does not expire while a test runs.
    quotes.push(await plantQuote(sql, { ...terms, ageSeconds: expired ? 61 : -3600 }));
  }
  return quotes;
}

interface Books {
  readonly outcomes: readonly Outcome[];
  readonly rows: readonly string[];
  readonly defects: readonly string[];
}

export interface Staged<Item> {
  readonly history: readonly Item[];
  readonly batch: readonly Item[];
}

/**
 * Books the items one by one, rolls back, and books them as one batch on the same rows. The service's role
 * books the items, and the superuser stages and reads the rows. At the end, everything is rolled back.
 */
export async function bookBothWays<Item extends BatchItem>(
  sql: ReservedSql,
  send: (sql: Sql) => Send<Item>,
  stage: (sql: Sql) => Promise<Staged<Item>>,
): Promise<{ singly: Books; batched: Books }> {
  const sending = { wait: false, settle: false };
  const asService = async (run: () => Promise<Outcome[]>): Promise<Books> => {
    await sql`set local role gold_api`;
    const outcomes = await run();
    await sql`reset role`;
    const defects = await sql<
      { defect: string }[]
    >`select concat_ws(': ', rule, subject, detail) as defect from gold.verify_ledger()`;
    return {
      outcomes: outcomes.map(({ outcome, status, body }) => ({
        outcome,
        status,
        body: body && maskInstants(body).replace(/"reset_seconds" : \d+/, ""),
      })),
      rows: await readBooks(sql),
      defects: defects.map(({ defect }) => defect),
    };
  };
  const singly = async (items: readonly Item[]) => {
    const outcomes: Outcome[] = [];
    for (const item of items) outcomes.push(...await send(sql)([item], sending));
    return outcomes;
  };
  await sql`begin`;
  try {
    const { history, batch } = await stage(sql);
    await singly(history);
    await sql`savepoint twin`;
    const one = await asService(() => singly(batch));
    await sql`rollback to savepoint twin`;
    const two = await asService(() => send(sql)(batch, sending));
    return { singly: one, batched: two };
  } finally {
    await sql`rollback`;
  }
}
