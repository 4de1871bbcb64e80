import { randomBytes } from "node:crypto";
import {
  GOLD_MAX_TENTH_MILLIGRAMS,
  orderRequest,
  PROBLEM_REGISTRY,
  type ProblemCode,
  problemSchema,
  type QuoteRequest,
} from "@gold-partner/protocol";
import { assertEquals } from "@std/assert";
import type { ReservedSql, Sql } from "postgres";
import type { AdmittedWrite, SignedWrite } from "../admission/admitted_write.ts";
import type { StoredRequest } from "../admission/signature/stored_request.ts";
import { newUuid as newUuidAt } from "../operations/new_uuid.ts";
import { stamp } from "../admission/ticket.ts";
import { type FundingItem, sendFunding } from "./funding/book_funding.ts";
import type { BatchItem, Send, Sending } from "./batcher.ts";
import { type NonceItem, sendNonces } from "./nonce/spend_nonces.ts";
import type { Outcome } from "./outcome.ts";
import { type OrderItem, sendOrders } from "./trading/book_orders.ts";
import { type QuoteItem, sendQuotes } from "./trading/book_quotes.ts";
import {
  type CancellationItem,
  sendCancellation,
  sendWithdrawal,
  type WithdrawalItem,
} from "./withdrawal/book_withdrawal.ts";
import { until } from "../../../../tools/testing/until.ts";

/**
 * A fixture for tests of the books. It creates complete items, books single items, and reads the books as
 * plain rows.
 */

export const newUuid = (): string => newUuidAt({ now: Date.now, random: randomBytes });

/** `quote` is the uuid of a quote; null means a malformed quote_id. */
export function orderItem(client: number, quote: string | null, given: Partial<OrderItem> = {}): OrderItem {
  const asked = orderRequest.parse({ quote_id: `qt_${quote}` });
  return stamp<OrderItem>({ ...newSignedWrite(client), asked, ...given });
}

type Side = QuoteRequest["side"];

export const byGrams = (side: Side, goldTenthMilligrams: bigint): QuoteRequest => ({
  side,
  by: "grams",
  goldTenthMilligrams,
});

export const byAmount = (side: Side, amountHalalas: bigint): QuoteRequest => ({
  side,
  by: "amount",
  amountHalalas,
});

export function quoteItem(client: number, asked: QuoteRequest, given: Partial<QuoteItem> = {}): QuoteItem {
  const write = newWrite(client);
  const maximumTenthMilligrams = GOLD_MAX_TENTH_MILLIGRAMS;
  return stamp<QuoteItem>({ ...write, asked, maximumTenthMilligrams, id: newUuid(), ...given });
}

export function fundingItem(
  client: number,
  amountHalalas: bigint,
  given: Partial<FundingItem> = {},
): FundingItem {
  return stamp<FundingItem>({ ...newWrite(client), amountHalalas, id: newUuid(), ...given });
}

export function withdrawalItem(
  client: number,
  amountHalalas: bigint,
  { reference, ...given }: Partial<WithdrawalItem> & { readonly reference?: string | undefined } = {},
): WithdrawalItem {
  const write = newSignedWrite(client);
  return stamp<WithdrawalItem>({
    ...write,
    asked: { amountHalalas, reference },
    id: newUuid(),
    ...given,
  });
}

export const cancellationItem = (
  client: number,
  id: string | null,
  given: Partial<CancellationItem> = {},
): CancellationItem => stamp<CancellationItem>({ ...newSignedWrite(client), id, ...given });

export function nonceItem(client: number, given: Partial<NonceItem> = {}): NonceItem {
  const { admissionVersion, requestId } = newWrite(client);
  return { client, admissionVersion, requestId, nonce: newUuid(), ...given };
}

/** Tests of booking skip admission, so they mark their own writes as admitted. */
export const newWrite = (client: number): AdmittedWrite =>
  stamp<AdmittedWrite>({
    client,
    admissionVersion: "1",
    key: newUuid(),
    fingerprint: "0a".repeat(32),
    requestId: newUuid(),
  });

const newSignedWrite = (client: number): SignedWrite =>
  stamp<SignedWrite>({
    ...newWrite(client),
    nonce: newUuid(),
    signedRequest: stamp<StoredRequest>("a".repeat(250)),
    thumbprint: "0c".repeat(32),
  });

const WAITING: Sending = { wait: true, settle: false };

export const bookOrder = (sql: Sql, item: OrderItem, sending: Partial<Sending> = {}): Promise<Outcome> =>
  bookOne(sendOrders(sql), item, sending);
export const bookQuote = (sql: Sql, item: QuoteItem, sending: Partial<Sending> = {}): Promise<Outcome> =>
  bookOne(sendQuotes(sql), item, sending);
export const bookFunding = (sql: Sql, item: FundingItem, sending: Partial<Sending> = {}): Promise<Outcome> =>
  bookOne(sendFunding(sql), item, sending);
export const bookWithdrawal = (
  sql: Sql,
  item: WithdrawalItem,
  sending: Partial<Sending> = {},
): Promise<Outcome> => bookOne(sendWithdrawal(sql), item, sending);
export const cancelWithdrawal = (
  sql: Sql,
  item: CancellationItem,
  sending: Partial<Sending> = {},
): Promise<Outcome> => bookOne(sendCancellation(sql), item, sending);
export const spendNonce = (sql: Sql, item: NonceItem, sending: Partial<Sending> = {}): Promise<Outcome> =>
  bookOne(sendNonces(sql), item, sending);

async function bookOne<Item extends BatchItem>(
  send: Send<Item>,
  item: Item,
  sending: Partial<Sending>,
): Promise<Outcome> {
  const [outcome] = await send([item], { ...WAITING, ...sending });
  return outcome!;
}

/** An outcome as one text: the outcome, then the problem code or the HTTP status, such as "answered 201". */
export function wordOf({ outcome, status, body }: Outcome): string {
  if (body === null) return outcome;
  const { code } = JSON.parse(body) as { code?: string };
  return `${outcome} ${code ?? status}`;
}

/** Locks the client's account in a session of its own, until release() commits. */
export async function lockAccount(
  pool: Sql,
  client: number,
): Promise<{ readonly sql: ReservedSql; release(): Promise<void> }> {
  const sql = await pool.reserve();
  await sql`begin`;
  await sql`select from gold.account where client_id = ${client} for no key update`;
  return { sql, release: () => sql`commit`.then(() => sql.release()) };
}

/** Asserts that the outcome is this problem, with every member of the registry. Returns its other members. */
export function problemIn(
  { outcome, status, body }: Outcome,
  code: ProblemCode,
): { readonly detail: string; readonly request_id: string } {
  const { status: expected, title, retryable } = PROBLEM_REGISTRY[code];
  assertEquals([outcome, status], ["answered", expected]);
  const { detail, request_id, ...problem } = problemSchema.strict().parse(JSON.parse(body!));
  assertEquals(problem, { type: `/docs/errors#${code}`, title, status: expected, code, retryable });
  return { detail, request_id };
}

/**
 * Waits until this many sessions wait for a lock. A test calls it because a statement that was just sent may
 * not have reached the lock yet.
 */
export async function untilWaiting(sql: Sql, sessions = 1): Promise<void> {
  await until(async () => {
    const waiting = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length >= sessions;
  });
}

/** Inserts a quote of any age. The booking functions can make only new quotes. */
export async function plantQuote(
  sql: Sql,
  { client, side, grams, price, ageSeconds, madeAheadSeconds = 0, reference = null }: PlantedQuote,
): Promise<string> {
  const id = newUuid();
  const total = side === "buy" ? (grams * price + 999_999n) / 1_000_000n : grams * price / 1_000_000n;
  await sql`
    insert into gold.quote (bucket, client_id, side, id, grams, price, total, created_at, expires_at, reference)
    select ${
    client % 64
  }, ${client}, ${side}::gold.side, ${id}::uuid, ${`${grams}`}::text::bigint, ${`${price}`}::text::bigint,
      ${`${total}`}::text::bigint, least(at, clock_timestamp()) + make_interval(secs => ${madeAheadSeconds}::float8),
      at + make_interval(secs => 60 + ${madeAheadSeconds}::float8), ${reference}::text
    from (select clock_timestamp() - make_interval(secs => ${ageSeconds}::float8) as at) made`;
  return id;
}

export interface PlantedQuote {
  readonly client: number;
  readonly side: "buy" | "sell";
  /** In 0.0001 g. */
  readonly grams: bigint;
  /** In 0.0001 SAR per gram. */
  readonly price: bigint;
  readonly ageSeconds: number;
  readonly reference?: string | null;
  /**
   * Moves the quote's instants ahead by this much, as if the clock had stepped back after the quote was made.
   */
  readonly madeAheadSeconds?: number;
}

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
export const maskInstants = (text: string): string => text.replace(INSTANT, "<instant>");

const TABLES: Record<string, string> = {
  account: "to_jsonb(t) - 'last_posted_at' - 'closed_until'",
  vault: "to_jsonb(t)",
  quote: "to_jsonb(t) - 'created_at' - 'expires_at'",
  orders: "to_jsonb(t) - 'executed_at' - 'answer'",
  transfer: "to_jsonb(t) - 'posted_at'",
  funding: "to_jsonb(t) - 'created_at' - 'answer'",
  withdrawal: "to_jsonb(t) - 'created_at' - 'answer'",
  withdrawal_step: "to_jsonb(t) - 'at'",
  deposit: "to_jsonb(t) - 'recorded_at' - 'approved_at' - 'reversed_at'",
  event: "to_jsonb(t) - 'created_at'",
  idempotency_key: "to_jsonb(t) - 'created_at'",
  refusal: "to_jsonb(t) - 'created_at'",
  nonce: "to_jsonb(t)",
  allowance: "to_jsonb(t) - 'exact_until' - 'day_ends_at' - 'replays_paid_at'",
};

/**
 * Every row that a booking can write, without its instants and without answers, which are hashes of replies
 * with instants. Tests compare these rows. `gold ledger verify` checks the answers.
 */
export async function readBooks(sql: Sql): Promise<string[]> {
  const selects = Object.entries(TABLES).map(([table, row]) =>
    `select '${table} ' || (${row})::text as line from gold.${table} t`
  );
  const rows = await sql.unsafe<{ line: string }[]>(`${selects.join(" union all ")} order by line`);
  return rows.map(({ line }) => maskInstants(line));
}
