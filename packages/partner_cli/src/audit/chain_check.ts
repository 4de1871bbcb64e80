import {
  type AccountEvent,
  type ChainBalances,
  chainHead,
  type ChainKey,
  chainSalt,
  lineMembers,
  type RecordLine,
} from "@gold-partner/client";
import type { Finding } from "../command.ts";
import { partsOf } from "./line_parts.ts";
import type { Report } from "./rules.ts";

const EMPTY: ChainBalances = { available: 0n, held: 0n, gold: 0n };
/** The fields before the first transfer, and the fields of one transfer. */
const [HEAD_FIELDS, LEG_FIELDS] = [5, 8];

/** Checks the numbers, the links and the lines of the events, and adds up the balances. */
export class ChainCheck {
  readonly #report: Report;
  readonly #key: ChainKey;
  readonly #isWhole: boolean;
  readonly #paid = new Set<string>();
  #next: number;
  #head: string | undefined;
  #balances: ChainBalances | undefined;

  /** `head` is the head before event `from`. The audit trusts it, because it does not read earlier events. */
  constructor(report: Report, key: ChainKey, from: number, head: string | undefined) {
    this.#report = report;
    this.#key = key;
    this.#isWhole = from === 1;
    this.#next = from;
    this.#head = head;
    this.#balances = from === 1 ? EMPTY : undefined;
  }

  /** The balances after the last event; undefined until an event states them. */
  get balances(): ChainBalances | undefined {
    return this.#balances;
  }

  /**
   * The balances before an event. If the audit does not begin at event 1, they follow from the first transfer
   * that it reads.
   */
  balancesBefore(event: AccountEvent): ChainBalances | undefined {
    if (this.#balances) return this.#balances;
    const [change] = this.recordOf(event, EMPTY)?.after ?? [];
    const after = statedBalances(event.line, 1);
    if (!change || !after) return undefined;
    return {
      available: after.available - change.available,
      held: after.held - change.held,
      gold: after.gold - change.gold,
    };
  }

  recordOf(event: AccountEvent, before: ChainBalances = EMPTY): RecordLine | undefined {
    return lineMembers(event, this.#key.client_number, before, this.#wasPaid(event));
  }

  *check(event: AccountEvent, record: RecordLine | undefined): Generator<Finding> {
    const { sequence, line = "", data: { chain_head } } = event;
    yield* this.#report.compare("sequence", sequence, `event ${this.#next}`, `event ${sequence}`);
    yield* this.#report.compare("link", sequence, chainHead(this.#head, line), chain_head);
    if (record) yield* this.#checkLine(event, record);
    else yield* this.#report.compare("line", sequence, "a type that this program knows", event.type);
    this.#next = sequence + 1;
    this.#head = chain_head;
    if (event.type === "withdrawal.paid") this.#paid.add(event.data.withdrawal.withdrawal_id);
    // Continue with the balances that the line states. A wrong one is then reported once.
    if (record && record.legs.length > 0) {
      this.#balances = statedBalances(line, record.legs.length) ?? record.after.at(-1)!;
    }
  }

  *#checkLine({ sequence, line }: AccountEvent, { members }: RecordLine): Generator<Finding> {
    const { version, fields, salt } = partsOf(line);
    const isBalance = (name: string) => name.startsWith("balance");
    for (const rule of ["line", "balance_after"] as const) {
      const ruled = members.map((member, index) => ({ ...member, found: fields[index] }))
        .filter(({ name }) => isBalance(name) === (rule === "balance_after"));
      if (ruled.length === 0) continue;
      const wrong = ruled.find(({ value, found }) =>
        found === undefined || (value !== undefined && value !== found)
      );
      const { name, value, found } = wrong ?? { name: "", value: "", found: "" };
      yield* this.#report.compare(
        rule,
        sequence,
        `${name} ${value ?? "a hash"}`,
        `${name} ${found ?? "nothing"}`,
      );
    }
    const shape = [version === "1" ? "1" : "2", members.length];
    yield* this.#report.compare(
      "line",
      sequence,
      `version and length ${shape}`,
      `version and length ${[version, fields.length]}`,
    );
    if (version !== "1") {
      yield* this.#report.compare(
        "line",
        sequence,
        `salt ${chainSalt(this.#key.chain_key, sequence)}`,
        `salt ${salt}`,
      );
    }
  }

  /** Whether a returned withdrawal was paid before. If the payment is before `--from`, the line shows it. */
  #wasPaid(event: AccountEvent): boolean {
    if (event.type !== "withdrawal.returned") return false;
    const debit = partsOf(event.line).fields[HEAD_FIELDS + 1];
    return this.#paid.has(event.data.withdrawal.withdrawal_id) || (!this.#isWhole && debit === "1");
  }
}

/** The balances that a line states after its transfer with this number, counted from 1. */
function statedBalances(line: string | undefined, leg: number): ChainBalances | undefined {
  const end = HEAD_FIELDS + LEG_FIELDS * leg;
  const stated = partsOf(line).fields.slice(end - 3, end);
  if (stated.length < 3 || !stated.every((each) => /^-?\d{1,18}$/.test(each))) return undefined;
  const [available, held, gold] = stated.map(BigInt);
  return { available: available!, held: held!, gold: gold! };
}
