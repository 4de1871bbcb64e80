import type { Query } from "../query.ts";
import type { Row as SqlRow } from "postgres";
import type { Row } from "../command.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import { uuidOf } from "../values.ts";
import type { KeptRequest } from "./requests.ts";

/** A page of a list. `next` continues it, and is undefined at its end. */
export interface Page {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

interface PageOptions {
  /** The partner's id; of all partners without it. */
  readonly partner?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  readonly most: number;
}

const ORDER_CURSOR = /^([0-9]{1,15})_([0-9]{1,9})_([0-9]{1,18})$/;

/** Reads executed orders, newest first. */
export async function pageOrders(
  query: Query,
  { partner, after, most, since }: PageOptions & { readonly since?: string | undefined },
): Promise<Page> {
  const [, ms, client, sequence] = after === undefined ? [] : ORDER_CURSOR.exec(after) ?? [];
  if (after !== undefined && ms === undefined) throw unknownPage(after);
  const at = ms === undefined ? null : new Date(Number(ms)).toISOString();
  const rows = await query`
    select executed_at, client, sequence::text, client_id, name, record from gold.page_orders(${
    partner ?? null
  }, ${since ?? null}::text::timestamptz,
      ${at}::text::timestamptz, ${client ?? null}::text::int, ${sequence ?? null}::text::bigint, ${
    most + 1
  }::int)`;
  return pageOf(
    rows.map((row) => ({
      row: rowOf(row),
      key: `${row.executed_at.getTime()}_${row.client}_${row.sequence}`,
    })),
    most,
  );
}

/** Reads quotes, newest first. */
export async function pageQuotes(query: Query, { partner, after, most }: PageOptions): Promise<Page> {
  const below = after === undefined ? null : uuidOf("page", "", after);
  const rows = await query`
    select id, client_id, name, record from gold.page_quotes(${partner ?? null}, ${below}::text::uuid, ${
    most + 1
  }::int)`;
  return pageOf(rows.map((row) => ({ row: rowOf(row), key: row.id })), most);
}

const rowOf = ({ client_id, name, record }: SqlRow): Row => ({ client_id, name, ...record });

function pageOf(read: readonly { readonly row: Row; readonly key: string }[], most: number): Page {
  const shown = read.slice(0, most);
  return { rows: shown.map(({ row }) => row), next: read.length > most ? shown.at(-1)!.key : undefined };
}

const unknownPage = (after: string): Failure => usage(`--after must be the next of a page; got ${after}.`);

/** An order or a quote with all that belongs to it, as gold.trace_order returns it. */
export interface Trace {
  readonly client_id: string;
  readonly name: string;
  readonly quote: Row;
  readonly price: Row | null;
  readonly order: Row | null;
  readonly request: KeptRequest | null;
  readonly postings: readonly Row[];
  readonly event: Row | null;
  readonly deliveries: readonly Row[];
  readonly attempts: readonly Row[];
  readonly chain: Row | null;
}

/** Finds an order or a quote. Both have the same UUID. */
export async function traceOrder(query: Query, id: string): Promise<Trace> {
  const [noun, prefix] = id.startsWith("qt_") ? ["quote", "qt_"] : ["order", "ord_"];
  const [row] = await query`select gold.trace_order(${uuidOf(noun, prefix, id)}::uuid) as trace`;
  const trace: Trace | null = row!.trace;
  if (trace && (noun === "quote" || trace.order)) return trace;
  const unexecuted = trace ? `: its quote qt_${id.slice(prefix.length)} was not executed` : "";
  throw new Failure(EXIT.refused, "not_found", `There is no ${noun} ${id}${unexecuted}.`);
}
