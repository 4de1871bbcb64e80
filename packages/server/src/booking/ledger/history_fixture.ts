/**
 * A model of the books without a database. It says how deposits, withdrawals and orders must be answered and
 * how they must change the balances. Tests compare the books with the model.
 */

export interface Balance {
  readonly available: bigint;
  readonly held: bigint;
  readonly gold: bigint;
}

export type Step = "approve" | "reject" | "pay" | "return";
export type Action =
  | {
    readonly kind: "withdraw";
    readonly client: number;
    readonly amount: bigint;
    readonly reference: string | null;
  }
  | { readonly kind: "step"; readonly step: Step; readonly operator: number; readonly withdrawal: number }
  | { readonly kind: "cancel"; readonly withdrawal: number }
  | { readonly kind: "submit"; readonly operator: number; readonly withdrawals: readonly number[] }
  | {
    readonly kind: "record";
    readonly operator: number;
    readonly client: number;
    readonly amount: bigint;
    readonly reference: string;
  }
  | {
    readonly kind: "approve_deposit" | "reverse_deposit";
    readonly operator: number;
    readonly deposit: number;
  }
  | {
    readonly kind: "order";
    readonly client: number;
    readonly side: "buy" | "sell";
    readonly grams: bigint;
  };

type Status = "pending_approval" | "approved" | "submitted" | "paid" | "rejected" | "returned" | "cancelled";
interface Withdrawal {
  readonly client: number;
  readonly amount: bigint;
  readonly reference: string | null;
  status: Status;
  approver?: number;
}
interface Deposit {
  readonly client: number;
  readonly amount: bigint;
  readonly reference: string;
  readonly recorder: number;
  status: "recorded" | "approved" | "reversed";
}

const FOLLOWS: Record<Step, readonly [to: Status, from: readonly Status[]]> = {
  approve: ["approved", ["pending_approval"]],
  reject: ["rejected", ["pending_approval", "approved"]],
  pay: ["paid", ["submitted"]],
  return: ["returned", ["submitted", "paid"]],
};
export const PRICE_PIPS = { buy: 3_210_000n, sell: 3_190_000n };
const REFUSED = "GR409";
const ABSENT = "GR404";
const EXECUTED = "answered 201";

/** Picks one of the items. Sometimes returns undefined, which means an item that does not exist. */
export const pick = <Item>(items: readonly Item[], draw: number): Item | undefined =>
  items[draw % (items.length + 1)];

export class HistoryModel {
  /** For each client, the balance after each event. */
  readonly past: Balance[][];
  readonly withdrawals: Withdrawal[] = [];
  readonly deposits: Deposit[] = [];

  constructor(clients: number) {
    this.past = Array.from({ length: clients }, () => []);
  }

  balanceOf(client: number): Balance {
    return this.past[client]!.at(-1) ?? { available: 0n, held: 0n, gold: 0n };
  }

  /**
   * Returns the answer that the books must give. If the answer is a success, the model applies the action.
   */
  take(action: Action): string {
    switch (action.kind) {
      case "withdraw":
        return this.#withdraw(action.client, action.amount, action.reference);
      case "step":
        return this.#step(action.step, action.withdrawal, action.operator);
      case "cancel":
        return this.#cancel(action.withdrawal);
      case "submit":
        return this.#submit(action.withdrawals, action.operator);
      case "record":
        return this.#record(action);
      case "approve_deposit":
        return this.#approveDeposit(action.deposit, action.operator);
      case "reverse_deposit":
        return this.#reverseDeposit(action.deposit);
      case "order":
        return this.#order(action.client, action.side, action.grams);
    }
  }

  #move(client: number, available: bigint, held = 0n, gold = 0n): void {
    const before = this.balanceOf(client);
    this.past[client]!.push({
      available: before.available + available,
      held: before.held + held,
      gold: before.gold + gold,
    });
  }

  #withdraw(client: number, amount: bigint, reference: string | null): string {
    const live = this.withdrawals.some((other) =>
      other.client === client && reference !== null && other.reference === reference &&
      !["rejected", "returned", "cancelled"].includes(other.status)
    );
    if (live) return "answered withdrawal_reference_reused";
    if (this.balanceOf(client).available < amount) return "answered insufficient_funds";
    this.withdrawals.push({ client, amount, reference, status: "pending_approval" });
    this.#move(client, -amount, amount);
    return EXECUTED;
  }

  #step(step: Step, draw: number, operator: number): string {
    const withdrawal = pick(this.withdrawals, draw);
    if (!withdrawal) return ABSENT;
    const [to, from] = FOLLOWS[step];
    if (!from.includes(withdrawal.status)) return REFUSED;
    const { client, amount, status } = withdrawal;
    withdrawal.status = to;
    if (to === "approved") withdrawal.approver = operator;
    const held = status === "paid" ? 0n : -amount;
    if (to === "approved") this.#move(client, 0n);
    else if (to === "paid") this.#move(client, 0n, held);
    else this.#move(client, amount, held);
    return "done";
  }

  #cancel(draw: number): string {
    const withdrawal = pick(this.withdrawals, draw);
    if (!withdrawal) return "not_found";
    if (withdrawal.status !== "pending_approval") return "answered withdrawal_not_pending";
    withdrawal.status = "cancelled";
    this.#move(withdrawal.client, withdrawal.amount, -withdrawal.amount);
    return EXECUTED;
  }

  #submit(draws: readonly number[], operator: number): string {
    const named = [...new Set(draws.map((draw) => pick(this.withdrawals, draw)))].filter((known) =>
      known !== undefined
    );
    const refused = named.some(({ status, approver }) => status !== "approved" || approver === operator);
    if (named.length !== draws.length) return ABSENT;
    if (refused) return REFUSED;
    for (const withdrawal of named) {
      withdrawal.status = "submitted";
      this.#move(withdrawal.client, 0n);
    }
    return "done";
  }

  #record({ client, amount, reference, operator }: Action & { kind: "record" }): string {
    if (this.deposits.some((other) => other.reference === reference && other.status !== "reversed")) {
      return REFUSED;
    }
    this.deposits.push({ client, amount, reference, recorder: operator, status: "recorded" });
    return "done";
  }

  #approveDeposit(draw: number, operator: number): string {
    const deposit = pick(this.deposits, draw);
    if (!deposit) return ABSENT;
    if (deposit.status !== "recorded" || deposit.recorder === operator) return REFUSED;
    deposit.status = "approved";
    this.#move(deposit.client, deposit.amount);
    return "done";
  }

  #reverseDeposit(draw: number): string {
    const deposit = pick(this.deposits, draw);
    if (!deposit) return ABSENT;
    const { client, amount, status } = deposit;
    if (status === "reversed" || (status === "approved" && this.balanceOf(client).available < amount)) {
      return REFUSED;
    }
    deposit.status = "reversed";
    if (status === "approved") this.#move(client, -amount);
    return "done";
  }

  #order(client: number, side: "buy" | "sell", grams: bigint): string {
    const { available, gold } = this.balanceOf(client);
    const product = grams * PRICE_PIPS[side];
    if (side === "sell") {
      if (gold < grams) return "answered insufficient_gold";
      this.#move(client, product / 1_000_000n, 0n, -grams);
      return EXECUTED;
    }
    const total = (product + 999_999n) / 1_000_000n;
    if (available < total) return "answered insufficient_funds";
    this.#move(client, -total, 0n, grams);
    return EXECUTED;
  }
}
