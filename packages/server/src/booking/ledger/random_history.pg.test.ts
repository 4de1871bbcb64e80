import { assertEquals, assertGreaterOrEqual } from "@std/assert";
import fc from "fast-check";
import { before, describe, it } from "node:test";
import { publicIdOf, suiteOperators } from "../operator_fixture.ts";
import {
  bookOrder,
  bookWithdrawal,
  cancellationItem,
  cancelWithdrawal,
  newUuid,
  orderItem,
  plantQuote,
  withdrawalItem,
  wordOf,
} from "../fixture.ts";
import { type Action, HistoryModel, pick, PRICE_PIPS, type Step } from "./history_fixture.ts";
import { seedTests } from "../../../../../tools/testing/seed.ts";
import { suiteBooks } from "../../../testing/books.ts";
import { columnOf } from "../../../testing/rows.ts";

seedTests(import.meta.url);

const CLIENTS = 3;
const RUNS = 20;
const STEPS = {
  approve: "approveWithdrawal",
  reject: "rejectWithdrawal",
  pay: "payWithdrawal",
  return: "returnWithdrawal",
} as const satisfies Record<Step, unknown>;

/** The ids of the rows in the books. The model only numbers these rows. */
interface Names {
  readonly clients: number[];
  readonly publicIds: string[];
  readonly withdrawals: string[];
  /** The client of each withdrawal. */
  readonly owners: Map<string, number>;
  readonly deposits: string[];
  /** The prefix of this run's bank references, because a bank reference is unique in the whole database. */
  readonly run: string;
}

const client = fc.nat(CLIENTS - 1);
const operator = fc.nat(1);
const draw = fc.nat(999);
const amount = fc.bigInt(1n, 300n);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("withdraw" as const),
      client,
      amount,
      reference: fc.constantFrom(null, null, "A", "B"),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("step" as const),
      step: fc.constantFrom<Step[]>("approve", "approve", "reject", "pay", "return"),
      operator,
      withdrawal: draw,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const), withdrawal: draw }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("submit" as const),
      operator,
      withdrawals: fc.array(draw, { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("record" as const),
      operator,
      client,
      amount: fc.bigInt(300n, 900n),
      reference: fc.constantFrom("R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8"),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("approve_deposit" as const), operator, deposit: draw }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("reverse_deposit" as const), operator, deposit: draw }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("order" as const),
      client,
      side: fc.constantFrom("buy" as const, "sell" as const),
      grams: fc.bigInt(1n, 80n),
    }),
  },
);

/**
 * The start of each history. It has every outcome that the test must cover: two deposits, of which one is
 * reversed; a buy of gold; a refused withdrawal; and a withdrawal that is submitted to the bank.
 */
const opening: fc.Arbitrary<Action[]> = fc.record({
  client,
  operator,
  deposit: fc.bigInt(600n, 900n),
  grams: fc.bigInt(1n, 80n),
  amount,
}).map(({ client, operator, deposit, grams, amount }) => {
  const colleague = 1 - operator;
  return [
    { kind: "record", operator, client, amount: deposit, reference: "R1" },
    { kind: "approve_deposit", operator: colleague, deposit: 0 },
    { kind: "record", operator, client, amount: deposit, reference: "R2" },
    { kind: "approve_deposit", operator: colleague, deposit: 1 },
    { kind: "reverse_deposit", operator, deposit: 1 },
    { kind: "order", client, side: "buy", grams },
    { kind: "withdraw", client, amount: deposit + 1n, reference: null },
    { kind: "withdraw", client, amount, reference: "A" },
    { kind: "withdraw", client, amount: 1n, reference: "C" },
    { kind: "cancel", withdrawal: 1 },
    { kind: "step", step: "approve", operator, withdrawal: 0 },
    { kind: "submit", operator: colleague, withdrawals: [0] },
  ];
});
const history = fc.tuple(opening, fc.array(action, { minLength: 50, maxLength: 90 })).map((parts) =>
  parts.flat()
);

describe("a random history of deposits, withdrawals and orders", () => {
  const books = suiteBooks();
  const operators = suiteOperators(books);
  before(() => books.addBar(10_000_000n));

  /** Performs the action in the books, and returns its result in the model's words. */
  async function perform(action: Action, names: Names): Promise<string> {
    const acting = "operator" in action ? operators[action.operator]! : undefined;
    const withdrawalOf = (draw: number) => pick(names.withdrawals, draw) ?? newUuid();
    const depositOf = (draw: number) => pick(names.deposits, draw) ?? newUuid();
    switch (action.kind) {
      case "withdraw": {
        const item = withdrawalItem(names.clients[action.client]!, action.amount, {
          reference: action.reference ?? undefined,
        });
        const word = wordOf(await bookWithdrawal(books.api, item));
        if (word === "answered 201") {
          names.withdrawals.push(item.id);
          names.owners.set(item.id, item.client);
        }
        return word;
      }
      case "step":
        return codeOf(await acting![STEPS[action.step]](withdrawalOf(action.withdrawal)));
      case "cancel": {
        const id = pick(names.withdrawals, action.withdrawal);
        const owner = id === undefined ? names.clients[0]! : names.owners.get(id)!;
        const outcome = await cancelWithdrawal(books.api, cancellationItem(owner, id ?? newUuid()));
        return outcome.outcome === "answered" ? wordOf(outcome) : outcome.outcome;
      }
      case "submit":
        return codeOf(await acting!.submitWithdrawals(action.withdrawals.map(withdrawalOf), newUuid()));
      case "record": {
        const { client, amount, reference } = action;
        const recorded = acting!.recordDeposit(names.publicIds[client]!, amount, `${names.run} ${reference}`);
        return await recorded.then((id) => (names.deposits.push(id), "done"), ({ code }) => code);
      }
      case "approve_deposit":
        return codeOf(await acting!.approveDeposit(depositOf(action.deposit)));
      case "reverse_deposit":
        return codeOf(await acting!.reverseDeposit(depositOf(action.deposit)));
      case "order": {
        const { side, grams } = action;
        const owner = names.clients[action.client]!;
        const quote = await plantQuote(books.sql, {
          client: owner,
          side,
          grams,
          price: PRICE_PIPS[side],
          ageSeconds: 0,
        });
        return wordOf(await bookOrder(books.api, orderItem(owner, quote)));
      }
    }
  }

  async function stage(): Promise<Names> {
    const names: Names = {
      clients: [],
      publicIds: [],
      withdrawals: [],
      owners: new Map(),
      deposits: [],
      run: newUuid(),
    };
    for (let n = 0; n < CLIENTS; n++) {
      names.clients.push(await books.createClient());
      names.publicIds.push(await publicIdOf(books, names.clients[n]!));
    }
    return names;
  }

  /** The balances at each event's instant. If several events share an instant, the last one counts. */
  async function pastOf(client: number): Promise<string[]> {
    return await columnOf(books.sql`
      select concat_ws(' ', e.sequence, b.available, b.held, b.gold) as line
      from (select created_at, max(sequence) as sequence from gold.event where client_id = ${client} group by created_at) e
      cross join lateral gold.balance_at(${client}, e.created_at) b order by e.sequence`);
  }

  it("matches the model in every answer, in the final balances and in every past balance", async () => {
    const verdicts = new Map<string, number>();
    const judged = fc.asyncProperty(history, async (actions) => {
      const [model, names] = [new HistoryModel(CLIENTS), await stage()];
      for (const each of actions) {
        const expected = model.take(each);
        assertEquals(await perform(each, names), expected);
        const label = `${each.kind} ${expected}`;
        verdicts.set(label, (verdicts.get(label) ?? 0) + 1);
      }
      await books.sql`select pg_sleep(0.002)`;
      for (const [n, owner] of names.clients.entries()) {
        const lines = model.past[n]!.map(({ available, held, gold }, at) =>
          `${at + 1} ${available} ${held} ${gold}`
        );
        const past = await pastOf(owner);
        assertEquals(past.filter((line) => !lines.includes(line)), []);
        assertEquals(past.at(-1), lines.at(-1));
        const [account] = await books.sql`
          select concat_ws(' ', event_sequence, sar_available, sar_held, gold) as line from gold.account where client_id = ${owner}`;
        assertEquals(account!.line, lines.at(-1) ?? "0 0 0 0");
      }
    });
    await fc.assert(judged, { numRuns: RUNS });
    assertEquals(await books.defects(), []);
    assertEquals((await books.sql`select from gold.verify_audit()`).length, 0);
    // Each of these outcomes must occur, because the test would otherwise not check it.
    const labels = [
      "submit done",
      "step done",
      "reverse_deposit done",
      "order answered 201",
      "withdraw answered insufficient_funds",
      "cancel answered 201",
    ];
    for (const label of labels) {
      assertGreaterOrEqual(verdicts.get(label) ?? 0, RUNS, `${label}: ${JSON.stringify([...verdicts])}`);
    }
  });
});

const codeOf = (verdict: string): string => verdict.split(" ")[0]!;
