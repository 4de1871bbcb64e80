import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { balanceOf, publicIdOf, suiteOperator, suiteOperators, verdictOf } from "../operator_fixture.ts";
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
import { sendOrders } from "../trading/book_orders.ts";
import { itLeavesNoDefectsInAudit, suiteBooks } from "../../../testing/books.ts";

const GRAM = { side: "buy", grams: 100n, price: 3_210_000n, ageSeconds: 0 } as const;
const CROWD = 100;
/** How often a cancellation and an approval of one withdrawal start together. */
const RACES = Number(process.env.CANCELLATION_RACES ?? 500);

describe("concurrent withdrawals", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);
  const crowded = suiteOperator(books, 20);
  let services: Sql;
  let operators: Sql;
  before(async () => {
    await books.addBar(10_000_000n);
    [services, operators] = [books.connect("gold_api", 40), crowded.sql];
  });

  const crowd = <T>(run: (n: number) => Promise<T>, size = CROWD): Promise<T[]> =>
    Promise.all(Array.from({ length: size }, (_, n) => run(n)));
  const countOf = (words: readonly string[], word: string): number =>
    words.filter((each) => each === word).length;
  const stepAs = (name: string, id: string) =>
    verdictOf(operators.unsafe(`select gold.${name}_withdrawal('${id}')`));
  const submitAs = (id: string) =>
    verdictOf(
      operators`
        select gold.submit_payment(p.batch, array[${id}::uuid], p.prepared_at, p.sha256)
        from gold.prepare_payment(array[${id}::uuid]) p`,
    );

  async function withdraw(client: number, amount: bigint): Promise<string> {
    const item = withdrawalItem(client, amount);
    assertEquals(wordOf(await bookWithdrawal(books.api, item)), "answered 201");
    return item.id;
  }

  it("exactly one of a hundred withdrawals of the whole balance succeeds", async () => {
    const client = await books.createClient({ halalas: 500n });
    const words = await crowd(async () =>
      wordOf(await bookWithdrawal(services, withdrawalItem(client, 500n)))
    );
    assertEquals([countOf(words, "answered 201"), countOf(words, "answered insufficient_funds")], [
      1,
      CROWD - 1,
    ]);
    assertEquals(await balanceOf(books, client), "0 500 0");
  });

  it("exactly one of a hundred withdrawals with one reference succeeds", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const words = await crowd(async () =>
      wordOf(await bookWithdrawal(services, withdrawalItem(client, 5n, { reference: "R" })))
    );
    assertEquals([countOf(words, "answered 201"), countOf(words, "answered withdrawal_reference_reused")], [
      1,
      CROWD - 1,
    ]);
  });

  it("exactly one of a hundred withdrawals with one nonce spends it", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const nonce = newUuid();
    const words = await crowd(async () =>
      wordOf(await bookWithdrawal(services, withdrawalItem(client, 5n, { nonce })))
    );
    assertEquals([countOf(words, "answered 201"), countOf(words, "nonce_reused")], [1, CROWD - 1]);
    assertEquals(await balanceOf(books, client), "99995 5 0");
  });

  it("exactly one of the steps that exclude each other succeeds", async () => {
    for (let round = 0; round < 5; round++) {
      const client = await books.createClient({ halalas: 100n });
      const id = await withdraw(client, 40n);
      const approvals = await crowd(() => stepAs("approve", id), 20);
      assertEquals(countOf(approvals, "done"), 1);
      // Let the maker approve this withdrawal. All calls of the crowd share one login, and a login cannot
      // submit what it approved.
      const other = await withdraw(client, 30n);
      assertEquals(await maker.approveWithdrawal(other), "done");
      const leaving = await crowd((n) => n % 2 ? stepAs("reject", other) : submitAs(other), 20);
      assertEquals(countOf(leaving, "done"), 1, leaving.join());
      const [step] = await books
        .sql`select status from gold.withdrawal_step where withdrawal_id = ${other} order by sequence desc limit 1`;
      assertEquals(await balanceOf(books, client), step!.status === "submitted" ? "30 70 0" : "60 40 0");
    }
  });

  it("exactly one of a cancellation and an approval succeeds", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const won = { cancellation: 0, approval: 0 };
    await Promise.all(Array.from({ length: 10 }, async (_, lane) => {
      for (let round = 0; round < RACES / 10; round++) {
        const id = await withdraw(client, 1n);
        const both = [
          () => cancelWithdrawal(services, cancellationItem(client, id)).then(wordOf),
          () => stepAs("approve", id),
        ];
        const started = (lane + round) % 2 ? both : both.toReversed();
        const words = await Promise.all(started.map((start) => start()));
        const wins = words.filter((word) => word === "done" || word === "answered 201");
        assertEquals(wins.length, 1, words.join());
        won[wins[0] === "done" ? "approval" : "cancellation"]++;
        const lost = wins[0] === "done"
          ? "answered withdrawal_not_pending"
          : /^GR409 .* is cancelled; only one/;
        assertEquals(
          words.some((word) => typeof lost === "string" ? word === lost : lost.test(word)),
          true,
          words.join(),
        );
      }
    }));
    assertEquals(won.cancellation + won.approval, RACES);
    assertEquals(won.cancellation > 0 && won.approval > 0, true, JSON.stringify(won));
    assertEquals(await balanceOf(books, client), `${100_000 - won.approval} ${won.approval} 0`);
  });

  it("the money leaves once and comes back once at most in races of payments and returns", async () => {
    for (let round = 0; round < 5; round++) {
      const client = await books.createClient({ halalas: 100n });
      const id = await withdraw(client, 40n);
      await maker.approveWithdrawal(id);
      await checker.submitWithdrawals([id], newUuid());
      const verdicts = await crowd((n) => stepAs(n % 2 ? "pay" : "return", id), 20);
      const rows = await books
        .sql`select status from gold.withdrawal_step where withdrawal_id = ${id} order by sequence`;
      assertEquals(countOf(verdicts, "done"), rows.length - 3);
      const end = rows.at(-1)!.status;
      assertEquals(await balanceOf(books, client), end === "paid" ? "60 0 0" : "100 0 0");
    }
  });

  it("exactly one of a deposit's reversal, an order and a withdrawal gets the money", async () => {
    const won = { reversal: 0, spending: 0 };
    for (let round = 0; round < 20; round++) {
      const client = await books.createClient();
      const deposit = await maker.recordDeposit(await publicIdOf(books, client), 321n, `RACE-${round}`);
      assertEquals(await checker.approveDeposit(deposit), "done");
      const order = orderItem(client, await plantQuote(books.sql, { ...GRAM, grams: 10_000n, client }));
      const all = [
        () => verdictOf(operators`select gold.reverse_deposit(${deposit})`),
        () => bookOrder(services, order).then(wordOf),
        () => bookWithdrawal(services, withdrawalItem(client, 321n)).then(wordOf),
      ];
      const started = round % 2 ? all.toReversed() : all;
      // Let the first call start a few milliseconds ahead in some rounds. Otherwise the same call could win
      // every round on a busy machine.
      const words = await Promise.all(started.map((start, n) => sleep(5 * n * (round % 3)).then(start)));
      const [reversal] = words.filter((word) => word === "done" || word.startsWith("GR409"));
      const spent = countOf(words, "answered 201");
      assertEquals(spent + (reversal === "done" ? 1 : 0), 1, words.join());
      won[reversal === "done" ? "reversal" : "spending"]++;
    }
    assertEquals(won.reversal > 0 && won.spending > 0, true, JSON.stringify(won));
  });

  it("batches of orders and operators' commands on the same clients cause no deadlock", async () => {
    const clients = await Promise.all(
      Array.from({ length: 8 }, () => books.createClient({ halalas: 1_000_000n })),
    );
    const publicIds = await Promise.all(clients.map((client) => publicIdOf(books, client)));
    const orders = await Promise.all(
      Array.from({ length: 256 }, async (_, n) => {
        const client = clients[n % clients.length]!;
        return orderItem(client, await plantQuote(books.sql, { ...GRAM, client }));
      }),
    );
    const batches = [0, 1, 2, 3].map(async (n) => {
      const items = orders.slice(n * 64, n * 64 + 64);
      const outcomes = await sendOrders(services)(n % 2 ? items : items.toReversed(), {
        wait: true,
        settle: false,
      });
      return outcomes.map(wordOf).filter((word) => word !== "answered 201");
    });
    const payouts = clients.map(async (client, n) => {
      const ids = await Promise.all([1n, 2n, 3n].map((amount) => withdraw(client, amount)));
      const verdicts = await Promise.all(ids.map((id) => stepAs(n % 2 ? "reject" : "approve", id)));
      const deposit = await maker.recordDeposit(publicIds[n]!, 7n, `MIX-${n}`);
      verdicts.push(await checker.approveDeposit(deposit));
      verdicts.push(await verdictOf(operators`select gold.add_bar(${`MIX-${n}`}, 'R', 'V', 10000, 9999)`));
      return verdicts.filter((verdict) => verdict !== "done");
    });
    assertEquals((await Promise.all([...batches, ...payouts])).flat(), []);
    const rows = await books
      .sql`select event_sequence::int as n from gold.account where client_id = any (${clients}) order by client_id`;
    // Events per client: the funding, 32 orders, three withdrawals with one step each, and the deposit.
    assertEquals(rows.map(({ n }) => n), clients.map(() => 40));
  });

  itLeavesNoDefectsInAudit(books);
});
