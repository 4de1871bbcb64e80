import { itLeavesNoDefects, suiteBooks } from "../../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { balanceOf, hireOperator, publicIdOf, suiteOperators, verdictOf } from "../operator_fixture.ts";
import { bookWithdrawal, lockAccount, newUuid, untilWaiting, withdrawalItem, wordOf } from "../fixture.ts";

describe("submit_payment", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);

  async function approved(client: number): Promise<string> {
    const item = withdrawalItem(client, 10n);
    assertEquals(wordOf(await bookWithdrawal(books.api, item)), "answered 201");
    assertEquals(await maker.approveWithdrawal(item.id), "done");
    return item.id;
  }
  const rich = () => books.createClient({ halalas: 1_000n });
  const submittedOf = async (ids: readonly string[]): Promise<number> =>
    (await books.sql`
      select from gold.withdrawal_step where withdrawal_id = any (${`{${ids.join()}}`}::text::uuid[]) and status = 'submitted'`)
      .length;
  const batches = async (): Promise<number> => (await books.sql`select from gold.payment_batch`).length;
  const changeIban = (client: number, age: string) =>
    books
      .sql`update gold.partner set iban_changed_at = clock_timestamp() - ${age}::text::interval where id = ${client}`;

  it("submits a batch of several clients, and stores the exact document", async () => {
    const [one, two] = [await rich(), await rich()];
    const ids = [await approved(two), await approved(one), await approved(two)];
    const batch = newUuid();
    assertEquals(await checker.submitWithdrawals(ids, batch), "done");
    const [kept] = await books.sql`
      select login, document like '%<MsgId>' || ${
      batch.replaceAll("-", "")
    } || '</MsgId>%' as document, abs(extract(epoch from created_at - clock_timestamp())) < 60 as in_time,
        (select array_agg(withdrawal_id::text order by client_id, sequence) from gold.withdrawal_step where batch_id = b.id) as ids
      from gold.payment_batch b where id = ${batch}`;
    assertEquals({ ...kept }, {
      login: checker.login,
      document: true,
      in_time: true,
      ids: [ids[1], ids[0], ids[2]],
    });
    assertEquals([await balanceOf(books, one), await balanceOf(books, two)], ["990 10 0", "980 20 0"]);
  });

  it("refuses to submit a withdrawal twice, in the same batch or another", async () => {
    const id = await approved(await rich());
    const batch = newUuid();
    assertEquals(await checker.submitWithdrawals([id], batch), "done");
    assertMatch(await checker.submitWithdrawals([id], batch), /^23505 /);
    assertEquals(
      await checker.submitWithdrawals([id], newUuid()),
      `GR409 the withdrawal wd_${id} is submitted; only one that is approved can be submitted`,
    );
    assertEquals(await submittedOf([id]), 1);
  });

  it("submits all withdrawals of a batch or none", async () => {
    const client = await rich();
    const good = [await approved(client), await approved(client)];
    const pending = withdrawalItem(client, 10n);
    await bookWithdrawal(books.api, pending);
    const own = withdrawalItem(client, 10n);
    await bookWithdrawal(books.api, own);
    await checker.approveWithdrawal(own.id);
    const before = await batches();
    const nothing = "GR404 the batch names a withdrawal twice, or one that does not exist";
    const cases: [readonly string[], RegExp][] = [
      [[...good, pending.id], /^GR409 .* is pending_approval; only one that is approved can be submitted$/],
      [[...good, own.id], /^GR409 you approved the withdrawal /],
      [[...good, newUuid()], new RegExp(`^${nothing}$`)],
      [[...good, good[0]!], new RegExp(`^${nothing}$`)],
      [[...good, "NULL"], new RegExp(`^${nothing}$`)],
      [[newUuid()], new RegExp(`^${nothing}$`)],
      [[], /^GR409 a batch must contain at least one withdrawal$/],
    ];
    for (const [ids, refusal] of cases) {
      assertMatch(await checker.submitWithdrawals(ids, newUuid()), refusal);
      assertEquals([await submittedOf(good), await batches()], [0, before], `${refusal}`);
    }
    for (const ids of [null, []]) {
      const missing = checker.sql`select gold.submit_payment(${newUuid()}::uuid, ${ids}::uuid[], now(), 'x')`;
      assertEquals(await verdictOf(missing), "GR409 a batch must contain at least one withdrawal");
    }
    assertEquals([await submittedOf(good), await batches()], [0, before]);
    assertEquals(await checker.submitWithdrawals(good, newUuid()), "done");
  });

  it("refuses a batch with a partner whose IBAN changed in the last 24 hours", async () => {
    const [changed, other] = [await rich(), await rich()];
    const ids = [await approved(changed), await approved(other)];
    await changeIban(changed, "23 hours 59 minutes");
    const [row] = await books.sql`select iban_changed_at from gold.partner where id = ${changed}`;
    const until = new Date((row!.iban_changed_at as Date).getTime() + 24 * 60 * 60 * 1_000).toISOString();
    assertEquals(
      await checker.submitWithdrawals(ids, newUuid()),
      `GR409 the IBAN of ${await publicIdOf(
        books,
        changed,
      )} was changed, so its payouts are held until ${until}`,
    );
    assertEquals(await submittedOf(ids), 0);
    assertEquals(await checker.submitWithdrawals([ids[1]!], newUuid()), "done");
    // A second more than 24 hours, because the column rounds the instant to a millisecond.
    await changeIban(changed, "24 hours 1 second");
    assertEquals(await checker.submitWithdrawals([ids[0]!], newUuid()), "done");
  });

  it("waits for a concurrent IBAN change, and then refuses the batch", async () => {
    // Hired before the open transaction, which holds the audit trail locked.
    const third = await hireOperator(books);
    const client = await rich();
    const id = await approved(client);
    const publicId = await publicIdOf(books, client);
    await maker.sql`select gold.ask_iban(${publicId}, 'SA4420000001234567891234')`;
    await checker.sql`begin`;
    await checker.sql`select gold.approve_iban(${publicId}, 'SA4420000001234567891234')`;
    const submitting = third.submitWithdrawals([id], newUuid());
    await untilWaiting(books.sql);
    assertEquals(await submittedOf([id]), 0);
    await checker.sql`commit`;
    assertMatch(await submitting, /^GR409 the IBAN of .* was changed/);
    await third.leave();
  });

  it("submits withdrawals in one of two concurrent batches, without a deadlock", async () => {
    const third = await hireOperator(books);
    const clients = [await rich(), await rich(), await rich()];
    const ids: string[] = [];
    for (const client of clients) ids.push(await approved(client));
    // Both batches wait for the middle account. They would deadlock if each locked the accounts in the order
    // of its withdrawals, because each would then hold an account that the other needs.
    const holder = await lockAccount(books.sql, clients[1]!);
    const submitting = [
      checker.submitWithdrawals(ids, newUuid()),
      third.submitWithdrawals(ids.toReversed(), newUuid()),
    ];
    await untilWaiting(books.sql, 2);
    await holder.release();
    const verdicts = await Promise.all(submitting);
    assertEquals(verdicts.filter((verdict) => verdict === "done").length, 1, verdicts.join());
    assertEquals(verdicts.filter((verdict) => / is submitted; /.test(verdict)).length, 1, verdicts.join());
    assertEquals(await submittedOf(ids), 3);
    await third.leave();
  });

  itLeavesNoDefects(books);
});
