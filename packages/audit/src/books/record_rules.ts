// Checks one record: its event, the balances after its transfers, and its link in the hash chain.
import type { Row } from "../snapshot.ts";
import { instantText, sha256, uuidMs } from "../values.ts";
import { CHANGE_TYPES, type ClosedDay, EVENT_TYPES } from "./chain_line.ts";
import type { Books, Client } from "./context.ts";
import type { Position } from "./range.ts";
import { DAY_MS } from "./riyadh_day.ts";

/** The state of a client after its last record. */
export interface Progress {
  sequence: bigint;
  instant: number;
  available: bigint;
  held: bigint;
  gold: bigint;
  head: Buffer;
  linked: bigint;
  lastHead: string;
}

export const newProgress = (): Progress => ({
  sequence: 0n,
  instant: 0,
  available: 0n,
  held: 0n,
  gold: 0n,
  head: Buffer.alloc(32),
  linked: 0n,
  lastHead: "00".repeat(32),
});

/** The types of events that are their own subject, with an id that the database makes. */
const OWN_TYPES = [...CHANGE_TYPES, "day.closed"];

export function checkEvent({ findings }: Books, name: string, event: Row, progress: Progress): void {
  findings.expect("events_without_gap", name, progress.sequence + 1n, event.sequence);
  if (event.created_at < progress.instant) {
    findings.add(
      "events_without_gap",
      name,
      `an instant from ${instantText(progress.instant)} on`,
      instantText(event.created_at),
    );
  }
  if (!EVENT_TYPES.includes(event.type)) findings.add("event_has_record", name, "a known type", event.type);
  // Ids are UUIDv7, which contain their creation time. The database makes an event's id at the event's
  // instant. The service makes the ids of orders, fundings and withdrawals shortly before that.
  const isOwn = event.id === event.subject;
  if ((!isOwn || OWN_TYPES.includes(event.type)) && uuidMs(event.id) !== event.created_at) {
    findings.add("event_has_record", `${name} id`, `a UUIDv7 of ${instantText(event.created_at)}`, event.id);
  }
  const hasOwnId = [
    "order.executed",
    "funding.completed",
    "withdrawal.created",
    "webhook.test",
    ...OWN_TYPES,
  ].includes(event.type);
  if (hasOwnId !== isOwn) {
    findings.add(
      "event_has_record",
      `${name} id`,
      hasOwnId ? event.subject : "an id other than its subject's",
      event.id,
    );
  }
  if (event.line !== 1 && event.line !== 2) {
    findings.add("event_has_record", `${name} line`, "1 or 2", event.line);
  }
  progress.sequence = event.sequence;
  progress.instant = event.created_at;
}

interface Records {
  readonly event: Row;
  readonly order: Row | undefined;
  readonly funding: Row | undefined;
  readonly deposit: Row | undefined;
  readonly withdrawal: Row | undefined;
  readonly steps: readonly Row[];
  readonly notice: Row | undefined;
  readonly change: Row | undefined;
  readonly day: ClosedDay | undefined;
}

/**
 * Checks that the event's record exists with the same instant, and no other record has this sequence number.
 */
export function checkRecordOf({ findings }: Books, name: string, rows: Records, progress: Progress): void {
  const { event, order, funding, deposit, steps, notice, change, day } = rows;
  const record = order ?? funding ?? steps[0];
  const subject = order?.id ?? funding?.id ?? steps[0]?.withdrawal_id ??
    (deposit?.reversed_sequence === event.sequence ? deposit.id : undefined) ?? notice?.id ??
    (event.type === "webhook.test" || change || day ? event.id : undefined);
  findings.expect(
    "event_has_record",
    name,
    `the record ${event.subject}`,
    `the record ${subject ?? "that does not exist"}`,
  );
  const kind = order ? "order." : funding ? "funding.completed" : steps[0] ? "withdrawal." : event.type;
  if (!event.type.startsWith(kind)) findings.add("event_has_record", `${name} type`, `${kind}…`, event.type);
  const surplus = [order, funding, ...steps].filter(Boolean).length;
  if (surplus > 1) findings.add("record_has_event", name, "one record", `${surplus} records`);
  const instant = record?.executed_at ?? record?.created_at ?? record?.at ?? deposit?.reversed_at;
  if (instant !== undefined && instant !== event.created_at) {
    findings.add("event_has_record", `${name} instant`, instantText(event.created_at), instantText(instant));
  }
  const requested = order ?? (event.type === "withdrawal.created" ? rows.withdrawal : undefined);
  if (requested) {
    findings.expect("answer_is_bound", `${name} line`, requested.answer === null ? 1 : 2, event.line);
  }
  if (!order) return;
  const [product, total]: readonly bigint[] = [order.grams * order.price, order.total];
  const gain = order.side === "buy" ? total! * 1_000_000n - product! : product! - total! * 1_000_000n;
  findings.expect("quote_is_exact", `orders ${order.id} rounding_gain`, gain, order.rounding_gain);
  const after = [order.sar_available_after, order.sar_held_after, order.gold_after].join(" ");
  const balances = [progress.available, progress.held, progress.gold].join(" ");
  findings.expect("balance_follows", `orders ${order.id}`, balances, after);
}

export function runBalances(
  { findings, totals, requests }: Books,
  name: string,
  transfers: readonly Row[],
  progress: Progress,
): void {
  for (const { leg, debit, credit, amount, ...row } of transfers) {
    if (credit === "available") progress.available += amount;
    if (debit === "available") progress.available -= amount;
    if (credit === "held") progress.held += amount;
    if (debit === "held") progress.held -= amount;
    if (credit === "gold") progress.gold += amount;
    if (debit === "gold") progress.gold -= amount;
    if (credit === "vault") totals.sold -= amount;
    if (debit === "vault") totals.sold += amount;
    const balances = [progress.available, progress.held, progress.gold].join(" ");
    const stated = [row.sar_available_after, row.sar_held_after, row.gold_after].join(" ");
    if (balances !== stated) findings.add("balance_follows", `${name} leg ${leg}`, balances, stated);
    // Gold moves between the stripes without a transfer, so any stripe of the vault is right.
    const stripes = debit === "vault" || credit === "vault" ? requests.mostStripes : 1;
    if (row.stripe < 0 || row.stripe >= stripes) {
      findings.add("transfer_is_derived", `${name} leg ${leg} stripe`, `less than ${stripes}`, row.stripe);
    }
  }
}

export function checkLink(
  { findings, heads }: Books,
  name: string,
  at: Position,
  client: Client,
  link: Row | undefined,
  line: string,
  progress: Progress,
): void {
  const isSealed = progress.sequence <= (client.tail?.sequence ?? 0n);
  if (link) {
    const hash = sha256(progress.head, line).toString("hex");
    if (hash !== link.hash) findings.add("chain_is_whole", name, hash, link.hash);
    if (!isSealed) findings.add("chain_head", name, "no link after the tail", link.hash);
    // Continue with the stored hash, so that one edited record causes one finding, and not one for each later
    // record.
    progress.lastHead = link.hash;
    progress.head = Buffer.from(link.hash, "hex");
    progress.linked = progress.sequence;
  } else if (isSealed) {
    findings.add("chain_is_whole", name, "a link", "nothing");
  }
  const kept = heads.get(at.client)?.get(progress.sequence);
  if (kept !== undefined) {
    findings.expect(
      "head_is_kept",
      `${client.publicId ?? name} sequence ${progress.sequence}`,
      kept,
      link?.hash,
    );
  }
}

const NOTICE_DAYS = [1, 7, 30];

export function checkNotice({ findings }: Books, notice: Row, event: Row): void {
  const left = notice.expires_at - event.created_at;
  const days = NOTICE_DAYS.find((each) => left <= each * DAY_MS);
  findings.expect("notice_is_due", `expiry_notice ${notice.id}`, days, notice.days_ahead);
}
