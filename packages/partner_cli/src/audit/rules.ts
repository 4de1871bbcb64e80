import type { Finding } from "../command.ts";

/** Every rule of `gold-partner audit`, in the order of the report. The text is printed if the rule holds. */
export const RULES = {
  sequence: "the events are numbered without a gap",
  link: "each chain_head is the SHA-256 of the previous head and the line",
  line: "each line has the members of its event, and the salt of your chain key",
  balance_after: "the balances after each transfer follow from the previous transfer",
  day: "each closed day has the events, the balances and the orders of that day",
  answer: "each line has the hash of the request and the reply that you recorded",
  reply: "each order, withdrawal and cancellation is as in the reply that you recorded",
  record_foreign: "each order, withdrawal and cancellation has a request that you recorded",
  record_missing: "each order, withdrawal and cancellation that you recorded is in the books",
  kept_head: "your chain still has the newest head that an earlier audit kept",
  statement: "the statement has exactly the transfers of the events",
  balances: "the balances are those after the last event",
} as const;
export type Rule = keyof typeof RULES;

/** Counts what each rule compared and what it found. */
export class Report {
  readonly #compared = new Map<Rule, number>();
  readonly #failed = new Set<Rule>();

  get isClean(): boolean {
    return this.#failed.size === 0;
  }

  /** Compares two texts. Returns the finding of a violation, or nothing. */
  *compare(rule: Rule, record: string | number, expected: string, found: string): Generator<Finding> {
    this.#compared.set(rule, (this.#compared.get(rule) ?? 0) + 1);
    if (expected === found) return;
    this.#failed.add(rule);
    yield {
      check: rule,
      result: "failed",
      detail: `${/^\d+$/.test(`${record}`) ? "event " : ""}${record}: expected ${expected}; found ${found}.`,
      facts: { record: `${record}`, expected, found },
    };
  }

  /** One finding for each rule without a violation. `skipped` gives the reason of rules that cannot run. */
  *summary(skipped: Partial<Record<Rule, string>>, notes: Partial<Record<Rule, string>>): Generator<Finding> {
    for (const [rule, holds] of Object.entries(RULES) as [Rule, string][]) {
      if (this.#failed.has(rule)) continue;
      const reason = skipped[rule];
      if (reason !== undefined) {
        yield { check: rule, result: "skipped", detail: reason };
        continue;
      }
      const note = notes[rule] === undefined ? "" : ` ${notes[rule]}`;
      yield {
        check: rule,
        result: "ok",
        detail: `${holds}: ${this.#compared.get(rule) ?? 0} compared.${note}`,
      };
    }
  }
}
