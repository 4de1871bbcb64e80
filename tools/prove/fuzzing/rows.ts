import { bindsKey, PROBLEM_REGISTRY, type ProblemCode } from "@gold-partner/protocol";
import type { Sql } from "postgres";
import type { Reply } from "../stage/wire.ts";

export type Path = "/v1/quotes" | "/v1/orders";

export interface Sent {
  readonly path: Path;
  readonly body: Uint8Array;
  readonly reply: Reply | undefined;
}

type Rows = Readonly<Record<"quote" | "orders" | "event" | "idempotency_key" | "nonce", number>>;

export async function countRows(sql: Sql): Promise<Rows> {
  const [row] = await sql`
    select (select count(*) from gold.quote)::int as quote, (select count(*) from gold.orders)::int as orders,
      (select count(*) from gold.event)::int as event, (select count(*) from gold.nonce)::int as nonce,
      (select count(*) from gold.idempotency_key)::int as idempotency_key`;
  return row as unknown as Rows;
}

/** Compares the number of new rows in each table with the number of rows that the replies imply. */
export function compareRows(before: Rows, after: Rows, sent: readonly Sent[]): string[] {
  const answered = sent.filter(({ reply }) => reply !== undefined);
  const made = (path: Path) => answered.filter((one) => one.path === path && isMade(one)).length;
  const expected: Rows = {
    quote: made("/v1/quotes"),
    orders: made("/v1/orders"),
    event: made("/v1/orders"),
    idempotency_key: answered.filter(hasBoundKey).length,
    nonce: answered.filter(hasSpentNonce).length,
  };
  return (Object.keys(expected) as (keyof Rows)[]).flatMap((table) => {
    const moved = after[table] - before[table];
    return moved === expected[table]
      ? []
      : [`${moved} new rows in ${table}, but the replies account for ${expected[table]}`];
  });
}

const isMade = ({ reply }: Sent) => reply?.status === 201;
const codeOf = ({ reply }: Sent) => (JSON.parse(reply!.body) as { code: ProblemCode }).code;

function hasBoundKey(sent: Sent): boolean {
  return isMade(sent) || bindsKey(codeOf(sent), sent.path === "/v1/orders" ? "order_quote_id" : "other");
}

function hasSpentNonce(sent: Sent): boolean {
  if (sent.path !== "/v1/orders") return false;
  if (isMade(sent)) return true;
  const effect = PROBLEM_REGISTRY[codeOf(sent)].spends_nonce;
  return effect === true || effect === "order_quote_id";
}
