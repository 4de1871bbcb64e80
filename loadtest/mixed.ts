// A mixed day of a partner. Customers read prices and ask for quotes, and most quotes expire. Some customers
// trade. The back office reads and withdraws.
//   k6 run loadtest/mixed.ts
import exec from "k6/execution";
import { closeBooks, openBooks } from "./lib/books.ts";
import { runOptions, summaryOf } from "./lib/run.ts";
import { type Call, newName, partner, type Reply, send, settle } from "./lib/session.ts";
import { quoteCall, trade } from "./lib/trade.ts";

export const options = runOptions("mixed", partner);
export const setup = openBooks;
export const teardown = closeBooks;
export const handleSummary = summaryOf("mixed", partner);

const read = (step: Call["step"], target: string) => (): Promise<Reply> => send({ step, target });
/** The day of the statement. Yesterday is over, so nothing is added to it. */
const YESTERDAY = new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, "2026-01-31".length);

/** The actions of each hundred iterations. `count` is the number of iterations that run the action. */
const DAY: readonly (readonly [count: number, act: () => Promise<unknown>])[] = [
  [50, read("prices", "/v1/prices")],
  [20, () => settle(quoteCall())],
  [12, tradeOne],
  [6, read("balances", "/v1/balances")],
  [5, read("orders", "/v1/orders?limit=20")],
  [4, readOrder],
  [2, withdraw],
  [1, read("statement", `/v1/statement?from=${YESTERDAY}&to=${YESTERDAY}`)],
];
const HUNDRED = DAY.flatMap(([count, act]) => Array.from({ length: count }, () => act));
/**
 * The step between two entries of HUNDRED. It has no common divisor with 100, so a hundred iterations run
 * each entry once, and equal actions are spread out.
 */
const STRIDE = 37;

let lastOrder: string | undefined;

export default async function (): Promise<void> {
  await HUNDRED[exec.scenario.iterationInTest * STRIDE % HUNDRED.length]!();
}

async function tradeOne(): Promise<void> {
  lastOrder = await trade() ?? lastOrder;
}

async function readOrder(): Promise<void> {
  if (lastOrder === undefined) await tradeOne();
  if (lastOrder !== undefined) await send({ step: "order_read", target: `/v1/orders/${lastOrder}` });
}

function withdraw(): Promise<Reply> {
  return settle({
    step: "withdrawal",
    target: "/v1/withdrawals",
    body: `{"amount_sar":1,"reference":"${newName()}"}`,
    key: newName(),
    signed: true,
  });
}
