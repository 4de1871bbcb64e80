// The text of each stored reply, built from its record. A reply is compared byte by byte.
import {
  FUNDING,
  ORDER,
  PROBLEM_REGISTRY,
  type ProblemCode,
  QUOTE,
  WITHDRAWAL,
} from "@gold-partner/protocol";
import type { Row } from "../snapshot.ts";
import type { ClosedDay } from "./chain_line.ts";
import { gramsText, instantText, maskIban, sarText, sha256Hex } from "../values.ts";
import { writerOf } from "./record_writer.ts";

interface Balances {
  readonly available: bigint;
  readonly held: bigint;
  readonly gold: bigint;
}

const balancesText = ({ available, held, gold }: Balances, at: number) =>
  `{"sar":{"available":${sarText(available)},"held":${sarText(held)}},"gold":{"grams":${
    gramsText(gold)
  }},"as_of":"${instantText(at)}"}`;

const quoteMembers = writerOf(QUOTE);
const orderMembers = writerOf(ORDER);
const fundingMembers = writerOf(FUNDING);
const withdrawalMembers = writerOf(WITHDRAWAL);

export const quoteReply = (quote: Row): string => `{${quoteMembers(quote, { status: "open" })}}`;

export const orderReply = (order: Row): string =>
  `{${orderMembers(order)},"balances":${
    balancesText(
      { available: order.sar_available_after, held: order.sar_held_after, gold: order.gold_after },
      order.executed_at,
    )
  }}`;

export const fundingReply = (funding: Row, balances: Balances): string =>
  `{${fundingMembers(funding)},"balances":${balancesText(balances, funding.created_at)}}`;

/** A cancellation has the status `cancelled` and the instant of its step, `at`. */
export const withdrawalReply = (withdrawal: Row, balances: Balances): string =>
  `{${withdrawalMembers(withdrawal, { status: withdrawal.status ?? "pending_approval" })},"balances":${
    balancesText(balances, withdrawal.at ?? withdrawal.created_at)
  }}`;

/** The reply to a request for a change, before anybody decided it. */
export const requestedChangeReply = ({ id, kind, requested_at, content }: Row): string =>
  `{"change_id":"chg_${id}","kind":"${kind}","status":"requested","requested_at":"${
    instantText(requested_at)
  }"` +
  `,"decided_at":null,"reason":null,"certificate":null,${content.slice(1)}`;

/** The records that the text of an event contains. `head` is the hash of the event's link. */
export interface EventRecords {
  readonly event: Row;
  readonly head: string;
  readonly order?: Row;
  readonly withdrawal?: Row;
  /** The status that the withdrawal had after this event. */
  readonly status?: string;
  /** The day on which the bank is to pay, once the withdrawal is submitted. */
  readonly expectedOn?: string | undefined;
  readonly funding?: Row;
  readonly reversedAt?: number | undefined;
  readonly notice?: Row;
  readonly change?: Row | undefined;
  readonly day?: ClosedDay | undefined;
}

/** The text of an event, without its last brace. A stored reply continues with the state of its delivery. */
export function eventText(records: EventRecords): string {
  const { event, head } = records;
  return `{"type":"${event.type}","id":"evt_${event.id}","sequence":${event.sequence},"created_at":"${
    instantText(event.created_at)
  }","data":{${eventData(records)}"chain_head":"${head}"}`;
}

function eventData(
  { event, order, withdrawal, status, expectedOn, funding, reversedAt, notice, change, day }: EventRecords,
): string {
  if (event.type === "order.executed" && order) return `"order":{${orderMembers(order)}},`;
  if (event.type.startsWith("withdrawal.") && withdrawal) {
    const reference = expectedOn === undefined ? "null" : `"${withdrawal.id.replaceAll("-", "")}"`;
    const day = expectedOn === undefined ? "null" : `"${expectedOn}"`;
    return `"withdrawal":{${
      withdrawalMembers(withdrawal, { status: status ?? "" })
    },"bank_reference":${reference}` +
      `,"expected_on":${day}},`;
  }
  if (event.type.startsWith("funding.") && funding) {
    const reversed = reversedAt === undefined ? "null" : `"${instantText(reversedAt)}"`;
    return `"funding":{${fundingMembers(funding)},"reversed_at":${reversed}},`;
  }
  if (notice) {
    return `"credential":{"kind":"${notice.kind}","id":${JSON.stringify(notice.credential)},"expires_at":"${
      instantText(notice.expires_at)
    }"},`;
  }
  if (day) return `"day":${dayText(day)},`;
  return change ? `${changeText(change)},` : "";
}

function dayText({ row, epoch }: ClosedDay): string {
  const balance = (name: string) =>
    `"${name}_balance":{"available_sar":${sarText(row[`${name}_available`])},"held_sar":${
      sarText(row[`${name}_held`])
    },"gold_grams":${gramsText(row[`${name}_gold`])}}`;
  return `{"date":"${row.day}","first_sequence":${row.first_sequence},"last_sequence":${row.last_sequence},` +
    `${balance("opening")},${
      balance("closing")
    },"quotes":${row.quotes},"orders":${row.orders},"refusals":${row.refusals}` +
    `,"broken":${row.broken},"quotes_sha256":"${row.quotes_sha256}","refusals_sha256":"${row.refusals_sha256}"` +
    `,"epoch":{"number":${epoch?.id},"timeline":${epoch?.timeline},"began_at":"${
      instantText(epoch?.began_at)
    }"}${executedText(row)}}`;
}

const executedText = ({ quotes, quotes_executed }: Row): string =>
  quotes_executed === null
    ? ""
    : `,"quotes_executed":${quotes_executed},"quotes_expired":${quotes - quotes_executed}`;

function changeText(change: Row): string {
  const { kind, credential, kid, valid_from, valid_until, iban, webhook_url, login, approved_by } = change;
  const instant = (at: number | null) => at === null ? "null" : `"${instantText(at)}"`;
  const by = `,"changed_by":${JSON.stringify(login)},"approved_by":${JSON.stringify(approved_by)}}`;
  if (iban !== null) {
    return `"settlement":{"iban_masked":"${maskIban(iban)}","iban_sha256":"${sha256Hex(iban)}"${by}`;
  }
  if (webhook_url !== null) {
    return `"webhook_endpoint":{"url":${JSON.stringify(webhook_url)},"endpoint":${kid ?? 1},"removed_at":${
      instant(valid_until)
    }${by}`;
  }
  return `"credential":{"kind":"${kind}","id":${JSON.stringify(credential)},"kid":${
    JSON.stringify(kid)
  },"valid_from":${instant(valid_from)},"valid_until":${instant(valid_until)}${by}`;
}

const BOUND = " This answer is bound to the Idempotency-Key: ";
/** How every binding refusal ended before 0.6.0. */
const EARLIER_ADVICE = "send a new key to try again.";
/** How a binding refusal ends: with what to do next. */
const ADVICE: { readonly [code in ProblemCode]?: string } = {
  not_found: "check the quote_id, or request a new quote and order it with a new key.",
  quote_already_executed:
    "look up this order before you trade again; another trade needs a new quote and a new key.",
  quote_expired: "request a new quote and order it with a new key.",
  insufficient_funds: "send the request with a new key when GET /v1/balances shows enough.",
  insufficient_gold: "sell at most what GET /v1/balances shows, with a new quote and a new key.",
  insufficient_inventory: "order less, or order later, with a new quote and a new key.",
  limit_exceeded: "send a quantity within the limits with a new key.",
  withdrawal_limit_exceeded:
    "send it with a new key when the day has ended, or earlier if a smaller amount is within the limit.",
  withdrawal_reference_reused:
    "look up this withdrawal; a second payment needs another reference and a new key.",
  withdrawal_not_pending:
    "look up this withdrawal; only one that waits for approval can be cancelled, with a new key.",
};
const QUANTITY = "\\d+(\\.\\d+)?";
const UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const INSTANT = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";

/** A binding refusal: the form of its detail, and whether its request was signed. */
interface Refusal {
  readonly code: ProblemCode;
  readonly detail: RegExp;
  /** Undefined if a signed and an unsigned request can get the same refusal. */
  readonly signed?: boolean;
}

const refusal = (code: ProblemCode, signed: boolean | undefined, detail: string): Refusal => ({
  code,
  detail: new RegExp(`^${detail}$`),
  ...(signed === undefined ? {} : { signed }),
});

/** To add a binding refusal, add its code and the form of its detail here, and its advice above. */
const REFUSALS: readonly Refusal[] = [
  refusal("not_found", true, "There is no quote of yours with this quote_id\\."),
  // Also the sandbox's reply to an unsigned request that would end an executed quote.
  refusal("quote_already_executed", undefined, `The quote was executed as ord_${UUID}\\.`),
  refusal("quote_expired", true, `The quote was firm until ${INSTANT}\\.`),
  refusal("insufficient_funds", true, `The order needs ${QUANTITY} SAR and ${QUANTITY} SAR are available\\.`),
  refusal("insufficient_gold", true, `The order needs ${QUANTITY} g and you hold ${QUANTITY} g\\.`),
  refusal("insufficient_inventory", true, `The vault does not hold ${QUANTITY} g that are free to sell\\.`),
  refusal("limit_exceeded", true, `A withdrawal is at most ${QUANTITY} SAR\\.`),
  refusal(
    "withdrawal_limit_exceeded",
    true,
    `You may request \\d+ withdrawals a day and have requested \\d+\\. The day ends at ${INSTANT}\\.`,
  ),
  refusal(
    "withdrawal_limit_exceeded",
    true,
    `You may withdraw ${QUANTITY} SAR a day and have requested ${QUANTITY} SAR\\. The day ends at ${INSTANT}\\.`,
  ),
  refusal(
    "withdrawal_not_pending",
    true,
    `The withdrawal wd_${UUID} is (approved|submitted|paid|rejected|returned|cancelled)\\.`,
  ),
  refusal("withdrawal_reference_reused", true, `The withdrawal wd_${UUID} has this reference\\.`),
  refusal(
    "insufficient_funds",
    true,
    `The withdrawal needs ${QUANTITY} SAR and ${QUANTITY} SAR are available\\.`,
  ),
  refusal(
    "limit_exceeded",
    false,
    `An order is between ${QUANTITY} g and ${QUANTITY} g and moves at least 0\\.01 SAR(; this amount comes to ${QUANTITY} g)?\\.`,
  ),
  refusal(
    "limit_exceeded",
    false,
    `A (funding|deposit) is at most ${QUANTITY} SAR, and an account holds at most ${QUANTITY} SAR\\.`,
  ),
  refusal(
    "insufficient_funds",
    false,
    `The reversal takes back ${QUANTITY} SAR and ${QUANTITY} SAR are available\\.`,
  ),
];

/** Returns the refusal's entry if the body is exactly the documented text of one. */
const PAGE = /^\{"type":"(https?:\/\/[^"#]+\/errors\.html)#/;

export function readRefusal(body: string, request: string, status: number): Refusal | undefined {
  let parsed: { readonly code?: string; readonly detail?: string };
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { code, detail } = parsed;
  if (typeof code !== "string" || typeof detail !== "string") return undefined;
  const [said = "", ...after] = detail.split(BOUND);
  const advice = after.join(BOUND);
  const known = REFUSALS.find((each) => each.code === code && each.detail.test(said));
  if (!known || (advice !== ADVICE[known.code] && advice !== EARLIER_ADVICE)) return undefined;
  const entry = PROBLEM_REGISTRY[known.code];
  // The service may name its own page, or that of the operator's documentation site of that time.
  const [, page = "/docs/errors"] = PAGE.exec(body) ?? [];
  const expected =
    `{"type":"${page}#${code}","title":${JSON.stringify(entry.title)},"status":${entry.status}` +
    `,"detail":${
      JSON.stringify(detail)
    },"code":"${code}","request_id":"req_${request}","retryable":${entry.retryable}}`;
  return expected === body && entry.status === status ? known : undefined;
}
