// Compares each event day.closed with the rows of its day in Riyadh.
import { createHash, type Hash } from "node:crypto";
import type { Row } from "../snapshot.ts";
import { sha256 } from "../values.ts";
import type { ClosedDay } from "./chain_line.ts";
import type { Books } from "./context.ts";
import { checkEpoch, type Epochs } from "./epochs.ts";
import type { Lookups } from "./lookups.ts";
import type { Progress } from "./record_rules.ts";
import { beginOf, DAY_MS, dayOf } from "./riyadh_day.ts";

const EMPTY = sha256().toString("hex");

/** The first day that is closed is the first whole day after the migration, which begins the first epoch. */
const firstDay = ({ rows: [first] }: Epochs): number =>
  first ? beginOf(dayOf(first.began_at)) + DAY_MS : Infinity;

/**
 * Returns the row of the day that this event closes. Removes it from `days`, so that unreported rows remain.
 */
export function takeDay({ findings, epochs }: Books, { days }: Lookups, event: Row): ClosedDay | undefined {
  const row = event.type === "day.closed" ? days.get(event.sequence) : undefined;
  if (!row) return undefined;
  days.delete(event.sequence);
  return { row, epoch: checkEpoch(findings, epochs, row, event) };
}

/** A day with activity must be closed within one day after its end. */
function checkMissing({ findings, epochs, now }: Books, client: number, day: string): void {
  const begin = beginOf(day);
  if (begin >= firstDay(epochs) && begin + 2 * DAY_MS < now) {
    findings.add("day_is_closed", `client ${client} day ${day}`, "day.closed", "nothing");
  }
}

/**
 * Compares the days' event ranges, balances and counts of orders. Add the events in the order of their
 * sequence.
 */
export class DayRanges {
  readonly #books: Books;
  readonly #client: number;
  /** The closed days, the latest first. */
  readonly #rows: Row[];
  #day = "";
  #first = 0n;
  #last = 0n;
  #orders = 0;
  #opening = "0 0 0";
  #isActive = false;

  constructor(books: Books, client: number, rows: Iterable<Row>) {
    this.#books = books;
    this.#client = client;
    this.#rows = [...rows].sort((left, right) => left.day < right.day ? 1 : -1);
  }

  /** `progress` is the state before the event. */
  add({ sequence, created_at, type }: Row, progress: Progress): void {
    const day = dayOf(created_at);
    if (day > this.#day) {
      this.#endBefore(day, progress);
      this.#day = day;
      this.#first = sequence;
      this.#orders = 0;
      this.#opening = balancesOf(progress);
      this.#isActive = false;
    }
    this.#last = sequence;
    if (type === "order.executed") this.#orders++;
    if (type !== "day.closed") this.#isActive = true;
  }

  finish(progress: Progress): void {
    this.#endBefore("a", progress);
  }

  #endBefore(day: string, progress: Progress): void {
    const balances = balancesOf(progress);
    let isClosed = false;
    while (this.#rows.length > 0 && this.#rows.at(-1)!.day < day) {
      const row = this.#rows.pop()!;
      isClosed ||= row.day === this.#day;
      const expected = row.day === this.#day
        ? [this.#first, this.#last, this.#orders, this.#opening, balances]
        : [null, null, 0, balances, balances];
      const found = [
        ...[row.first_sequence, row.last_sequence, row.orders],
        ...[row.opening_available, row.opening_held, row.opening_gold],
        ...[row.closing_available, row.closing_held, row.closing_gold],
      ];
      this.#books.findings.expect(
        "day_is_closed",
        `client ${this.#client} day ${row.day}`,
        expected.map(String).join(" "),
        found.map(String).join(" "),
      );
    }
    if (this.#isActive && !isClosed) checkMissing(this.#books, this.#client, this.#day);
  }
}

const balancesOf = ({ available, held, gold }: Progress): string => [available, held, gold].join(" ");

interface Content {
  readonly hash: Hash;
  count: number;
  /** How many of the quotes were executed, or how many of the refusals are broken. */
  marked: number;
}

/** Hashes the lines of a client's quotes or refusals, with one hash for each day. */
export class DayHashes {
  readonly #days = new Map<string, Content>();

  add(at: number, line: string, isMarked: boolean): void {
    const day = dayOf(at);
    const content = this.#days.get(day) ?? { hash: createHash("sha256"), count: 0, marked: 0 };
    this.#days.set(day, content);
    content.hash.update(sha256(line));
    content.count++;
    if (isMarked) content.marked++;
  }

  compare(books: Books, client: number, what: "quotes" | "refusals", rows: readonly Row[]): void {
    for (const row of rows) {
      const { count, hash, marked } = this.#days.get(row.day) ?? { count: 0, marked: 0 };
      this.#days.delete(row.day);
      const markedOf = row[what === "quotes" ? "quotes_executed" : "broken"];
      // A version before 0.7.0 did not count the executed quotes.
      const expected = [count, hash?.digest("hex") ?? EMPTY, markedOf === null ? null : marked];
      const found = [row[what], row[`${what}_sha256`], markedOf];
      const name = `client ${client} day ${row.day} ${what}`;
      books.findings.expect("day_is_closed", name, expected.join(" "), found.join(" "));
    }
    for (const day of this.#days.keys()) checkMissing(books, client, day);
  }
}
