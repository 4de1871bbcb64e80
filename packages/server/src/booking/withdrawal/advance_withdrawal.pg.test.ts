import { itLeavesNoDefectsInAudit, suiteBooks } from "../../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { balanceOf, publicIdOf, suiteOperators } from "../operator_fixture.ts";
import { bookWithdrawal, newUuid, withdrawalItem, wordOf } from "../fixture.ts";

const AMOUNT = 400n;
type Step = "approve" | "reject" | "submit" | "pay" | "return";
const STEPS: readonly Step[] = ["approve", "reject", "submit", "pay", "return"];
/**
 * For each status, the steps to it and the steps that may follow it. They come from the contract, not from
 * the SQL.
 */
const STATUSES: Record<string, { way: readonly Step[]; legal: readonly Step[]; balance: string }> = {
  pending_approval: { way: [], legal: ["approve", "reject"], balance: "600 400 0" },
  approved: { way: ["approve"], legal: ["submit", "reject"], balance: "600 400 0" },
  submitted: { way: ["approve", "submit"], legal: ["pay", "return"], balance: "600 400 0" },
  paid: { way: ["approve", "submit", "pay"], legal: ["return"], balance: "600 0 0" },
  rejected: { way: ["reject"], legal: [], balance: "1000 0 0" },
  returned: { way: ["approve", "submit", "return"], legal: [], balance: "1000 0 0" },
};

describe("a withdrawal's steps", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);

  const take: Record<Step, (id: string) => Promise<string>> = {
    approve: (id) => maker.approveWithdrawal(id),
    reject: (id) => maker.rejectWithdrawal(id),
    submit: (id) => checker.submitWithdrawals([id], newUuid()),
    pay: (id) => maker.payWithdrawal(id),
    return: (id) => checker.returnWithdrawal(id),
  };

  async function withdraw(way: readonly Step[] = [], reference?: string) {
    const client = await books.createClient({ halalas: 1_000n });
    const item = withdrawalItem(client, AMOUNT, { reference });
    assertEquals(wordOf(await bookWithdrawal(books.api, item)), "answered 201");
    for (const step of way) assertEquals(await take[step](item.id), "done");
    return { client, id: item.id };
  }

  async function rowsOf(client: number): Promise<Record<string, number>> {
    const [row] = await books.sql`
      select (select count(*)::int from gold.withdrawal_step where client_id = ${client}) as steps,
        (select count(*)::int from gold.event where client_id = ${client}) as events,
        (select count(*)::int from gold.transfer where client_id = ${client}) as transfers,
        (select count(*)::int from gold.payment_batch) as batches, (select count(*)::int from gold.audit) as notes,
        (select event_sequence::int from gold.account where client_id = ${client}) as sequence`;
    return row as Record<string, number>;
  }

  for (const [status, { way, legal, balance }] of Object.entries(STATUSES)) {
    it(`after ${status} are only those that the contract allows`, async () => {
      for (const step of STEPS) {
        const { client, id } = await withdraw(way);
        assertEquals(await balanceOf(books, client), balance);
        const before = await rowsOf(client);
        const verdict = await take[step](id);
        if (legal.includes(step)) {
          assertEquals(verdict, "done", `${status} ${step}`);
          continue;
        }
        assertMatch(
          verdict,
          new RegExp(`^GR409 the withdrawal wd_${id} is ${status}; only one that is `),
          step,
        );
        assertEquals(await rowsOf(client), before);
        assertEquals(await balanceOf(books, client), balance);
      }
    });
  }

  it("move the money once, out if paid, and back if rejected or returned", async () => {
    const cases: [readonly Step[], string][] = [
      [["approve", "reject"], "1000 0 0"],
      [["approve", "submit", "pay"], "600 0 0"],
      [["approve", "submit", "pay", "return"], "1000 0 0"],
    ];
    for (const [way, balance] of cases) {
      const { client } = await withdraw(way);
      assertEquals(await balanceOf(books, client), balance);
    }
    assertEquals(await books.defects(), []);
  });

  it("have a sequence number, an instant that never goes back, an event and an audit row", async () => {
    const { client, id } = await withdraw(["approve", "submit", "pay", "return"]);
    const rows = await books.sql`
      select s.sequence::int, s.status, s.login, s.previous, s.previous_login, e.type, e.id as event, e.subject, s.at = e.created_at as at_once,
        s.at >= lag(s.at, 1, 'epoch') over (order by s.sequence) as in_order, s.at as at, s.batch_id is not null as batched
      from gold.withdrawal_step s join gold.event e using (bucket, client_id, sequence) where s.client_id = ${client} order by s.sequence`;
    const expected = [
      ["pending_approval", "postgres", null, null, "created"],
      ["approved", maker.login, "pending_approval", "postgres", "approved"],
      ["submitted", checker.login, "approved", maker.login, "submitted"],
      ["paid", maker.login, "submitted", checker.login, "paid"],
      ["returned", checker.login, "paid", maker.login, "returned"],
    ];
    assertEquals(
      rows.map((row) => [row.sequence, row.status, row.login, row.previous, row.previous_login, row.type]),
      expected.map((
        [status, login, previous, by, type],
        n,
      ) => [n + 2, status, login, previous, by, `withdrawal.${type}`]),
    );
    for (const { at_once, in_order, subject, batched, status } of rows) {
      assertEquals([at_once, in_order, subject, batched], [true, true, id, status === "submitted"]);
    }
    for (const { event, at } of rows) {
      assertMatch(event, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const instant = Number.parseInt(event.replaceAll("-", "").slice(0, 12), 16);
      // Leave out the first event, which has the withdrawal's own id: the database did not make this id.
      if (event !== id) assertEquals(instant, (at as Date).getTime());
    }
    assertEquals(new Set(rows.map(({ event }) => event)).size, 5);
    const notes = await books.sql`
      select login, action, detail->>'withdrawal' as withdrawal, detail->>'amount' as amount, detail ? 'batch' as batched
      from gold.audit where subject = ${await publicIdOf(
      books,
      client,
    )} and action like 'withdrawal.%' order by id`;
    const note = { withdrawal: `wd_${id}`, amount: "400" };
    assertEquals(notes.map((row) => ({ ...row })), [
      { login: maker.login, action: "withdrawal.approved", ...note, batched: false },
      { login: checker.login, action: "withdrawal.submitted", ...note, batched: true },
      { login: maker.login, action: "withdrawal.paid", ...note, batched: false },
      { login: checker.login, action: "withdrawal.returned", ...note, batched: false },
    ]);
  });

  it("are never before the newest posting, even if that posting is in the future", async () => {
    const { client, id } = await withdraw();
    await books
      .sql`update gold.account set last_posted_at = clock_timestamp() + interval '1 hour' where client_id = ${client}`;
    for (const step of ["approve", "submit", "pay"] as const) assertEquals(await take[step](id), "done");
    const rows = await books.sql`
      select s.at = a.last_posted_at and a.last_posted_at > clock_timestamp() as late
      from gold.withdrawal_step s join gold.account a using (bucket, client_id) where client_id = ${client} and s.sequence > 2`;
    assertEquals(rows.map(({ late }) => late), [true, true, true]);
  });

  it("need different logins for approval and submission, whatever role each sets", async () => {
    const { client, id } = await withdraw(["approve"]);
    const before = await rowsOf(client);
    const refusal = `GR409 you approved the withdrawal wd_${id}, so another login has to submit it`;
    assertEquals(await maker.submitWithdrawals([id], newUuid()), refusal);
    await maker.sql`set role gold_operator`;
    assertEquals(await maker.submitWithdrawals([id], newUuid()), refusal);
    await maker.sql`reset role`;
    const values = [
      `set session authorization ${checker.login}`,
      `set role ${checker.login}`,
      "set role gold_book",
    ];
    for (const become of values) {
      const verdict = await maker.sql.unsafe(become).then(() => "became", ({ code }) => code);
      assertEquals(verdict, "42501", become);
    }
    assertEquals(await rowsOf(client), before);
    assertEquals(await checker.submitWithdrawals([id], newUuid()), "done");
  });

  it("free the reference if the money comes back, and otherwise keep it", async () => {
    const cases: [readonly Step[], string][] = [
      [["reject"], "answered 201"],
      [["approve", "submit", "return"], "answered 201"],
      [["approve", "submit", "pay", "return"], "answered 201"],
      [["approve", "submit", "pay"], "answered withdrawal_reference_reused"],
      [["approve", "submit"], "answered withdrawal_reference_reused"],
      [["approve"], "answered withdrawal_reference_reused"],
    ];
    for (const [way, word] of cases) {
      const { client } = await withdraw(way, "R-7");
      const again = withdrawalItem(client, 1n, { reference: "R-7" });
      assertEquals(wordOf(await bookWithdrawal(books.api, again)), word, way.join());
    }
  });

  it("are refused for an unknown withdrawal and for null", async () => {
    const none = newUuid();
    for (const step of ["approve", "reject", "pay", "return"] as const) {
      assertEquals(await take[step](none), `GR404 there is no withdrawal wd_${none}`);
    }
    for (const name of ["approve_withdrawal", "reject_withdrawal", "pay_withdrawal", "return_withdrawal"]) {
      const verdict = await maker.sql.unsafe(`select gold.${name}(null)`).then(
        () => "done",
        ({ code }) => code,
      );
      assertEquals(verdict, "GR404", name);
    }
  });

  it("are refused in a transaction whose snapshot is older than the last step", async () => {
    for (const level of ["repeatable read", "serializable"]) {
      const { client, id } = await withdraw();
      const code = await maker.sql.begin(`isolation level ${level}`, async (sql) => {
        await sql`select count(*) from gold.withdrawal_overview`;
        assertEquals(await checker.rejectWithdrawal(id), "done");
        await sql`select gold.approve_withdrawal(${id})`;
      }).then(() => "done", ({ code }) => code);
      assertEquals(code, "P0001");
      assertEquals(await balanceOf(books, client), "1000 0 0");
    }
  });

  itLeavesNoDefectsInAudit(books);
});
