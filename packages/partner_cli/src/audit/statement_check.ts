import {
  type AccountEvent,
  type ChainBalances,
  type GoldClient,
  Quantity,
  type RecordLine,
} from "@gold-partner/client";
import type { Finding } from "../command.ts";
import type { Report } from "./rules.ts";

const ACCOUNTS = [
  { account: "available_sar", key: "available", unit: "SAR" },
  { account: "held_sar", key: "held", unit: "SAR" },
  { account: "gold_grams", key: "gold", unit: "g" },
] as const;

const DAY_MS = 86_400_000;
/** The days of statements are days in Riyadh, which has no summer time. */
const RIYADH_MS = 3 * 3_600_000;
export const dayOf = (instant: string) =>
  new Date(Date.parse(instant) + RIYADH_MS).toISOString().slice(0, 10);
const dayAfter = (day: string) => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);

/** The balances as one text, for comparison and for messages. */
export const balancesText = ({ available, held, gold }: ChainBalances): string =>
  `${new Quantity("SAR", available)} SAR available, ${new Quantity("SAR", held)} SAR held, ${new Quantity(
    "g",
    gold,
  )} g`;

interface Posting {
  readonly sequence: number;
  readonly text: string;
}

/**
 * Compares the statement with the postings of the events. It reads the statement for one day with events and
 * the days before it at a time, so that memory holds one day.
 */
export class StatementCheck {
  readonly #client: GoldClient;
  readonly #report: Report;
  readonly #asOf: string;
  /**
   * True until the first day is compared, if earlier postings of that day belong to events before `--from`.
   */
  #startsWithinDay: boolean;
  #firstDay: string | undefined;
  #lastDay = "";
  #opening: ChainBalances | undefined;
  #expected: Posting[] = [];

  constructor(client: GoldClient, report: Report, asOf: string, startsWithinDay: boolean) {
    this.#client = client;
    this.#report = report;
    this.#asOf = asOf;
    this.#startsWithinDay = startsWithinDay;
  }

  /** Adds the postings of an event. `before` are the balances before it, if they are known. */
  async *add(
    event: AccountEvent,
    before: ChainBalances | undefined,
    record: RecordLine | undefined,
  ): AsyncGenerator<Finding> {
    const day = dayOf(event.created_at);
    if (this.#firstDay === undefined) [this.#firstDay, this.#opening] = [day, before];
    else if (day > this.#lastDay) {
      yield* this.#compare(this.#lastDay);
      [this.#firstDay, this.#opening] = [dayAfter(this.#lastDay), before];
    }
    this.#lastDay = day;
    for (const [index, leg] of (record?.legs ?? []).entries()) {
      const after = record!.after[index]!;
      for (const { account, key, unit } of ACCOUNTS) {
        if (leg.debit !== key && leg.credit !== key) continue;
        const change = new Quantity(unit, leg.credit === key ? leg.amount : -leg.amount);
        const id = record!.members.find(({ name }) => name === "subject")!.value;
        const text = postingText(
          event.created_at,
          id!,
          event.type,
          account,
          change,
          new Quantity(unit, after[key]),
        );
        this.#expected.push({ sequence: event.sequence, text });
      }
    }
  }

  /** Compares the remaining days. */
  async *end(): AsyncGenerator<Finding> {
    if (this.#firstDay !== undefined) yield* this.#compare(dayOf(this.#asOf));
  }

  async *#compare(to: string): AsyncGenerator<Finding> {
    const from = this.#firstDay!;
    const { opening_balance: opening, postings } = await this.#client.getStatement({ from, to });
    const found = postings.filter(({ posted_at }) => posted_at <= this.#asOf).map((posting) =>
      postingText(
        posting.posted_at,
        posting.id.replace(/^[a-z]+_/, ""),
        posting.type,
        posting.account,
        posting.change,
        posting.balance_after,
      )
    );
    const expected = this.#expected;
    this.#expected = [];
    if (this.#startsWithinDay) found.splice(0, Math.max(0, found.length - expected.length));
    else if (this.#opening) {
      const { available_sar, held_sar, gold_grams } = opening;
      const text = balancesText({
        available: available_sar.units,
        held: held_sar.units,
        gold: gold_grams.units,
      });
      yield* this.#report.compare(
        "statement",
        `opening balance of ${from}`,
        balancesText(this.#opening),
        text,
      );
    }
    this.#startsWithinDay = false;
    for (let index = 0; index < Math.max(expected.length, found.length); index++) {
      const record = expected[index]?.sequence ?? `${from} to ${to}`;
      yield* this.#report.compare(
        "statement",
        record,
        expected[index]?.text ?? "nothing",
        found[index] ?? "nothing",
      );
    }
  }
}

const postingText = (
  at: string,
  id: string,
  type: string,
  account: string,
  change: unknown,
  after: unknown,
) => `${at} ${type} ${id} ${account} ${change} → ${after}`;
