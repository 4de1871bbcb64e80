import type { AccountEvent } from "@gold-partner/client";
import type { Finding } from "../command.ts";
import { cancellationId, type Kept, type KeptExchanges, memberText } from "./kept_exchanges.ts";
import { partsOf } from "./line_parts.ts";
import type { Report, Rule } from "./rules.ts";

/** Compares the orders, withdrawals and cancellations of the events with the exchanges that the partner kept. */
export class Evidence {
  readonly #report: Report;
  readonly #exchanges: KeptExchanges | undefined;
  readonly #seen = new Set<string>();
  /** The first event whose answer cannot be recomputed, and how many there are. */
  #firstLinked: number | undefined;
  #linkedCount = 0;

  constructor(report: Report, exchanges: KeptExchanges | undefined) {
    this.#report = report;
    this.#exchanges = exchanges;
  }

  *check(event: AccountEvent): Generator<Finding> {
    const record = requestedRecord(event);
    const kept = record && this.#exchanges?.records.get(record.id);
    if (record) this.#seen.add(record.id);
    const { answer } = partsOf(event.line);
    if (kept && answer !== undefined && kept.answers.length > 0) {
      const expected = kept.answers.includes(answer) ? answer : kept.answers[0]!;
      yield* this.#report.compare("answer", event.sequence, expected, answer || "none");
    } else if (answer) {
      this.#linkedCount++;
      this.#firstLinked ??= event.sequence;
    }
    if (!record || !this.#exchanges) return;
    if (kept) yield* this.#compareReply(event.sequence, kept, record.members);
    const isOwn = kept !== undefined || this.#exchanges.hasUnanswered(record.id, record.members);
    yield* this.#report.compare(
      "record_foreign",
      event.sequence,
      "a request that you recorded",
      isOwn ? "a request that you recorded" : `none for ${record.id}`,
    );
  }

  /** Checks only recorded exchanges after `after` and up to `to`: the audit has read no other events. */
  *end(after: string, to: string): Generator<Finding> {
    for (const [id, { at, line }] of this.#exchanges?.records ?? []) {
      if (at <= after || at > to) continue;
      const found = this.#seen.has(id) ? "an event" : `none (line ${line} of the file of --requests)`;
      yield* this.#report.compare("record_missing", id, "an event", found);
    }
  }

  get skipped(): Partial<Record<Rule, string>> {
    if (this.#exchanges) return {};
    const reason = "Needs the requests and replies that you recorded: give --requests FILE.";
    const rest = { reply: reason, record_foreign: reason, record_missing: reason };
    return { answer: [reason, this.#unopened].join(" ").trimEnd(), ...rest };
  }

  get notes(): Partial<Record<Rule, string>> {
    return { answer: this.#unopened };
  }

  get #unopened(): string {
    if (this.#linkedCount === 0) return "";
    return `${this.#linkedCount} are only linked, not opened, from event ${this.#firstLinked} on.`;
  }

  *#compareReply(sequence: number, { reply }: Kept, members: Members): Generator<Finding> {
    const names = [...new Set([...Object.keys(reply), ...Object.keys(members)])].filter((name) =>
      name !== "balances"
    );
    const texts = names.map((name) => [name, memberText(reply[name]), memberText(members[name])] as const);
    const [name, expected, found] = texts.find(([, kept, stated]) => kept !== stated) ?? ["", "", ""];
    yield* this.#report.compare("reply", sequence, `${name} ${expected}`, `${name} ${found}`);
  }
}

type Members = Readonly<Record<string, unknown>>;

/** The record that a signed request of the partner must have asked for. */
function requestedRecord(
  event: AccountEvent,
): { readonly id: string; readonly members: Members } | undefined {
  if (event.type === "order.executed") {
    return { id: event.data.order.order_id, members: { ...event.data.order } };
  }
  if (event.type !== "withdrawal.created" && event.type !== "withdrawal.cancelled") return undefined;
  const { withdrawal } = event.data;
  const isCancellation = event.type === "withdrawal.cancelled";
  const id = isCancellation ? cancellationId(withdrawal.withdrawal_id) : withdrawal.withdrawal_id;
  return { id, members: { ...withdrawal } };
}
