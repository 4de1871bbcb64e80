// Checks that the service executes one operation for each Idempotency-Key. A repeat gets the first reply's
// bytes. Another request under the same key is refused. Of two concurrent requests under one key, one is
// executed.
//   k6 run loadtest/idempotency.ts
import { check } from "k6";
import { closeBooks, openBooks } from "./lib/books.ts";
import { conflicts, doubleExecutions, repliesReplayed } from "./lib/counters.ts";
import { runOptions, summaryOf } from "./lib/run.ts";
import {
  type Call,
  codeOf,
  isDone,
  partner,
  postTogether,
  type Reply,
  send,
  settle,
  write,
} from "./lib/session.ts";
import { accept, orderBody, orderCall, quoteCall } from "./lib/trade.ts";

export const options = runOptions("idempotency", partner);
export const setup = openBooks;
export const teardown = closeBooks;
export const handleSummary = summaryOf("idempotency", partner);

/** A well-formed id that belongs to no quote. */
const OTHER_QUOTE = "qt_01890a5d-ac96-774b-bcce-b302099a8057";

export default async function (): Promise<void> {
  const quote = quoteCall();
  const first = await settle(quote);
  if (first.status !== 201) return;
  checkRepeat(await send({ ...quote, step: "quote_replay", expected: [200] }), first);
  await expectConflict({ ...quote, step: "quote_conflict", body: quote.body.replace("}", "1}") });

  const order = orderCall(first.json("quote_id") as string);
  const twin: Call = { ...order, step: "order_race" };
  const twins = postTogether([await write(twin), await write(twin)]);
  const settled = await settle({ ...order, step: "order_replay", expected: [200] });
  if (!isDone(settled)) return;
  accept();
  const executions = [...twins, settled].filter(({ status }) => status === 201);
  if (executions.length > 1) doubleExecutions.add(executions.length - 1);
  for (const reply of [...twins, settled]) {
    if (reply.status === 200) checkRepeat(reply, executions[0] ?? settled);
  }
  await expectConflict({ ...order, step: "order_conflict", body: orderBody(OTHER_QUOTE) });
}

/**
 * Counts a repeat with a different body as a double execution, because a replay returns the first reply's
 * bytes.
 */
function checkRepeat(repeat: Reply, first: Reply): void {
  if (!isDone(repeat)) return;
  const isSame = repeat.body === first.body;
  const isReplay = repeat.headers["Idempotent-Replayed"] === "true";
  check(repeat, {
    "a replay has the first reply's bytes and Idempotent-Replayed: true": () => isSame && isReplay,
  });
  if (!isSame) doubleExecutions.add(1);
  if (isSame && isReplay) repliesReplayed.add(1);
}

async function expectConflict(call: Call): Promise<void> {
  const reply = await send({ ...call, expected: [409] });
  const isConflict = () => codeOf(reply) === "idempotency_key_conflict";
  if (reply.status === 409 && check(reply, { "a 409 has the code idempotency_key_conflict": isConflict })) {
    conflicts.add(1);
  }
  if (isDone(reply)) doubleExecutions.add(1);
}
