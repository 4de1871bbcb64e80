import { suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { publicIdOf, suiteOperators } from "../operator_fixture.ts";
import { bookWithdrawal, newUuid, withdrawalItem } from "../fixture.ts";
import { rulesBrokenBy } from "./tampered_fixture.ts";

// The client has three deposits: 500, approved (sequence 1); 70, approved (2) and reversed (3); and one that
// is only recorded. It has two withdrawals: :paid of 40, created (4), approved (5), submitted (6), paid (7)
// and returned (8); and :open of 30, created (9). All events are sealed.
//
// Each statement plants a defect, and its value lists the rules that it breaks.
const DEFECTS: Readonly<Record<string, string>> = {
  "update gold.withdrawal set amount = amount + 1 where id = :open":
    "held_is_withdrawals withdrawal_is_booked",
  "update gold.withdrawal set amount = amount + 1 where id = :paid": "withdrawal_is_booked",
  "update gold.withdrawal set created_at = created_at - interval '1 day' where id = :open":
    "withdrawal_is_booked",
  "update gold.withdrawal set sequence = 8 where id = :paid": "withdrawal_is_booked",
  "update gold.withdrawal set iban = 'SA4420000001234567891234' where id = :paid": "chain_is_whole",
  "update gold.withdrawal set reference = 'R-2' where id = :open": "chain_is_whole",
  [
    `-- a part of the login moved to the reference
     update gold.withdrawal set reference = 'R' where id = :open;
     update gold.withdrawal_step set login = '1|' || login where withdrawal_id = :open`
  ]: "chain_is_whole",
  "delete from gold.withdrawal where id = :open": "chain_is_whole held_is_withdrawals result_is_bound",
  "delete from gold.withdrawal where id = :open; delete from gold.withdrawal_step where withdrawal_id = :open":
    "chain_is_whole event_has_execution held_is_withdrawals result_is_bound",
  "update gold.idempotency_key set body = body || ' ' where result_id = :open": "answer_is_bound",
  "update gold.idempotency_key set request = request || ' '::bytea where result_id = :open":
    "answer_is_bound",
  "delete from gold.idempotency_key where result_id = :open": "answer_is_bound execution_has_key",
  "update gold.withdrawal_step set status = 'rejected', previous = 'pending_approval', previous_login = login where withdrawal_id = :open":
    "chain_is_whole held_is_withdrawals withdrawal_is_booked",
  "update gold.withdrawal_step set login = 'another' where withdrawal_id = :paid and status = 'approved'":
    "chain_is_whole",
  "update gold.withdrawal_step set at = at + interval '1 second' where withdrawal_id = :paid and status = 'approved'":
    "withdrawal_is_booked",
  "update gold.withdrawal_step set sequence = 6 where withdrawal_id = :paid and status = 'approved'":
    "chain_is_whole event_has_execution withdrawal_is_booked",
  "delete from gold.withdrawal_step where withdrawal_id = :paid and status = 'approved'":
    "chain_is_whole event_has_execution",
  "delete from gold.withdrawal_step where withdrawal_id = :open":
    "chain_is_whole event_has_execution withdrawal_is_booked",
  [
    `-- a step without an event
     insert into gold.withdrawal_step (bucket, client_id, withdrawal_id, sequence, status, login, previous, previous_login, at)
     select bucket, client_id, withdrawal_id, 99, 'rejected', 'a', status, login, at from gold.withdrawal_step where withdrawal_id = :open`
  ]: "held_is_withdrawals withdrawal_is_booked",
  "update gold.event set type = 'withdrawal.submitted' where client_id = :client and sequence = 5":
    "chain_is_whole withdrawal_is_booked",
  "update gold.event set type = 'withdrawal.rejected' where client_id = :client and sequence = 7":
    "chain_is_whole withdrawal_is_booked",
  [
    `-- a transfer under an approval
     insert into gold.transfer select bucket, client_id, 1, 0, 5, 'held', 'bank', 'SAR', 1, 460, 39, 0, created_at
     from gold.event where client_id = :client and sequence = 5`
  ]: "balance_is_sum chain_is_whole record_has_its_legs running_balance withdrawal_is_booked",
  "delete from gold.transfer where client_id = :client and sequence = 7":
    "balance_is_sum chain_is_whole record_has_its_legs running_balance withdrawal_is_booked",
  "update gold.account set sar_held = sar_held + 1 where client_id = :client":
    "balance_is_sum held_is_withdrawals",
  "update gold.deposit set amount = amount + 1 where id = :deposit": "deposit_is_booked deposit_is_noted",
  "update gold.deposit set approved_at = null, approved_by = null where id = :deposit":
    "deposit_is_noted execution_has_key",
  "update gold.deposit set approved_at = approved_at + interval '1 second' where id = :deposit":
    "deposit_is_booked",
  "update gold.deposit set approved_at = now(), approved_by = 'another' where id = :recorded":
    "deposit_is_booked deposit_is_noted",
  "update gold.deposit set bank_reference = 'REF-9' where id = :deposit": "deposit_is_noted",
  "update gold.deposit set recorded_by = 'another' where id = :recorded": "deposit_is_noted",
  "update gold.deposit set approved_by = 'another' where id = :deposit": "deposit_is_noted",
  "update gold.deposit set reversed_by = 'another' where id = :reversed": "deposit_is_noted",
  "delete from gold.deposit where id = :deposit": "execution_has_key",
  "delete from gold.funding where id = :deposit": "deposit_is_booked event_has_execution",
  "update gold.deposit set reversed_at = now(), reversed_by = 'another', reversed_sequence = 99 where id = :deposit":
    "deposit_is_booked deposit_is_noted",
  "update gold.deposit set reversed_at = now(), reversed_by = 'another' where id = :deposit":
    "deposit_is_booked deposit_is_noted",
  "update gold.deposit set reversed_at = null, reversed_by = null, reversed_sequence = null where id = :reversed":
    "deposit_is_noted event_has_execution",
  "update gold.deposit set reversed_at = reversed_at + interval '1 second' where id = :reversed":
    "deposit_is_booked",
  [
    `-- a funding without a key or a deposit, with transfer and event
     with made as (select client_id, bucket, event_sequence + 1 as sequence, gen_random_uuid() as id, last_posted_at as at, sar_available, sar_held from gold.account where client_id = :client),
       posted as (insert into gold.transfer select bucket, client_id, 1, 0, sequence, 'bank', 'available', 'SAR', 5, sar_available + 5, sar_held, 0, at from made),
       told as (insert into gold.event select bucket, client_id, sequence, id, id, at, 'funding.completed' from made),
       followed as (update gold.account set event_sequence = event_sequence + 1, sar_available = sar_available + 5 where client_id = :client)
     insert into gold.funding select bucket, client_id, id, sequence, 5, at from made`
  ]: "execution_has_key",
};

describe("verify_ledger and verify_chain, with deposits and withdrawals", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);
  const subjects: Record<string, string> = {};
  before(async () => {
    const client = await books.createClient();
    const publicId = await publicIdOf(books, client);
    const deposit = await maker.recordDeposit(publicId, 500n, "REF-1");
    const reversed = await maker.recordDeposit(publicId, 70n, "REF-2");
    const recorded = await maker.recordDeposit(publicId, 9n, "REF-3");
    const [paid, open] = [
      withdrawalItem(client, 40n),
      withdrawalItem(client, 30n, { reference: "R|1" }),
    ];
    await checker.approveDeposit(deposit);
    await checker.approveDeposit(reversed);
    await checker.reverseDeposit(reversed);
    await bookWithdrawal(books.api, paid);
    await maker.approveWithdrawal(paid.id);
    await checker.submitWithdrawals([paid.id], newUuid());
    await maker.payWithdrawal(paid.id);
    await maker.returnWithdrawal(paid.id);
    await bookWithdrawal(books.api, open);
    await books.sql`select gold.seal_chain(${client})`;
    Object.assign(subjects, { deposit, reversed, recorded, paid: paid.id, open: open.id });
    for (const name of Object.keys(subjects)) subjects[name] = `'${subjects[name]}'`;
    subjects["client"] = `${client}`;
  });

  const fill = (statement: string) =>
    statement.replace(
      /:(client|deposit|reversed|recorded|paid|open)\b/g,
      (_, name: string) => subjects[name]!,
    );

  it("return no defect for correct books with deposits and withdrawals", async () => {
    const kinds = await books.sql`select distinct type from gold.event order by type`;
    assertEquals(kinds.map(({ type }) => type), [
      "funding.completed",
      "funding.reversed",
      "withdrawal.approved",
      "withdrawal.created",
      "withdrawal.paid",
      "withdrawal.returned",
      "withdrawal.submitted",
    ]);
    assertEquals(await books.defects(), []);
  });

  it("return each defect that was written with triggers disabled, and no other", async () => {
    for (const [plant, rules] of Object.entries(DEFECTS)) {
      assertEquals(await rulesBrokenBy(books.sql, fill(plant)), rules, plant);
    }
    assertEquals(await books.defects(), []);
  });
});
