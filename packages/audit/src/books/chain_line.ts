// The line of a record in its client's hash chain, written from its description (docs/chain.md):
//   version|client|sequence|event number|subject|created_at in ms
//   |leg|debit|credit|asset|amount|available|held|gold     for each transfer, by leg
//   |side|grams|price|total                                of an order
//   |status|sha256 of [iban, reference, login]             of a step of a withdrawal
//   |sha256 of [kind, credential, end in ms]               of an expiring credential
//   |sha256 of [kind, credential, kid, begin, end, sha256 of the IBAN, URL, login, approving login]
//                                                          of a changed credential, IBAN or webhook URL
//   |sha256 of [date, range, balances, counts, hashes, epoch]
//                                                          of a closed day
//   |answer|salt                                           at the end of version 2
import type { Row } from "../snapshot.ts";
import { jsonArray, sha256, sha256Hex } from "../values.ts";

export const EVENT_TYPES = [
  "order.executed",
  "funding.completed",
  "withdrawal.created",
  "withdrawal.approved",
  "withdrawal.submitted",
  "withdrawal.paid",
  "withdrawal.rejected",
  "withdrawal.returned",
  "funding.reversed",
  "webhook.test",
  "credential.expiring",
  "credential.added",
  "credential.ended",
  "settlement.changed",
  "webhook_endpoint.changed",
  "day.closed",
  "withdrawal.cancelled",
];
/** The events whose members are in the row of partner_change with their number. */
export const CHANGE_TYPES = [
  "credential.added",
  "credential.ended",
  "settlement.changed",
  "webhook_endpoint.changed",
];
const numbersOf = (...names: readonly string[]) => new Map(names.map((name, index) => [name, index + 1]));
const EVENT_NUMBER = numbersOf(...EVENT_TYPES);
const BOOK_NUMBER = numbersOf("bank", "available", "held", "house", "bars", "vault", "gold");
const ASSET_NUMBER = numbersOf("SAR", "XAU");
const SIDE_NUMBER = numbersOf("buy", "sell");
const STATUS_NUMBER = numbersOf(
  ...["pending_approval", "approved", "submitted", "paid", "rejected", "returned", "cancelled"],
);

/** The row of a closed day, and the row of its epoch if it exists. */
export interface ClosedDay {
  readonly row: Row;
  readonly epoch: Row | undefined;
}

/** All rows of one client with the same sequence number. */
interface SequenceRows {
  readonly event: Row | undefined;
  readonly transfers: readonly Row[];
  readonly order: Row | undefined;
  readonly steps: readonly Row[];
  readonly withdrawal: Row | undefined;
  readonly notice: Row | undefined;
  readonly change: Row | undefined;
  readonly day: ClosedDay | undefined;
  readonly funding: Row | undefined;
  /** Hex. Undefined if the client has no partner. */
  readonly chainKey: string | undefined;
}

export function chainLine(rows: SequenceRows): string {
  const { event, transfers, order, steps, withdrawal, notice, change, day, chainKey } = rows;
  let line = `${event.line}|${event.client_id}|${event.sequence}|${
    EVENT_NUMBER.get(event.type)
  }|${event.subject}|${event.created_at}`;
  for (const each of transfers) {
    line += `|${each.leg}|${BOOK_NUMBER.get(each.debit)}|${BOOK_NUMBER.get(each.credit)}|${
      ASSET_NUMBER.get(each.asset)
    }|${each.amount}|${each.sar_available_after}|${each.sar_held_after}|${each.gold_after}`;
  }
  if (event.type === "order.executed" && order?.id === event.subject) {
    line += `|${SIDE_NUMBER.get(order.side)}|${order.grams}|${order.price}|${order.total}`;
  }
  if (withdrawal && event.type.startsWith("withdrawal.")) {
    for (const { status, login, withdrawal_id } of steps) {
      if (withdrawal_id !== withdrawal.id) continue;
      const named = sha256Hex(jsonArray(withdrawal.iban, withdrawal.reference, login));
      line += `|${STATUS_NUMBER.get(status)}|${named}`;
    }
  }
  if (notice && event.type === "credential.expiring") {
    line += `|${sha256Hex(jsonArray(notice.kind, notice.credential, notice.expires_at))}`;
  }
  if (change && CHANGE_TYPES.includes(event.type)) {
    const { kind, credential, kid, valid_from, valid_until, iban, webhook_url, login, approved_by } = change;
    const ibanHash = iban === null ? null : sha256Hex(iban);
    line += `|${
      sha256Hex(
        jsonArray(kind, credential, kid, valid_from, valid_until, ibanHash, webhook_url, login, approved_by),
      )
    }`;
  }
  if (day) line += `|${sha256Hex(dayMembers(day))}`;
  if (event.line === 2) line += `|${answerOf(rows) ?? ""}|${saltOf(chainKey, event.sequence)}`;
  return line;
}

function dayMembers({ row, epoch }: ClosedDay): string {
  const { opening_available, opening_held, opening_gold, closing_available, closing_held, closing_gold } =
    row;
  return jsonArray(
    ...[row.day, row.first_sequence, row.last_sequence],
    ...[opening_available, opening_held, opening_gold, closing_available, closing_held, closing_gold],
    ...[row.quotes, row.orders, row.refusals, row.broken, row.quotes_sha256, row.refusals_sha256],
    ...[epoch?.id, epoch?.timeline, epoch?.began_at],
  );
}

/** Returns the stored answer of the record. Only a record that was booked with an idempotency key has one. */
function answerOf({ event, order, funding, withdrawal, steps }: SequenceRows): string | undefined {
  switch (event.type) {
    case "order.executed":
      return order?.answer;
    case "funding.completed":
      return funding?.answer;
    case "withdrawal.created":
      return withdrawal?.answer;
    case "withdrawal.cancelled":
      return steps.find(({ withdrawal_id }) => withdrawal_id === event.subject)?.answer;
    default:
      return undefined;
  }
}

function saltOf(chainKey = "", sequence: bigint): string {
  const number = Buffer.alloc(8);
  number.writeBigInt64BE(sequence);
  return sha256(Buffer.from(chainKey, "hex"), number).toString("hex", 0, 16);
}
