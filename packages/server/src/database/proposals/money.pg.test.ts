import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { assertStartsWith } from "../../../testing/assert_starts_with.ts";
import {
  balanceOf,
  publicIdOf,
  suiteOperators,
  type TestOperator,
  verdictOf,
} from "../../booking/operator_fixture.ts";
import { until } from "../../../../../tools/testing/until.ts";
import { suiteBooks } from "../../../testing/books.ts";
import {
  approveSigned,
  newSignatory,
  proposeSigned,
  registerRootKeys,
  type Signatory,
} from "../../../testing/signed_proposals.ts";

const NEEDS = "GR409 this change needs two people: one proposes it with gold, and another login approves it";

/**
 * Money under two people with operators' keys. The attacker has reset the passwords of two operators and has
 * created two more logins, as the migration login can, but has nobody's SSH key.
 */
describe("money under two people", () => {
  const books = suiteBooks();
  const operators = [...suiteOperators(books), ...suiteOperators(books)] as const;
  let people: [Signatory, Signatory];
  let client: number;
  let publicId: string;
  let earlier: string;
  before(async () => {
    client = await books.createClient({ halalas: 1_000_000n });
    publicId = await publicIdOf(books, client);
    const [one, two] = operators;
    earlier = await one.recordDeposit(publicId, 700n, "EARLIER-1");
    people = [await newSignatory(one.sql), await newSignatory(two.sql)];
    await registerRootKeys(books.sql, ...people);
  });

  /** Each pair of logins that the attacker can use. */
  const pairs = (): [TestOperator, TestOperator][] => [
    [operators[0]!, operators[1]!],
    [operators[2]!, operators[3]!],
  ];
  /** A withdrawal of 1 SAR. */
  async function requestWithdrawal(): Promise<string> {
    const id = randomUUID();
    const [row] = await books.sql`
      select gold.book_withdrawal(false, ${client}, (select admission_version from gold.account where client_id = ${client}),
        ${randomUUID()}::uuid, ${id}, '\\x00', 100, 100000000, null, ${id}::uuid, ${randomUUID()}::uuid,
        null, '\\xab', sha256('')) as outcome`;
    assert(row);
    return id;
  }
  async function approvedWithdrawal(by: TestOperator): Promise<string> {
    const id = await requestWithdrawal();
    assertEquals(await by.approveWithdrawal(id), "done");
    return id;
  }
  /** The content that `gold withdrawal submit` proposes. */
  async function payment(...ids: string[]) {
    const list = `{${ids.join()}}`;
    const [row] = await operators[0]!.sql`
      select p.batch, to_char(p.prepared_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as prepared_at, p.sha256 as document_sha256, (
          select jsonb_agg(jsonb_build_object('withdrawal', w.id, 'client_id', w.public_id, 'amount', w.amount::text, 'iban', w.iban) order by w.id)
          from gold.withdrawal_overview w where w.id = any (${list}::text::uuid[])) as payments
      from gold.prepare_payment(${list}::text::uuid[]) p`;
    return row as unknown as {
      batch: string;
      prepared_at: string;
      document_sha256: string;
      payments: Record<string, string>[];
    };
  }
  const statusOf = async (id: string) =>
    (await books.sql`select status, batch_id from gold.withdrawal_overview where id = ${id}`)[0]!;
  const deposit = (reference: string, amount = "500000000") => ({
    client_id: publicId,
    amount,
    bank_reference: reference,
  });
  /**
   * Proposes without a signature, and approves without one and with a signature of a key of the attacker's
   * own.
   */
  async function attack(kind: string, content: Record<string, unknown>): Promise<void> {
    for (const [maker, checker] of pairs()) {
      const [proposed] = await maker.sql`
        select * from gold.propose(${kind}, ${maker.sql.json(content as never)}::jsonb)`;
      const { id, sha256 } = proposed as unknown as { id: string; sha256: string };
      assertStartsWith(
        await verdictOf(checker.sql`select gold.approve_proposal(${id}::uuid, ${sha256})`),
        "GR409 the proposer has not signed the proposal",
      );
      const own = await newSignatory(maker.sql);
      const signed = await verdictOf(proposeSigned(own, kind, content));
      assert(/^GR409 .*(not an active key of the login|has no operator key)/.test(signed), signed);
      await maker.sql`select gold.reject_proposal(${id}::uuid)`;
    }
  }

  it("does not enter by two logins without the keys of two people", async () => {
    const untouched = await balanceOf(books, client);
    for (const [maker, checker] of pairs()) {
      assertEquals(await verdictOf(maker.recordDeposit(publicId, 500_000_000n, "OWN-1")), NEEDS);
      assertStartsWith(
        await checker.approveDeposit(earlier),
        "GR409 under two people, a deposit is approved with `gold proposal approve`",
      );
    }
    await attack("deposit.record", deposit("OWN-1"));
    assertEquals(await balanceOf(books, client), untouched);
  });

  it("enters as a deposit of the proposer, which the approver approves in the same transaction", async () => {
    const [one, two] = people;
    const proposal = await proposeSigned(one, "deposit.record", deposit("BANK-1", "250"));
    assertEquals(await balanceOf(books, client), "1000000 0 0");
    assertStartsWith(await verdictOf(approveSigned(one, proposal)), "GR409 you proposed this change");
    await approveSigned(two, proposal);
    assertEquals(await balanceOf(books, client), "1000250 0 0");
    const [row] = await books.sql`
      select d.recorded_by, d.approved_by, f.amount::text from gold.deposit d join gold.funding f on f.id = d.id
      where d.bank_reference = 'BANK-1'`;
    assertEquals({ ...row }, { recorded_by: one.login, approved_by: two.login, amount: "250" });
    const notes = await books.sql`
      select action, login, detail ->> 'proposal' = ${proposal.id} as applied from gold.audit
      where action like 'deposit.%' order by id desc limit 2`;
    assertEquals(notes.map((note) => ({ ...note })), [
      { action: "deposit.approve", login: two.login, applied: true },
      { action: "deposit.record", login: one.login, applied: true },
    ]);
    assertStartsWith(
      await verdictOf(approveSigned(two, proposal)),
      "GR409 the proposal was approved already",
    );
  });

  it("is refused as a proposal that could not be booked, and approved only if it still can", async () => {
    const [one, two] = people;
    const propose = (content: Record<string, unknown>) =>
      verdictOf(proposeSigned(one, "deposit.record", content));
    assertStartsWith(
      await propose(deposit("BANK-1")),
      "GR409 the bank reference BANK-1 is on record already",
    );
    assertEquals(
      await propose(deposit("BANK-2", "99999999999999")),
      "GR409 an account holds at most 999999999999.99 SAR",
    );
    const unknown = await propose({ ...deposit("BANK-2"), client_id: "sbx_none" });
    assertEquals(unknown, "GR404 there is no partner sbx_none");
    const pair = [await proposeSigned(one, "deposit.record", deposit("BANK-3", "1"))];
    pair.push(await proposeSigned(one, "deposit.record", deposit("BANK-3", "1")));
    await approveSigned(two, pair[0]!);
    assertStartsWith(
      await verdictOf(approveSigned(two, pair[1]!)),
      "GR409 the bank reference BANK-3 is on record already",
    );
  });

  it("goes back to the bank only if two people sign, in the approver's name", async () => {
    const [one, two] = people;
    await approveSigned(two, await proposeSigned(one, "deposit.record", deposit("BANK-5", "50")));
    const [booked] = await books.sql`select id from gold.deposit where bank_reference = 'BANK-5'`;
    const untouched = await balanceOf(books, client);
    for (const pair of pairs()) {
      for (const login of pair) assertEquals(await login.reverseDeposit(booked!.id), NEEDS);
    }
    await attack("deposit.reverse", { deposit: booked!.id });
    const proposal = await proposeSigned(two, "deposit.reverse", { deposit: booked!.id });
    assertEquals(await balanceOf(books, client), untouched);
    await approveSigned(one, proposal);
    const available = (balance: string) => BigInt(balance.split(" ")[0]!);
    assertEquals(available(await balanceOf(books, client)), available(untouched) - 50n);
    const [row] = await books.sql`select reversed_by from gold.deposit where id = ${booked!.id}`;
    assertEquals(row!.reversed_by, one.login);
    assertStartsWith(
      await verdictOf(proposeSigned(two, "deposit.reverse", { deposit: booked!.id })),
      "GR409 the deposit was reversed already",
    );
  });

  it("waits in a deposit from before until one person reverses it and two people record it again", async () => {
    const [one, two] = people;
    assertEquals(await operators[0]!.reverseDeposit(earlier), "done");
    const before = await balanceOf(books, client);
    await approveSigned(two, await proposeSigned(one, "deposit.record", deposit("EARLIER-1", "700")));
    assert(await balanceOf(books, client) !== before);
  });

  it("does not leave by two logins without the keys of two people", async () => {
    for (const [maker, checker] of pairs()) {
      const id = await approvedWithdrawal(checker);
      assertEquals(await maker.submitWithdrawals([id]), NEEDS);
      await attack("payment.submit", await payment(id));
      assertEquals((await statusOf(id)).status, "approved");
      await maker.sql`select gold.reject_withdrawal(${id}::uuid)`;
    }
  });

  it("leaves in exactly the document whose hash two people signed, in the proposer's name", async () => {
    const [one, two] = people;
    const id = await approvedWithdrawal(operators[1]!);
    const content = await payment(id);
    const proposal = await proposeSigned(one, "payment.submit", content);
    assertEquals((await statusOf(id)).status, "approved");
    // The login that approved the withdrawal may approve its payment, because another person proposes it.
    await approveSigned(two, proposal);
    assertEquals({ ...await statusOf(id) }, { status: "submitted", batch_id: content.batch });
    const [row] = await books.sql`
      select b.login, encode(sha256(convert_to(b.document, 'UTF8')), 'hex') as sha256, s.login as step
      from gold.payment_batch b join gold.withdrawal_step s on s.batch_id = b.id where b.id = ${content.batch}`;
    assertEquals({ ...row }, { login: one.login, sha256: content.document_sha256, step: one.login });
    const again = await verdictOf(proposeSigned(one, "payment.submit", await payment(id)));
    assert(again.includes("only one that is approved can be submitted"), again);
  });

  it("is not proposed with other payments, another document or an own approval", async () => {
    const [one] = people;
    const id = await approvedWithdrawal(operators[1]!);
    const content = await payment(id);
    const propose = (changed: object) =>
      verdictOf(proposeSigned(one, "payment.submit", { ...content, ...changed }));
    const changes = [{ amount: "1" }, { iban: "SA4420000001234567891234" }, { client_id: "sbx_other" }];
    for (const changed of changes) {
      assertEquals(await propose({ payments: [{ ...content.payments[0], ...changed }] }), NEEDS);
    }
    assertEquals(await propose({ payments: [...content.payments, ...content.payments] }), NEEDS);
    assertStartsWith(
      await propose({ document_sha256: "0".repeat(64) }),
      "GR409 the document changed after it was shown",
    );
    const yesterday = new Date(Date.parse(content.prepared_at) - 86_400_000).toISOString();
    assertStartsWith(await propose({ prepared_at: yesterday }), "GR409 the document was prepared at");
    const own = await approvedWithdrawal(operators[0]!);
    assertStartsWith(
      await verdictOf(proposeSigned(one, "payment.submit", await payment(own))),
      "GR409 you approved the withdrawal",
    );
    for (const left of [id, own]) await operators[0]!.sql`select gold.reject_withdrawal(${left}::uuid)`;
  });

  it("does not leave if a name changed after the proposal", async () => {
    const [one, two] = people;
    const id = await approvedWithdrawal(operators[1]!);
    const proposal = await proposeSigned(one, "payment.submit", await payment(id));
    await approveSigned(
      two,
      await proposeSigned(one, "partner.set", { client_id: publicId, name: `Bank ${randomUUID()}` }),
    );
    assertStartsWith(
      await verdictOf(approveSigned(two, proposal)),
      "GR409 the document changed after it was shown",
    );
    assertEquals((await statusOf(id)).status, "approved");
  });

  it("enters after an in-flight change of the account, without a deadlock", async () => {
    const [one, two] = people;
    const withdrawal = await requestWithdrawal();
    const proposal = await proposeSigned(one, "deposit.record", deposit("BANK-4", "1"));
    let approved: Promise<string> | undefined;
    await books.sql.begin(async (sql) => {
      await sql`select from gold.account where client_id = ${client} for no key update`;
      approved = verdictOf(approveSigned(two, proposal));
      await until(async () => {
        const waiting = await books.sql`
          select from pg_stat_activity where usename = ${two.login} and wait_event_type = 'Lock'`;
        return waiting.length === 1;
      });
      await sql.unsafe(`set local session authorization ${one.login}`);
      await sql`select gold.reject_withdrawal(${withdrawal}::uuid)`;
    });
    assertEquals(await approved, "done");
  });

  it("leaves no defects in the books and the audit", async () => {
    assertEquals([...await books.sql`select * from gold.verify_ledger()`], []);
    assertEquals([...await books.sql`select * from gold.verify_audit()`], []);
  });
});
