import { itLeavesNoDefectsInAudit, suiteBooks } from "../../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { balanceOf, suiteOperators } from "../operator_fixture.ts";
import {
  bookWithdrawal,
  cancellationItem,
  cancelWithdrawal,
  newUuid,
  problemIn,
  withdrawalItem,
  wordOf,
} from "../fixture.ts";

describe("the cancellation of a withdrawal", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);

  async function withdraw(client: number, reference?: string): Promise<string> {
    const item = withdrawalItem(client, 400n, { reference });
    assertEquals(wordOf(await bookWithdrawal(books.api, item)), "answered 201");
    return item.id;
  }

  const rowsOf = async (client: number): Promise<unknown> =>
    (await books.sql`
      select (select count(*)::int from gold.withdrawal_step where client_id = ${client}) as steps,
        (select count(*)::int from gold.transfer where client_id = ${client}) as transfers,
        (select count(*)::int from gold.nonce where client_id = ${client}) as nonces,
        (select event_sequence::int from gold.account where client_id = ${client}) as sequence`)[0];

  it("gives the held amount back with one step, one transfer and one event, and answers with both", async () => {
    const client = await books.createClient({ halalas: 1_000n });
    const id = await withdraw(client);
    const outcome = await cancelWithdrawal(books.api, cancellationItem(client, id));
    const { withdrawal_id, status, balances } = JSON.parse(outcome.body!);
    assertEquals([wordOf(outcome), withdrawal_id, status], ["answered 201", `wd_${id}`, "cancelled"]);
    assertEquals(balances.sar, { available: 10, held: 0 });
    assertEquals(await balanceOf(books, client), "1000 0 0");
    const [step] = await books.sql`
      select s.previous, s.login, t.debit, t.credit, t.amount::int, e.type, e.subject, s.at = e.created_at as at_once
      from gold.withdrawal_step s join gold.transfer t using (bucket, client_id, sequence)
      join gold.event e using (bucket, client_id, sequence) where s.client_id = ${client} and s.status = 'cancelled'`;
    assertEquals({ ...step }, {
      previous: "pending_approval",
      login: "postgres",
      debit: "held",
      credit: "available",
      amount: 400,
      type: "withdrawal.cancelled",
      subject: id,
      at_once: true,
    });
  });

  it("is answered once for one key, and refused with a new key afterwards", async () => {
    const client = await books.createClient({ halalas: 1_000n });
    const item = cancellationItem(client, await withdraw(client));
    const first = await cancelWithdrawal(books.api, item);
    const again = await cancelWithdrawal(books.api, { ...item, nonce: newUuid() });
    assertEquals([again.outcome, again.body], ["replayed", first.body]);
    assertEquals(wordOf(await cancelWithdrawal(books.api, item)), "nonce_reused");
    const before = await balanceOf(books, client);
    const other = await cancelWithdrawal(books.api, cancellationItem(client, item.id));
    const { detail } = problemIn(other, "withdrawal_not_pending");
    assertEquals(detail.split(". ")[0], `The withdrawal wd_${item.id} is cancelled`);
    assertEquals(await balanceOf(books, client), before);
  });

  it("is refused after each step of the operator, and moves nothing", async () => {
    const steps = {
      approved: (id: string) => maker.approveWithdrawal(id),
      submitted: (id: string) => checker.submitWithdrawals([id], newUuid()),
      paid: (id: string) => maker.payWithdrawal(id),
      returned: (id: string) => checker.returnWithdrawal(id),
    };
    const client = await books.createClient({ halalas: 1_000n });
    const rejected = await withdraw(client);
    assertEquals(await maker.rejectWithdrawal(rejected), "done");
    const id = await withdraw(client);
    const expectRefused = async (withdrawal: string, status: string) => {
      const before = await balanceOf(books, client);
      const refused = await cancelWithdrawal(books.api, cancellationItem(client, withdrawal));
      const { detail } = problemIn(refused, "withdrawal_not_pending");
      assertEquals(detail.split(". ")[0], `The withdrawal wd_${withdrawal} is ${status}`);
      assertEquals(await balanceOf(books, client), before);
    };
    await expectRefused(rejected, "rejected");
    for (const [status, take] of Object.entries(steps)) {
      assertEquals(await take(id), "done");
      await expectRefused(id, status);
    }
  });

  it("finds no unknown withdrawal and none of another partner, and spends no nonce then", async () => {
    const [client, other] = [await books.createClient({ halalas: 1_000n }), await books.createClient()];
    const id = await withdraw(client);
    const before = [await rowsOf(client), await rowsOf(other)];
    for (
      const item of [
        cancellationItem(other, id),
        cancellationItem(client, newUuid()),
        cancellationItem(client, null),
      ]
    ) {
      assertEquals((await cancelWithdrawal(books.api, item)).outcome, "not_found");
    }
    assertEquals([await rowsOf(client), await rowsOf(other)], before);
  });

  it("settles an attempt whose connection was lost after the commit", async () => {
    const client = await books.createClient({ halalas: 1_000n });
    const item = cancellationItem(client, await withdraw(client));
    const first = await cancelWithdrawal(books.api, item);
    const settled = await cancelWithdrawal(books.api, item, { settle: true });
    assertEquals([settled.outcome, settled.body], ["answered", first.body]);
  });

  it("makes the reference free again, and refuses every step of the operator", async () => {
    const client = await books.createClient({ halalas: 1_000n });
    const id = await withdraw(client, "RENT");
    assertEquals(wordOf(await cancelWithdrawal(books.api, cancellationItem(client, id))), "answered 201");
    await withdraw(client, "RENT");
    for (const verdict of [await maker.approveWithdrawal(id), await maker.rejectWithdrawal(id)]) {
      assertEquals(
        verdict.startsWith(`GR409 the withdrawal wd_${id} is cancelled; only one that is `),
        true,
        verdict,
      );
    }
  });

  itLeavesNoDefectsInAudit(books);
});
