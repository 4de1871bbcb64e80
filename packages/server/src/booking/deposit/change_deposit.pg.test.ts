import { BALANCE_MAX_HALALAS } from "@gold-partner/protocol";
import { itLeavesNoDefectsInAudit, suiteBooks } from "../../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { balanceOf, hireOperator, publicIdOf, suiteOperators, verdictOf } from "../operator_fixture.ts";
import { bookWithdrawal, newUuid, untilWaiting, withdrawalItem, wordOf } from "../fixture.ts";

describe("deposits", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);

  async function partner(halalas = 0n): Promise<{ client: number; publicId: string }> {
    const client = await books.createClient({ halalas });
    return { client, publicId: await publicIdOf(books, client) };
  }
  const depositOf = async (id: string) => {
    const [row] = await books.sql`
      select recorded_by, approved_by, reversed_by, approved_at is null as unapproved, reversed_at is null as unreversed, reversed_sequence
      from gold.deposit where id = ${id}`;
    return { ...row };
  };

  it("are recorded by one login, and booked with their event when another login approves them", async () => {
    const { client, publicId } = await partner();
    const id = await maker.recordDeposit(publicId, 12_345n, "REF-A");
    assertMatch(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assertEquals(await balanceOf(books, client), "0 0 0");
    assertEquals(await checker.approveDeposit(id), "done");
    assertEquals(await balanceOf(books, client), "12345 0 0");
    const rows = await books.sql`
      select f.id, f.amount, f.sequence, f.created_at = d.approved_at and f.created_at = e.created_at and f.created_at = t.posted_at as at_once,
        e.type, e.id as event, e.subject, concat_ws(' ', t.debit, t.credit, t.asset, t.amount, t.sar_available_after) as posted,
        (select count(*)::int from gold.idempotency_key where client_id = ${client}) as keys
      from gold.funding f join gold.deposit d using (id) join gold.event e on (e.client_id, e.sequence) = (f.client_id, f.sequence)
      join gold.transfer t on (t.client_id, t.sequence) = (f.client_id, f.sequence) where f.client_id = ${client}`;
    assertEquals([...rows], [{
      id,
      amount: "12345",
      sequence: "1",
      at_once: true,
      type: "funding.completed",
      event: id,
      subject: id,
      posted: "bank available SAR 12345 12345",
      keys: 0,
    }]);
    const notes = await books
      .sql`select login, action, detail - 'mode' as detail from gold.audit where subject = ${publicId} and action like 'deposit.%' order by id`;
    const detail = { deposit: `dep_${id}`, amount: 12_345 };
    assertEquals(notes.map((row) => ({ ...row })), [
      { login: maker.login, action: "deposit.record", detail: { ...detail, bank_reference: "REF-A" } },
      { login: checker.login, action: "deposit.approve", detail },
    ]);
  });

  it("cannot be approved twice, or by the login that recorded them, whatever role it sets", async () => {
    const { client, publicId } = await partner();
    const id = await maker.recordDeposit(publicId, 5n, "REF-B");
    const refusal = "GR409 you recorded this deposit, so another login has to approve it";
    assertEquals(await maker.approveDeposit(id), refusal);
    await maker.sql`set role gold_operator`;
    assertEquals(await maker.approveDeposit(id), refusal);
    await maker.sql`reset role`;
    assertEquals(await balanceOf(books, client), "0 0 0");
    assertEquals(await checker.approveDeposit(id), "done");
    const again = `GR409 the deposit was approved already, by ${checker.login}`;
    assertEquals([await checker.approveDeposit(id), await maker.approveDeposit(id)], [again, again]);
    assertEquals(await balanceOf(books, client), "5 0 0");
  });

  it("have a unique bank reference until they are reversed", async () => {
    const [{ publicId }, other] = [await partner(), await partner()];
    const id = await maker.recordDeposit(publicId, 5n, "REF-C");
    const record = (reference: string) => verdictOf(checker.recordDeposit(other.publicId, 6n, reference));
    const doubled = `GR409 the bank reference REF-C is on record already, as dep_${id}`;
    assertEquals(await record("REF-C"), doubled);
    await checker.approveDeposit(id);
    assertEquals(await record("REF-C"), doubled);
    assertEquals(await maker.reverseDeposit(id), "done");
    assertEquals(await record("REF-C"), "done");
  });

  it("are recorded once if fifty sessions record the same bank reference concurrently", async () => {
    const { publicId } = await partner();
    const pool = books.connect("gold_operator", 50);
    const verdicts = await Promise.all(
      Array.from({ length: 50 }, () => verdictOf(pool`select gold.record_deposit(${publicId}, 5, 'REF-D')`)),
    );
    assertEquals(verdicts.filter((verdict) => verdict === "done").length, 1);
    assertEquals(
      verdicts.filter((verdict) => verdict.startsWith("GR409 the bank reference REF-D is on")).length,
      49,
    );
    assertEquals((await books.sql`select from gold.deposit where bank_reference = 'REF-D'`).length, 1);
    await pool.end();
  });

  it("must be more than 0 and at most what an account can hold", async () => {
    const { publicId } = await partner();
    const bound = "GR409 the amount of a deposit must be more than 0 and at most 999999999999.99 SAR";
    for (const amount of [0n, -1n, -(2n ** 63n), BALANCE_MAX_HALALAS + 1n, 2n ** 63n - 1n]) {
      assertEquals(await verdictOf(maker.recordDeposit(publicId, amount, `REF-E${amount}`)), bound);
    }
    await maker.recordDeposit(publicId, BALANCE_MAX_HALALAS, "REF-E");
    const nothing = maker.sql`select gold.record_deposit(${publicId}, null, 'REF-N')`;
    assertMatch(await verdictOf(nothing), /^23502 /);
    const unnamed = maker.sql`select gold.record_deposit(${publicId}, 5, null)`;
    assertMatch(await verdictOf(unnamed), /^23502 /);
    assertEquals(
      await verdictOf(maker.recordDeposit("sbx_none", 5n, "REF-N")),
      "GR404 there is no partner sbx_none",
    );
  });

  it("are not approved beyond what an account can hold, including held money", async () => {
    const { client, publicId } = await partner(10n);
    await bookWithdrawal(books.api, withdrawalItem(client, 4n));
    const id = await maker.recordDeposit(publicId, BALANCE_MAX_HALALAS - 9n, "REF-F");
    assertEquals(await checker.approveDeposit(id), "GR409 an account holds at most 999999999999.99 SAR");
    assertEquals(await balanceOf(books, client), "6 4 0");
    const fits = await maker.recordDeposit(publicId, BALANCE_MAX_HALALAS - 10n, "REF-G");
    assertEquals(await checker.approveDeposit(fits), "done");
    assertEquals(await balanceOf(books, client), `${BALANCE_MAX_HALALAS - 4n} 4 0`);
  });

  it("move nothing if reversed before the approval, and can then not be approved", async () => {
    const { client, publicId } = await partner();
    const id = await maker.recordDeposit(publicId, 5n, "REF-H");
    assertEquals(await maker.reverseDeposit(id), "done");
    assertEquals(await checker.approveDeposit(id), "GR409 the deposit was reversed");
    assertEquals(
      await checker.reverseDeposit(id),
      `GR409 the deposit was reversed already, by ${maker.login}`,
    );
    assertEquals(await balanceOf(books, client), "0 0 0");
    assertEquals((await books.sql`select from gold.event where client_id = ${client}`).length, 0);
    assertEquals(await depositOf(id), {
      recorded_by: maker.login,
      approved_by: null,
      reversed_by: maker.login,
      unapproved: true,
      unreversed: false,
      reversed_sequence: null,
    });
  });

  it("can be reversed once after the approval, by a new entry that takes the money back", async () => {
    const { client, publicId } = await partner();
    const id = await maker.recordDeposit(publicId, 500n, "REF-I");
    await checker.approveDeposit(id);
    assertEquals(await maker.reverseDeposit(id), "done");
    assertEquals(
      await maker.reverseDeposit(id),
      `GR409 the deposit was reversed already, by ${maker.login}`,
    );
    assertEquals(await balanceOf(books, client), "0 0 0");
    const rows = await books.sql`
      select e.sequence::int, e.type, e.subject, concat_ws(' ', t.debit, t.credit, t.amount, t.sar_available_after) as posted
      from gold.event e join gold.transfer t using (bucket, client_id, sequence) where client_id = ${client} order by e.sequence`;
    assertEquals(rows.map((row) => ({ ...row })), [
      { sequence: 1, type: "funding.completed", subject: id, posted: "bank available 500 500" },
      { sequence: 2, type: "funding.reversed", subject: id, posted: "available bank 500 0" },
    ]);
    const [event] = await books.sql`select id from gold.event where client_id = ${client} and sequence = 2`;
    assertMatch(event!.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assertEquals((await depositOf(id))["reversed_sequence"], "2");
  });

  it("cannot be reversed if the money was spent or is held, and the refusal says so", async () => {
    const { client, publicId } = await partner();
    const id = await maker.recordDeposit(publicId, 500n, "REF-J");
    await checker.approveDeposit(id);
    const withdrawal = withdrawalItem(client, 1n);
    assertEquals(wordOf(await bookWithdrawal(books.api, withdrawal)), "answered 201");
    assertEquals(
      await checker.reverseDeposit(id),
      "GR409 the partner has 4.99 SAR available, less than the deposit of 5 SAR: the rest was spent or is held for withdrawals",
    );
    assertEquals(await balanceOf(books, client), "499 1 0");
    await maker.sql`select gold.reject_withdrawal(${withdrawal.id})`;
    assertEquals(await checker.reverseDeposit(id), "done");
    assertEquals(await balanceOf(books, client), "0 0 0");
  });

  it("are approved or reversed once by concurrent sessions", async () => {
    const crowd = await hireOperator(books, 12);
    const pool = crowd.sql;
    for (let round = 0; round < 5; round++) {
      // Give the client enough money that only the deposit's own state can refuse a second change.
      const { client, publicId } = await partner(9_000n);
      const id = await maker.recordDeposit(publicId, 500n, `REF-K${round}`);
      for (const [change, balance] of [["approve", "9500 0 0"], ["reverse", "9000 0 0"]] as const) {
        const verdicts = await Promise.all(
          Array.from({ length: 12 }, () => verdictOf(pool.unsafe(`select gold.${change}_deposit('${id}')`))),
        );
        assertEquals(verdicts.filter((verdict) => verdict === "done").length, 1);
        assertEquals(verdicts.filter((verdict) => verdict.startsWith("GR409 ")).length, 11, verdicts.join());
        assertEquals(await balanceOf(books, client), balance);
      }
    }
    await crowd.leave();
  });

  it("wait for an in-flight booking of the account, and start from the balances after it", async () => {
    const { client, publicId } = await partner(9_000n);
    const id = await maker.recordDeposit(publicId, 500n, "REF-L");
    const service = await books.api.reserve();
    for (
      const [change, balance] of [["approveDeposit", "9499 1 0"], ["reverseDeposit", "8998 2 0"]] as const
    ) {
      await service`begin`;
      assertEquals(wordOf(await bookWithdrawal(service, withdrawalItem(client, 1n))), "answered 201");
      const changing = checker[change](id);
      await untilWaiting(books.sql);
      await service`commit`;
      assertEquals(await changing, "done");
      assertEquals(await balanceOf(books, client), balance);
    }
    service.release();
  });

  it("are named in the refusal if they do not exist", async () => {
    const none = newUuid();
    for (const change of ["approveDeposit", "reverseDeposit"] as const) {
      assertEquals(await maker[change](none), `GR404 there is no deposit dep_${none}`);
    }
  });

  itLeavesNoDefectsInAudit(books);
});
