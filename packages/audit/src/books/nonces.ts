// The third pass over a client: nonces and stored replies, in the order of their request ids.
import type { Cursor, Row } from "../snapshot.ts";
import { type Books, clientKey } from "./context.ts";
import { eachClient, isAt, type Position, type Range, takeWhile, withStreams } from "./range.ts";
import { readRefusal } from "./reply_text.ts";
import { checkNonce, checkRefusedRequest } from "./requests.ts";

const STREAMS = [
  { name: "distinct", table: "nonce", order: "nonce", columns: "bucket client_id nonce" },
  { name: "nonce", table: "nonce", order: "request_id" },
  {
    name: "executed",
    table: "idempotency_key",
    order: "request_id",
    where: "result_id is not null",
    columns: "bucket client_id request_id result_kind key request",
  },
  {
    name: "refused",
    table: "idempotency_key",
    order: "request_id",
    where: "result_id is null",
  },
] as const;
type Cursors = Readonly<Record<typeof STREAMS[number]["name"], Cursor>>;
const SIGNED = ["order", "withdrawal", "cancellation", "change"];

export async function checkNonces(books: Books, range: Range): Promise<void> {
  await withStreams(books.sql, range, STREAMS, async (cursors) => {
    await eachClient(Object.values(cursors), (position) => checkClient(books, position, cursors));
  });
}

async function checkClient(books: Books, at: Position, cursors: Cursors): Promise<void> {
  const { findings } = books;
  if (!books.clients.get(clientKey(at))?.account) {
    findings.add("row_has_client", `requests of client ${at.client}`, "an account in this bucket", "nothing");
  }
  let last: string | undefined;
  while (isAt(cursors.distinct.row, at)) {
    const { nonce } = cursors.distinct.row;
    if (nonce === last) findings.add("nonce_is_spent", `nonce ${at.client} ${nonce}`, "one row", "two rows");
    last = nonce;
    await cursors.distinct.advance();
  }
  const missing: string[] = [];
  while (true) {
    let next: string | undefined;
    for (const { row } of [cursors.nonce, cursors.executed, cursors.refused]) {
      if (isAt(row, at) && row.request_id !== null && (next === undefined || row.request_id < next)) {
        next = row.request_id;
      }
    }
    if (next === undefined) break;
    const ofRequest = (row: Row) => row.request_id === next;
    const nonces = await takeWhile(cursors.nonce, at, ofRequest);
    const executed = await takeWhile(cursors.executed, at, ofRequest);
    const refused = await takeWhile(cursors.refused, at, ofRequest);
    if (nonces.length > 1) {
      findings.add("nonce_is_spent", `request ${next}`, "one nonce", `${nonces.length} nonces`);
    }
    if (executed.length + refused.length > 1) {
      findings.add(
        "record_has_reply",
        `request ${next}`,
        "one stored reply",
        `${executed.length + refused.length} replies`,
      );
    }
    const signed = executed[0]
      ? SIGNED.includes(executed[0].result_kind)
      : refused[0] && checkRefused(books, at, refused[0]);
    if (refused[0]) await checkRefusedRequest(books, refused[0], signed);
    const bound = executed[0] ?? refused[0];
    if (bound?.request && nonces[0]) checkNonce(findings, bound, nonces[0]);
    const key = executed[0]?.key ?? refused[0]?.key;
    if (signed === true && nonces.length === 0) missing.push(key);
    if (signed === false && nonces.length > 0) {
      findings.add(
        "nonce_is_spent",
        `idempotency_key ${at.client} ${key}`,
        "no nonce, because the request is not signed",
        nonces[0].nonce,
      );
    }
  }
  // Rows of version 0.1.0 have no request id. Each of these rows counts as one request.
  const unnamed = await takeWhile(cursors.nonce, at, () => true);
  for (const key of missing.slice(unnamed.length)) {
    findings.add(
      "nonce_is_spent",
      `idempotency_key ${at.client} ${key}`,
      "a nonce of its request",
      "nothing",
    );
  }
}

/**
 * Checks a reply without a record. Returns whether its request was signed; undefined if both are possible.
 */
function checkRefused({ findings, isSandbox }: Books, at: Position, reply: Row): boolean | undefined {
  const row = `idempotency_key ${at.client} ${reply.key}`;
  if (reply.result_kind === "simulation") {
    if (!isSandbox) findings.add("reply_is_record", row, "no simulation in production", reply.body);
    else if (reply.status !== 201 || !/^\{"/.test(reply.body)) {
      findings.add("reply_is_record", row, "201 and an object", reply.body);
    }
    return false;
  }
  const refusal = reply.result_kind === "refusal"
    ? readRefusal(reply.body, reply.request_id, reply.status)
    : undefined;
  if (!refusal) findings.add("reply_is_record", row, "a documented refusal of its request", reply.body);
  return refusal?.signed;
}
