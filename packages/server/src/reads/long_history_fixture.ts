import type { TestBooks } from "../../testing/books.ts";
import { type Action, HistoryModel, PRICE_PIPS, type Step } from "../booking/ledger/history_fixture.ts";
import { hireOperator, publicIdOf } from "../booking/operator_fixture.ts";
import { sendOrders } from "../booking/trading/book_orders.ts";
import {
  bookWithdrawal,
  newUuid,
  orderItem,
  plantQuote,
  withdrawalItem,
  wordOf,
} from "../booking/fixture.ts";

type Order = Action & { kind: "order" };
type Draw = (bound: number) => number;

const BATCH = 40;
const STEPS = {
  approve: "approveWithdrawal",
  reject: "rejectWithdrawal",
  pay: "payWithdrawal",
  return: "returnWithdrawal",
} as const satisfies Record<Step, unknown>;
/** The possible next steps of a withdrawal, by its status. Submitting is a separate action. */
const NEXT: Record<string, readonly (Step | "submit")[]> = {
  pending_approval: ["approve", "approve", "reject"],
  approved: ["submit", "submit", "reject"],
  submitted: ["pay", "pay", "return"],
  paid: ["return"],
};

/** Performs at least `operations` random operations. Throws if the database and the model differ. */
export async function playLongHistory(
  books: TestBooks,
  clients: readonly number[],
  operations: number,
  draw: Draw,
): Promise<HistoryModel> {
  const model = new HistoryModel(clients.length);
  const [maker, checker] = [await hireOperator(books), await hireOperator(books)];
  const operators = [maker, checker];
  const publicIds = await Promise.all(clients.map((client) => publicIdOf(books, client)));
  const withdrawals: string[] = [];
  const deposits: string[] = [];

  const perform = async (action: Exclude<Action, Order | { readonly kind: "cancel" }>): Promise<string> => {
    switch (action.kind) {
      case "withdraw": {
        const item = withdrawalItem(clients[action.client]!, action.amount);
        const word = wordOf(await bookWithdrawal(books.api, item));
        if (word === "answered 201") withdrawals.push(item.id);
        return word;
      }
      case "step":
        return await operators[action.operator]![STEPS[action.step]](withdrawals[action.withdrawal]!);
      case "submit":
        return await operators[action.operator]!.submitWithdrawals(
          action.withdrawals.map((n) => withdrawals[n]!),
          newUuid(),
        );
      case "record":
        deposits.push(await maker.recordDeposit(publicIds[action.client]!, action.amount, action.reference));
        return "done";
      case "approve_deposit":
        return await operators[action.operator]!.approveDeposit(deposits[action.deposit]!);
      case "reverse_deposit":
        return await operators[action.operator]!.reverseDeposit(deposits[action.deposit]!);
    }
  };
  const agree = (action: Action, answer: string): void => {
    const expected = model.take(action);
    if (!answer.startsWith(expected)) {
      throw new Error(`${JSON.stringify(action, textOf)}: database ${answer}, model ${expected}`);
    }
  };
  const trade = async (): Promise<number> => {
    const orders = Array.from({ length: BATCH }, () => drawOrder(clients.length, draw));
    const quotes = await Promise.all(
      orders.map(({ client, side, grams }) =>
        plantQuote(books.sql, {
          client: clients[client]!,
          side,
          grams,
          price: PRICE_PIPS[side],
          ageSeconds: 0,
        })
      ),
    );
    const items = orders.map(({ client }, index) => orderItem(clients[client]!, quotes[index]!));
    const outcomes = await sendOrders(books.api)(items, { wait: true, settle: false });
    orders.forEach((order, index) => agree(order, wordOf(outcomes[index]!)));
    return BATCH;
  };

  for (let played = 0; played < operations;) {
    if (draw(20) === 0) {
      played += await trade();
      continue;
    }
    const action = drawAction(model, clients.length, draw);
    agree(action, await perform(action));
    played++;
  }
  for (const operator of operators) await operator.leave();
  return model;
}

const textOf = (_name: string, value: unknown) => typeof value === "bigint" ? `${value}` : value;

const drawOrder = (clients: number, draw: Draw): Order => ({
  kind: "order",
  client: draw(clients),
  side: draw(2) === 0 ? "buy" : "sell",
  grams: BigInt(1 + draw(2000)),
});

/**
 * Draws an action that succeeds in most cases. Operator 0 records deposits and approves withdrawals. Operator
 * 1 approves deposits and submits withdrawals, because each of these needs a second person.
 */
function drawAction(
  model: HistoryModel,
  clients: number,
  draw: Draw,
): Exclude<Action, Order | { readonly kind: "cancel" }> {
  const [client, amount, kind] = [draw(clients), BigInt(1 + draw(500_000)), draw(9)];
  if (kind === 0) return { kind: "withdraw", client, amount, reference: null };
  const recorded = model.deposits.findIndex(({ status }) => status === "recorded");
  if (kind <= 2 && recorded >= 0) return { kind: "approve_deposit", operator: 1, deposit: recorded };
  if (kind === 3 && model.deposits.length > 0) {
    return { kind: "reverse_deposit", operator: 0, deposit: draw(model.deposits.length) };
  }
  const open = model.withdrawals.flatMap(({ status }, n) => status in NEXT ? [{ n, status }] : []);
  if (kind >= 4 && open.length > 0) {
    const { n, status } = open[draw(open.length)]!;
    const next = NEXT[status]!;
    const step = next[draw(next.length)]!;
    return step === "submit"
      ? { kind: "submit", operator: 1, withdrawals: [n] }
      : { kind: "step", step, operator: 0, withdrawal: n };
  }
  return { kind: "record", operator: 0, client, amount, reference: `R${model.deposits.length}` };
}
