// The first pass over a client: everything that has a sequence number, in that order. It recomputes the
// transfers from the records, the balances from the transfers, and the chain from all of them.
import type { Cursor, Row } from "../snapshot.ts";
import { instantText } from "../values.ts";
import { chainLine } from "./chain_line.ts";
import { type Books, type Client, clientKey } from "./context.ts";
import { checkDelivery } from "./delivery.ts";
import { checkEventReplies } from "./event_replies.ts";
import { DayRanges, takeDay } from "./days.ts";
import { compareLegs, type ExpectedLeg, expectedLegs } from "./legs.ts";
import { emptyLookups, type Lookups, readLookups } from "./lookups.ts";
import { eachClient, isAt, type Position, type Range, takeWhile, withStreams } from "./range.ts";
import {
  checkEvent,
  checkLink,
  checkNotice,
  checkRecordOf,
  newProgress,
  type Progress,
  runBalances,
} from "./record_rules.ts";
import { isMidnight } from "./riyadh_day.ts";
import { takeChange } from "./partner_changes.ts";
import { checkStep, checkUnusedNotes } from "./withdrawal_steps.ts";

const STREAMS = [
  { name: "event", table: "event", order: "sequence" },
  { name: "transfer", table: "transfer", order: "sequence, leg" },
  { name: "orders", table: "orders", order: "sequence" },
  { name: "funding", table: "funding", order: "sequence" },
  { name: "step", table: "withdrawal_step", order: "sequence, status" },
  { name: "link", table: "chain_link", order: "sequence" },
  { name: "retry", table: "retry", order: "sequence" },
  { name: "attempt", table: "attempt", order: "sequence" },
] as const;
type Cursors = Readonly<Record<typeof STREAMS[number]["name"], Cursor>>;

export async function checkRecords(books: Books, range: Range): Promise<void> {
  const lookups = await readLookups(books, range);
  await withStreams(books.sql, range, STREAMS, async (cursors) => {
    const seen = new Set<string>();
    await eachClient(Object.values(cursors), async (position) => {
      const key = clientKey(position);
      seen.add(key);
      await checkClient(books, position, cursors, lookups.get(key) ?? emptyLookups());
    });
    // Clients without any record still have balances and a tail.
    for (const [key, client] of books.clients) {
      if (seen.has(key) || !client.account || !isInRange(client.account, range)) continue;
      const position = { bucket: client.account.bucket, client: client.account.client_id };
      finishClient(books, position, client, newProgress(), lookups.get(key) ?? emptyLookups());
    }
    // A lookup without a client, such as a partner_change of a client that does not exist.
    for (const key of lookups.keys()) {
      if (seen.has(key) || books.clients.has(key)) continue;
      books.findings.add("row_has_client", `client ${key}`, "an account", "nothing");
    }
  });
}

function isInRange({ bucket, client_id }: Row, { after, to }: Range): boolean {
  const order = (other: Position) => bucket - other.bucket || client_id - other.client;
  return (!after || order(after) > 0) && (!to || order(to) <= 0);
}

async function checkClient(books: Books, at: Position, cursors: Cursors, lookups: Lookups): Promise<void> {
  const { findings } = books;
  const client = books.clients.get(clientKey(at)) ?? {};
  if (!client.account) {
    findings.add("row_has_client", `client ${at.client}`, "an account in this bucket", `bucket ${at.bucket}`);
  }
  const progress = newProgress();
  const days = new DayRanges(books, at.client, lookups.days.values());
  const all = Object.values(cursors);
  while (true) {
    let next: bigint | undefined;
    for (const { row } of all) {
      if (isAt(row, at) && (next === undefined || row.sequence < next)) next = row.sequence as bigint;
    }
    if (next === undefined) break;
    await checkSequence(books, at, client, next, cursors, lookups, progress, days);
  }
  days.finish(progress);
  finishClient(books, at, client, progress, lookups);
}

async function checkSequence(
  books: Books,
  at: Position,
  client: Client,
  sequence: bigint,
  cursors: Cursors,
  lookups: Lookups,
  progress: Progress,
  days: DayRanges,
): Promise<void> {
  const { findings } = books;
  const take = (cursor: Cursor) => takeWhile(cursor, at, (row) => row.sequence === sequence);
  const [event, extraEvent] = await take(cursors.event);
  const transfers = await take(cursors.transfer);
  const [order, extraOrder] = await take(cursors.orders);
  const [funding, extraFunding] = await take(cursors.funding);
  const steps = await take(cursors.step);
  const [link] = await take(cursors.link);
  const retries = await take(cursors.retry);
  const attempts = await take(cursors.attempt);
  const name = `client ${at.client} sequence ${sequence}`;
  books.totals.records++;

  for (const extra of [extraEvent, extraOrder, extraFunding]) {
    if (extra) findings.add("events_without_gap", name, "one record of each kind", `also ${extra.id}`);
  }
  if (at.client === 0) {
    if (event) {
      findings.add("record_has_event", name, "no event, because client 0 is the operator", event.type);
    }
    runBalances(books, name, transfers, progress);
    progress.sequence = sequence;
    progress.instant = transfers.at(-1)?.posted_at ?? progress.instant;
    return;
  }
  const withdrawal = event && lookups.withdrawals.get(event.subject);
  const notice = event && lookups.notices.get(event.subject);
  const change = event && takeChange(books, lookups, event);
  const day = event && takeDay(books, lookups, event);
  if (event) days.add(event, progress);
  const deposit = event?.type === "funding.reversed" ? lookups.deposits.get(event.subject) : undefined;
  const expected: ExpectedLeg[] = event
    ? expectedLegs({ event, order, funding, deposit, withdrawal, steps })
    : [];
  compareLegs(findings, name, expected, transfers, event);
  runBalances(books, name, transfers, progress);

  if (!event) {
    findings.add("record_has_event", name, "an event", "nothing");
  } else {
    checkEvent(books, name, event, progress);
    checkRecordOf(
      books,
      name,
      { event, order, funding, deposit, withdrawal, steps, notice, change, day },
      progress,
    );
    for (const step of steps) checkStep(books, client, lookups, step, event);
    if (notice) checkNotice(books, notice, event);
    if (notice || deposit?.reversed_sequence === sequence) lookups.reported.add(event.subject);
    checkLink(
      books,
      name,
      at,
      client,
      link,
      chainLine({
        event,
        transfers,
        order,
        steps,
        withdrawal,
        notice,
        change,
        day,
        funding,
        chainKey: client.chainKey,
      }),
      progress,
    );
    checkDelivery(books, name, client, event, retries, attempts);
    const status = steps.find(({ withdrawal_id }) => withdrawal_id === event.subject)?.status;
    checkEventReplies(books, lookups, {
      event,
      head: progress.lastHead,
      order,
      withdrawal,
      status,
      expectedOn: lookups.expectedOn.get(event.subject),
      funding: event.type === "funding.reversed" ? lookups.fundings.get(event.subject) : funding,
      reversedAt: event.type === "funding.reversed" ? deposit?.reversed_at : undefined,
      notice,
      change,
      day,
    });
    return;
  }
  if (link) findings.add("chain_is_whole", name, "no link, because the event does not exist", link.hash);
  for (const each of [...retries, ...attempts]) {
    findings.add("delivery_has_event", name, "an event", `a row with sequence ${each.sequence}`);
  }
}

function finishClient(
  books: Books,
  at: Position,
  client: Client,
  progress: Progress,
  lookups: Lookups,
): void {
  const { findings, totals, heads, epochs } = books;
  const { account, tail, publicId } = client;
  const name = `account ${at.client}`;
  if (at.client !== 0) totals.clientGold += progress.gold;
  if (account) {
    const found = [account.sar_available, account.sar_held, account.gold, account.event_sequence].join(" ");
    const expected = [progress.available, progress.held, progress.gold, progress.sequence].join(" ");
    findings.expect("account_is_sum", name, expected, found);
    // The first step of closing a day raises the instant to the end of the day.
    if (!isMidnight(account.last_posted_at) || account.last_posted_at < progress.instant) {
      const instants = [progress.instant, account.last_posted_at].map(instantText) as [string, string];
      findings.expect("account_is_sum", `${name} instant`, ...instants);
    }
  }
  let open = 0n;
  for (const { id, amount } of lookups.withdrawals.values()) {
    const status = lookups.lastSteps.get(id)?.status;
    if (["pending_approval", "approved", "submitted"].includes(status)) open += amount;
    if (!status) findings.add("record_has_event", `withdrawal ${id}`, "a first step", "nothing");
  }
  findings.expect("held_is_withdrawals", name, open, progress.held);
  if (tail && (tail.sequence !== progress.linked || tail.head !== progress.lastHead)) {
    findings.add(
      "chain_head",
      `client ${at.client}`,
      `${progress.linked} ${progress.lastHead}`,
      `${tail.sequence} ${tail.head}`,
    );
  }
  for (const [sequence, head] of heads.get(at.client) ?? []) {
    if (sequence > progress.sequence) {
      findings.add(
        "head_is_kept",
        `${publicId} sequence ${sequence}`,
        head,
        `nothing: the chain ends before. ${epochs.text}`,
      );
    }
  }
  if (client.endpoint && client.endpoint.passed > progress.sequence) {
    findings.add(
      "event_is_delivered",
      `endpoint ${at.client}`,
      `at most ${progress.sequence}`,
      client.endpoint.passed,
    );
  }
  for (const [id, replies] of lookups.eventReplies) {
    for (const { key } of replies) {
      findings.add("reply_is_record", `idempotency_key ${at.client} ${key}`, `the event ${id}`, "nothing");
    }
  }
  for (const id of lookups.notices.keys()) {
    if (!lookups.reported.has(id)) {
      findings.add("record_has_event", `expiry_notice ${id}`, "an event", "nothing");
    }
  }
  for (const { id, reversed_sequence } of lookups.deposits.values()) {
    if (reversed_sequence !== null && !lookups.reported.has(id)) {
      findings.add("record_has_event", `deposit ${id}`, `the event ${reversed_sequence}`, "nothing");
    }
  }
  for (const sequence of lookups.changes.keys()) {
    findings.add("record_has_event", `partner_change ${at.client} ${sequence}`, "an event", "nothing");
  }
  for (const { day } of lookups.days.values()) {
    findings.add("record_has_event", `closed_day ${at.client} ${day}`, "an event", "nothing");
  }
  checkUnusedNotes(books, client);
}
