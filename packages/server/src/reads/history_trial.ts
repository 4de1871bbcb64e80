import { randomUUID } from "node:crypto";
import type { TrialBooks } from "@gold-partner/dev";
import type { Outcome } from "../booking/outcome.ts";
import {
  approveDeposit,
  approveWithdrawal,
  hireOperator,
  payWithdrawal,
  publicIdOf,
  recordDeposit,
  rejectWithdrawal,
  returnWithdrawal,
  reverseDeposit,
  submitWithdrawals,
} from "../booking/operator_trial.ts";
import { sendOrders } from "../booking/trading/book_orders.ts";
import {
  bookFunding,
  bookWithdrawal,
  fundingItem,
  newUuid,
  orderItem,
  plantQuote,
  withdrawalItem,
} from "../booking/trial.ts";

/** What a client holds, by a reckoning of the test's own. */
export interface Held {
  readonly available: bigint;
  readonly held: bigint;
  readonly gold: bigint;
}

/** A client's balances after each of its events: entry n is after the n-th. */
export type History = Held[];

interface OpenWithdrawal {
  readonly id: string;
  readonly history: History;
  readonly client: number;
  readonly amount: bigint;
  state: "pending" | "approved" | "submitted" | "paid";
}

interface OpenDeposit {
  readonly id: string;
  readonly client: number;
  readonly amount: bigint;
}

const PRICE_PIPS = 3_213_579n;
const BATCH = 40;
const NOTHING: Held = { available: 0n, held: 0n, gold: 0n };

/** Plays as many operations on the clients as asked for, drawn by `draw`, which gives a whole number below its bound. */
export async function playHistory(
  books: TrialBooks,
  clients: readonly number[],
  operations: number,
  draw: (bound: number) => number,
): Promise<Map<number, History>> {
  const histories = new Map<number, History>(clients.map((client) => [client, [NOTHING]]));
  const withdrawals: OpenWithdrawal[] = [];
  const deposits: OpenDeposit[] = [];
  const [maker, checker] = [await hireOperator(books), await hireOperator(books)];
  const publicIds = new Map<number, string>();
  for (const client of clients) publicIds.set(client, await publicIdOf(books, client));

  const last = (client: number): Held => histories.get(client)!.at(-1)!;
  const moves = (client: number, by: Partial<Held>): void => {
    const { available, held, gold } = last(client);
    histories.get(client)!.push({
      available: available + (by.available ?? 0n),
      held: held + (by.held ?? 0n),
      gold: gold + (by.gold ?? 0n),
    });
  };
  const expect = (says: string, outcome: string | Outcome, success: boolean): void => {
    const succeeded = typeof outcome === "string" ? outcome === "done" : outcome.status === 201;
    if (succeeded !== success) {
      throw new Error(`${says} should ${success ? "" : "not "}succeed: ${JSON.stringify(outcome)}`);
    }
  };
  const anyClient = () => clients[draw(clients.length)]!;
  const amount = () => BigInt(1 + draw(500_000));

  const trade = async () => {
    const asked = Array.from({ length: BATCH }, () => ({
      client: anyClient(),
      side: draw(2) === 0 ? "buy" as const : "sell" as const,
      grams: BigInt(1 + draw(2000)),
    }));
    const quotes = await Promise.all(
      asked.map((one) => plantQuote(books.sql, { ...one, price: PRICE_PIPS, ageSeconds: 0 })),
    );
    const items = asked.map(({ client }, index) => orderItem(client, quotes[index]!));
    const outcomes = await sendOrders(books.api)(items, { wait: true, settle: false });
    asked.forEach(({ client, side, grams }, index) => {
      const [whole, rest] = [grams * PRICE_PIPS / 1_000_000n, grams * PRICE_PIPS % 1_000_000n];
      const total = side === "buy" && rest > 0n ? whole + 1n : whole;
      const { available, gold } = last(client);
      const possible = side === "buy" ? available >= total : gold >= grams;
      expect(`${side} ${grams}`, outcomes[index]!, possible);
      if (!possible) return;
      moves(client, side === "buy" ? { available: -total, gold: grams } : { available: total, gold: -grams });
    });
    return BATCH;
  };
  const fund = async () => {
    const [client, halalas] = [anyClient(), amount()];
    expect("funding", await bookFunding(books.api, fundingItem(client, halalas)), true);
    moves(client, { available: halalas });
    return 1;
  };
  const withdraw = async () => {
    const [client, halalas] = [anyClient(), amount()];
    const item = withdrawalItem(client, halalas);
    const possible = last(client).available >= halalas;
    expect("withdrawal", await bookWithdrawal(books.api, item), possible);
    if (!possible) return 1;
    moves(client, { available: -halalas, held: halalas });
    withdrawals.push({
      id: item.id,
      history: histories.get(client)!,
      client,
      amount: halalas,
      state: "pending",
    });
    return 1;
  };
  const step = async () => {
    const index = draw(Math.max(withdrawals.length, 1));
    const one = withdrawals[index];
    if (!one) return 0;
    const back = { available: one.amount, held: -one.amount };
    const onward = draw(4) > 0;
    const end = () => void withdrawals.splice(index, 1);
    if (one.state === "pending" && onward) {
      expect("approve", await approveWithdrawal(maker, one.id), true);
      moves(one.client, {});
      one.state = "approved";
    } else if (one.state === "approved" && onward) {
      expect("submit", await submitWithdrawals(checker, [one.id], newUuid()), true);
      moves(one.client, {});
      one.state = "submitted";
    } else if (one.state === "submitted" && onward) {
      expect("pay", await payWithdrawal(checker, one.id), true);
      moves(one.client, { held: -one.amount });
      one.state = "paid";
    } else if (one.state === "paid") {
      end();
      if (onward) return 0;
      expect("return", await returnWithdrawal(maker, one.id), true);
      moves(one.client, { available: one.amount });
    } else if (one.state === "submitted") {
      expect("return", await returnWithdrawal(maker, one.id), true);
      moves(one.client, back);
      end();
    } else {
      expect("reject", await rejectWithdrawal(maker, one.id), true);
      moves(one.client, back);
      end();
    }
    return 1;
  };
  const deposit = async () => {
    const [client, halalas] = [anyClient(), amount()];
    const id = await recordDeposit(maker, publicIds.get(client)!, halalas, randomUUID());
    if (draw(5) === 0) return 1;
    expect("deposit", await approveDeposit(checker, id), true);
    moves(client, { available: halalas });
    deposits.push({ id, client, amount: halalas });
    return 2;
  };
  const reverse = async () => {
    const index = draw(Math.max(deposits.length, 1));
    const one = deposits[index];
    if (!one) return 0;
    const possible = last(one.client).available >= one.amount;
    expect("reversal", await reverseDeposit(maker, one.id), possible);
    if (!possible) return 1;
    moves(one.client, { available: -one.amount });
    deposits.splice(index, 1);
    return 1;
  };

  const kinds = [fund, withdraw, step, step, step, deposit, reverse];
  for (let played = 0; played < operations;) {
    played += await (draw(20) === 0 ? trade : kinds[draw(kinds.length)]!)();
  }
  for (const operator of [maker, checker]) await operator.leave();
  return histories;
}
