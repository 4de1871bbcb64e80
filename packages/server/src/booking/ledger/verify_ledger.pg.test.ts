import { suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { bookOrder, newUuid, orderItem } from "../fixture.ts";
import { rulesBrokenBy } from "./tampered_fixture.ts";
import { rolledBack } from "../../../testing/rows.ts";

/** The ids that replace :client, :first, :second and :open in the statements of DEFECTS. */
interface Subjects {
  readonly client: number;
  readonly first: string;
  readonly second: string;
  readonly open: string;
}

// The client has a funding (sequence 1), a buy of 1 g (2) and a sell of 0.5 g (3), all sealed. The quote
// :open is open.
//
// Each statement plants a defect, and its value lists the rules that it breaks.
const DEFECTS: Readonly<Record<string, string>> = {
  "update gold.transfer set amount = amount + 1 where client_id = :client and sequence = 2 and leg = 1":
    "balance_is_sum chain_is_whole order_is_booked running_balance",
  "update gold.transfer set sar_available_after = sar_available_after + 1 where client_id = :client and sequence = 2 and leg = 1":
    "chain_is_whole running_balance",
  "update gold.transfer set sar_held_after = sar_held_after + 1 where client_id = :client and sequence = 2 and leg = 1":
    "chain_is_whole running_balance",
  "update gold.transfer set debit = 'gold', credit = 'vault' where client_id = :client and sequence = 2 and leg = 2":
    "balance_is_sum chain_is_whole order_is_booked running_balance",
  "update gold.transfer set posted_at = posted_at + interval '1 hour' where client_id = :client and sequence = 2 and leg = 2":
    "order_is_booked running_balance transfer_has_record",
  "delete from gold.transfer where client_id = :client and sequence = 2 and leg = 2":
    "balance_is_sum chain_is_whole order_is_booked record_has_its_legs running_balance",
  [
    `-- a transfer without an event
     insert into gold.transfer select bucket, client_id, 1, 0, 9, 'bank', 'available', 'SAR', 5, sar_available + 5, 0, gold, last_posted_at
     from gold.account where client_id = :client`
  ]: "balance_is_sum transfer_has_record",
  [
    `-- two more legs that cancel each other
     insert into gold.transfer select bucket, client_id, n + 2, 0, sequence, case n when 1 then 'available' else 'house' end::gold.book,
       case n when 1 then 'house' else 'available' end::gold.book, 'SAR', 1, sar_available_after - 2 + n, 0, gold_after, posted_at
     from gold.transfer, generate_series(1, 2) n where client_id = :client and sequence = 2 and leg = 2`
  ]: "chain_is_whole record_has_its_legs",
  "update gold.orders set total = total + 1, price = price + 100 where id = :first":
    "chain_is_whole order_is_booked order_is_quoted",
  "update gold.orders set grams = grams + 100, total = total + 321 where id = :first":
    "chain_is_whole order_is_booked order_is_quoted",
  "update gold.orders set gold_after = gold_after + 1 where id = :first": "order_is_booked",
  "update gold.orders set executed_at = executed_at - interval '1 second' where id = :first":
    "order_is_booked order_is_quoted",
  "delete from gold.orders where id = :second": "chain_is_whole event_has_execution result_is_bound",
  "update gold.quote set total = total + 1 where id = :first": "order_is_quoted quote_is_priced",
  "update gold.quote set side = 'sell' where id = :first": "order_is_quoted quote_is_priced",
  "update gold.quote set expires_at = created_at - interval '1 second' where id = :first":
    "order_is_quoted quote_is_priced",
  "delete from gold.quote where id = :first": "order_is_quoted result_is_bound",
  "delete from gold.quote where id = :open": "result_is_bound",
  "update gold.funding set amount = amount + 1 where client_id = :client and sequence = 1":
    "funding_is_booked",
  "delete from gold.funding where client_id = :client and sequence = 1":
    "chain_is_whole event_has_execution result_is_bound",
  "update gold.idempotency_key set body = replace(body, '}', ' }') where result_id = :first and result_kind = 'order'":
    "answer_is_bound",
  "update gold.idempotency_key set body = body || ' ' where client_id = :client and result_kind = 'funding'":
    "answer_is_bound",
  "update gold.idempotency_key set status = 200 where result_id = :first and result_kind = 'order'":
    "answer_is_bound",
  "update gold.idempotency_key set fingerprint = sha256(fingerprint) where result_id = :first and result_kind = 'order'":
    "answer_is_bound",
  "update gold.idempotency_key set key = key || '2' where result_id = :first and result_kind = 'order'":
    "answer_is_bound",
  "update gold.idempotency_key set request_id = gen_random_uuid() where result_id = :first and result_kind = 'order'":
    "answer_is_bound",
  "update gold.idempotency_key set request = request || ' '::bytea where result_id = :first and result_kind = 'order'":
    "answer_is_bound",
  "update gold.idempotency_key set signing_thumbprint = sha256('') where result_id = :first and result_kind = 'order'":
    "answer_is_bound",
  "alter table gold.idempotency_key drop constraint idempotency_key_signed; update gold.idempotency_key set request = null, signing_thumbprint = null where result_id = :first and result_kind = 'order'":
    "answer_is_bound request_is_kept",
  [
    `-- a stored reply, with the answer computed again
     update gold.idempotency_key set body = body || ' ' where result_id = :first and result_kind = 'order';
     update gold.orders o set answer = gold.answer_of(k.key, k.fingerprint, k.status, k.request_id, k.body, k.request, k.signing_thumbprint)
     from gold.idempotency_key k where k.result_id = o.id and k.result_kind = 'order' and o.id = :first`
  ]: "chain_is_whole",
  [
    `-- a signed request deleted with its answer, as in a line of version 1
     alter table gold.idempotency_key drop constraint idempotency_key_signed;
     update gold.idempotency_key set request = null, signing_thumbprint = null where result_id = :first and result_kind = 'order';
     update gold.orders set answer = null where id = :first;
     update gold.event set line = 1 where client_id = :client and sequence = 2`
  ]: "chain_is_whole request_is_kept",
  "update gold.partner set chain_key = sha256(chain_key) where id = :client": "chain_is_whole",
  "delete from gold.idempotency_key where result_id = :first and result_kind = 'order'":
    "answer_is_bound execution_has_key",
  "delete from gold.idempotency_key where client_id = :client and result_kind = 'funding'":
    "answer_is_bound execution_has_key",
  "update gold.idempotency_key set result_id = gen_random_uuid() where result_id = :first and result_kind = 'order'":
    "answer_is_bound execution_has_key result_is_bound",
  [
    `-- two keys for one order
     alter table gold.idempotency_key drop constraint idempotency_key_signed;
     insert into gold.idempotency_key select bucket, client_id, status, 'another', fingerprint, request_id, result_id, created_at, result_kind, body
     from gold.idempotency_key where result_id = :first and result_kind = 'order'`
  ]: "answer_is_bound execution_has_key request_is_kept",
  "delete from gold.event where client_id = :client and sequence = 2":
    "answer_is_bound chain_is_whole events_without_gap execution_has_event transfer_has_record",
  "delete from gold.event where client_id = :client and sequence = 3":
    "answer_is_bound chain_head events_without_gap execution_has_event transfer_has_record",
  "update gold.event set subject = :second where client_id = :client and sequence = 2":
    "chain_is_whole event_has_execution execution_has_event",
  "update gold.event set type = 'funding.completed' where client_id = :client and sequence = 2":
    "chain_is_whole event_has_execution record_has_its_legs",
  "update gold.event set created_at = created_at + interval '1 millisecond' where client_id = :client and sequence = 2":
    "chain_is_whole transfer_has_record",
  [
    `-- an event without a record, with the account's event sequence raised to match
     with counted as (update gold.account set event_sequence = 4 where client_id = :client returning *)
     insert into gold.event select bucket, client_id, 4, :open, :open, last_posted_at, 'order.executed' from counted`
  ]: "event_has_execution record_has_its_legs",
  "update gold.account set sar_available = sar_available + 1 where client_id = :client": "balance_is_sum",
  "update gold.account set sar_held = 1 where client_id = :client": "balance_is_sum held_is_withdrawals",
  "update gold.account set gold = gold + 1 where client_id = :client": "balance_is_sum gold_is_backed",
  "update gold.account set event_sequence = event_sequence + 1 where client_id = :client":
    "events_without_gap",
  "update gold.vault set free = free - 1": "gold_is_backed",
  "update gold.bar set gross = gross + 10000, fine = (gross + 10000) * fineness / 10000 where removed_at is null":
    "bar_is_booked bar_list_is_whole gold_is_backed",
  "delete from gold.bar where removed_at is null": "bar_list_is_whole gold_is_backed",
  "update gold.bar set removed_at = null, removed_sequence = null": "bar_list_is_whole gold_is_backed",
  "update gold.bar set removed_at = added_at, removed_sequence = 99 where removed_at is null":
    "bar_is_booked bar_list_is_whole gold_is_backed",
  "update gold.chain_link set hash = sha256(hash) where client_id = :client and sequence = 2":
    "chain_is_whole",
  "delete from gold.chain_link where client_id = :client and sequence = 2": "chain_is_whole",
  "update gold.chain_tail set head = sha256(head) where client_id = :client": "chain_head",
  "update gold.chain_tail set sequence = 2 where client_id = :client": "chain_head link_has_chain",
  "delete from gold.chain_tail where client_id = :client": "link_has_chain",
  [
    `-- the last order, deleted everywhere except in the chain
     delete from gold.transfer where client_id = :client and sequence = 3;
     delete from gold.event where client_id = :client and sequence = 3;
     delete from gold.orders where id = :second;
     delete from gold.idempotency_key where result_id = :second and result_kind = 'order';
     update gold.vault set free = free - 5000;
     update gold.account a set event_sequence = 2, sar_available = t.sar_available_after, gold = t.gold_after
     from gold.transfer t where t.client_id = a.client_id and t.sequence = 2 and t.leg = 2 and a.client_id = :client`
  ]: "chain_head",
  [
    `-- a price, changed everywhere except in the chain
     update gold.orders set total = total - 100, price = price - 10000, sar_available_after = sar_available_after + 100 where id = :first;
     update gold.orders set sar_available_after = sar_available_after + 100 where id = :second;
     update gold.quote set total = total - 100, price = price - 10000 where id = :first;
     update gold.transfer set amount = amount - 100 where client_id = :client and sequence = 2 and leg = 1;
     update gold.transfer set sar_available_after = sar_available_after + 100 where client_id = :client and sequence > 1;
     update gold.account set sar_available = sar_available + 100 where client_id = :client`
  ]: "chain_is_whole quote_is_priced",
};

describe("verify_ledger and verify_chain", () => {
  const books = suiteBooks();
  let subjects: Subjects;
  before(async () => {
    const leaving = await books.addBar(70_000n);
    await books.addBar(50_000n);
    await books.sql`select gold.remove_bar(${leaving})`;
    await books.setPrice(3_210_000n, 3_190_000n);
    const client = await books.createClient({ halalas: 1_000_000n });
    const [first, second, open] = [
      await books.quote(client, "buy", 10_000n),
      await books.quote(client, "sell", 5_000n),
      await books.quote(client, "buy", 1n),
    ];
    for (const quote of [first, second, newUuid()]) await bookOrder(books.api, orderItem(client, quote));
    await books.sql`select gold.seal_chain(${client})`;
    subjects = { client, first, second, open };
  });

  const fill = (statement: string) =>
    statement.replace(
      /:(client|first|second|open)\b/g,
      (_, name: keyof Subjects) => name === "client" ? `${subjects.client}` : `'${subjects[name]}'`,
    );

  it("return no defect for correct books, whether sealed, unsealed or empty", async () => {
    assertEquals(await books.defects(), []);
    const empty = await books.createClient();
    await books.sql`select gold.seal_chain(${empty})`;
    await books.createClient({ halalas: 1n });
    assertEquals(await books.defects(), []);
  });

  it("return each defect that was written with triggers disabled, and no other", async () => {
    for (const [plant, rules] of Object.entries(DEFECTS)) {
      assertEquals(await rulesBrokenBy(books.sql, fill(plant)), rules, plant);
    }
    assertEquals(await books.defects(), []);
  });

  it("return the rule, the client and the difference of a defect", async () => {
    await rolledBack(books.sql, async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`update gold.account set sar_available = 1, sar_held = 2, gold = 3 where client_id = ${subjects.client}`;
      const [row] = await sql`select * from gold.verify_ledger() where rule = 'balance_is_sum'`;
      assertEquals({ ...row }, {
        rule: "balance_is_sum",
        subject: `client ${subjects.client}`,
        detail: "holds 1/2/3, transfers sum to 983850/0/5000",
      });
    });
  });
});
