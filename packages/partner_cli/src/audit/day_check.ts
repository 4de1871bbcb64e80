import type { AccountEvent, ChainBalances } from "@gold-partner/client";
import type { Finding } from "../command.ts";
import type { Report } from "./rules.ts";
import { balancesText, dayOf } from "./statement_check.ts";

type Day = Extract<AccountEvent, { readonly type: "day.closed" }>["data"]["day"];

interface Facts {
  readonly first: number;
  readonly opening: ChainBalances;
  last: number;
  orders: number;
  closing: ChainBalances;
}

/** Compares each closed day with its events: their numbers, the balances and the executed orders. */
export class DayCheck {
  readonly #report: Report;
  /** By date, in the order of the events. */
  readonly #days = new Map<string, Facts>();
  /** Earlier days are not compared. If the audit does not begin at event 1, neither is the first day. */
  #from = "";
  readonly #isWhole: boolean;

  constructor(report: Report, from: number) {
    this.#report = report;
    this.#isWhole = from === 1;
  }

  /** `before` and `after` are the balances; undefined until an event states them. */
  *check(
    event: AccountEvent,
    before: ChainBalances | undefined,
    after: ChainBalances | undefined,
  ): Generator<Finding> {
    const day = dayOf(event.created_at);
    if (event.type === "day.closed") yield* this.#compare(event.sequence, event.data.day);
    if (!this.#isWhole && (this.#from === "" || !before || !after)) this.#from = day;
    if (!before || !after || (!this.#isWhole && day <= this.#from)) return;
    const facts = this.#days.get(day) ??
      { first: event.sequence, opening: before, last: 0, orders: 0, closing: after };
    facts.last = event.sequence;
    facts.closing = after;
    if (event.type === "order.executed") facts.orders++;
    this.#days.set(day, facts);
  }

  *#compare(sequence: number, day: Day): Generator<Finding> {
    const facts = this.#days.get(day.date);
    const before = [...this.#days].findLast(([date]) => date <= day.date)?.[1].closing;
    const balances = before ?? (this.#isWhole ? { available: 0n, held: 0n, gold: 0n } : undefined);
    if (!balances || (!this.#isWhole && day.date <= this.#from)) return;
    const { first = null, last = null, orders = 0, opening = balances, closing = balances } = facts ?? {};
    const unitsOf = ({ available_sar, held_sar, gold_grams }: Day["opening_balance"]): ChainBalances => ({
      ...{ available: available_sar.units, held: held_sar.units, gold: gold_grams.units },
    });
    yield* this.#report.compare(
      "day",
      sequence,
      dayText(first, last, orders, opening, closing),
      dayText(
        day.first_sequence,
        day.last_sequence,
        day.orders,
        unitsOf(day.opening_balance),
        unitsOf(day.closing_balance),
      ),
    );
  }
}

const dayText = (
  first: number | null,
  last: number | null,
  orders: number,
  opening: ChainBalances,
  closing: ChainBalances,
) =>
  `events ${first} to ${last}, ${orders} orders, from ${balancesText(opening)} to ${balancesText(closing)}`;
