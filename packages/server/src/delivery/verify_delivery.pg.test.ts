import { suiteBooks } from "../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { rulesBrokenBy } from "../booking/ledger/tampered_fixture.ts";
import { bookFunding, fundingItem } from "../booking/fixture.ts";
import { moveEnd, postNotices } from "./expiry/expiry_fixture.ts";

// The test client's events. All are sealed, and the mark is at 4. Events 1 to 4 are fundings: 1 was delivered
// at once, 2 at the second attempt, 3 is parked, 4 is due again. Event 5 is a notice that a credential ends;
// it was delivered, although the mark has not reached 5. Event 6 is a test that was requested with an
// idempotency key and was not sent yet.
//
// Each statement plants a defect, and its value lists the rules that it breaks.
const DEFECTS: Readonly<Record<string, string>> = {
  "delete from gold.attempt where client_id = :client and sequence = 1": "event_is_delivered",
  "update gold.attempt set http_status = 199 where client_id = :client and sequence = 1":
    "event_is_delivered",
  "update gold.attempt set http_status = 300 where client_id = :client and sequence = 1":
    "event_is_delivered",
  "update gold.attempt set http_status = null where client_id = :client and sequence = 1":
    "event_is_delivered",
  "delete from gold.attempt where client_id = :client and http_status = 204": "event_is_delivered",
  "delete from gold.retry where client_id = :client and parked_at is not null": "event_is_delivered",
  "delete from gold.retry where client_id = :client and due_at is not null": "event_is_delivered",
  "update gold.retry set due_at = null where client_id = :client and sequence = 4": "event_is_delivered",
  "update gold.retry set parked_at = null where client_id = :client and sequence = 3": "event_is_delivered",
  "delete from gold.attempt where client_id = :client and sequence = 5": "event_is_delivered",
  "update gold.endpoint set passed = 6 where client_id = :client": "event_is_delivered",
  "update gold.endpoint set passed = 7 where client_id = :client": "delivery_is_behind event_is_delivered",
  "insert into gold.endpoint (bucket, client_id, passed) values (63, 127, 1)": "delivery_is_behind",
  [
    "insert into gold.retry (bucket, client_id, sequence, tries, due_at) " +
    "select bucket, client_id, 7, 1, now() from gold.account where client_id = :client"
  ]: "retry_has_event",
  "update gold.expiry_notice set expires_at = expires_at + interval '1 millisecond' where client_id = :client":
    "chain_is_whole",
  "update gold.expiry_notice set kind = 'webhook_secret' where client_id = :client": "chain_is_whole",
  "update gold.expiry_notice set credential = credential || '0' where client_id = :client": "chain_is_whole",
  "delete from gold.expiry_notice where client_id = :client": "chain_is_whole event_has_execution",
  [
    `-- a notice without an event
     insert into gold.expiry_notice select bucket, client_id, gen_random_uuid(), kind, credential, expires_at, 7
     from gold.expiry_notice where client_id = :client`
  ]: "notice_has_event",
  [
    `-- a notice with two events
     with counted as (update gold.account set event_sequence = 7 where client_id = :client)
     insert into gold.event select bucket, client_id, 7, gen_random_uuid(), subject, created_at, type
     from gold.event where client_id = :client and sequence = 5`
  ]: "notice_has_event",
  "update gold.event set type = 'webhook.test' where client_id = :client and sequence = 5":
    "chain_is_whole event_has_execution notice_has_event",
  "update gold.expiry_notice set bucket = 63, client_id = 127 where client_id = :client":
    "chain_is_whole event_has_execution notice_has_event",
  "update gold.event set subject = gen_random_uuid() where client_id = :client and sequence = 6":
    "chain_is_whole event_has_execution",
  "update gold.event set type = 'credential.expiring' where client_id = :client and sequence = 6":
    "chain_is_whole event_has_execution",
  [
    `-- a transfer with a test's sequence number
     insert into gold.transfer select bucket, client_id, 1, 0, 6, 'bank', 'available', 'SAR', 1, sar_available + 1, 0, gold, last_posted_at
     from gold.account where client_id = :client`
  ]: "balance_is_sum chain_is_whole record_has_its_legs",
  "update gold.idempotency_key set result_id = gen_random_uuid() where client_id = :client and result_kind = 'event'":
    "result_is_bound",
  [
    `-- an idempotency key whose event is another client's
     update gold.idempotency_key set result_id = (select id from gold.event where client_id <> :client limit 1)
     where client_id = :client and result_kind = 'event'`
  ]: "result_is_bound",
};

describe("verify_delivery", () => {
  const books = suiteBooks();
  let client: number;
  before(async () => {
    await books.createClient({ halalas: 1n });
    client = await books.createClient();
    for (let n = 0; n < 4; n++) await bookFunding(books.api, fundingItem(client, 1n));
    await moveEnd(books, client, "client_secret", 1);
    await postNotices(books);
    await postTest(client, 6);
    await books.sql`
      insert into gold.idempotency_key select bucket, client_id, 201, 'test', '\\x00', id, id, created_at, 'event', '{}'
      from gold.event where client_id = ${client} and sequence = 6`;
    await insertDelivery();
    await books.sql`select gold.seal_chain(${client})`;
  });

  const postTest = (client: number, sequence: number) =>
    books.sql`
      select gold.take_sequence(${client}, ${sequence}, at), gold.post_event(${client}, ${sequence}, id, id, at, 'webhook.test')
      from (select gen_random_uuid() as id, last_posted_at as at from gold.account where client_id = ${client}) made`;

  async function insertDelivery(): Promise<void> {
    const bucket = client % 64;
    await books.sql`insert into gold.endpoint (bucket, client_id, passed) values (${bucket}, ${client}, 4)`;
    await books.sql`
      insert into gold.attempt (bucket, client_id, sequence, attempted_at, duration_ms, http_status)
      select ${bucket}, ${client}, a.sequence, now() + a.status * interval '1 millisecond', 1, nullif(a.status, 0)
      from (values (1, 200), (2, 500), (2, 204), (3, 404), (4, 0), (5, 299)) a (sequence, status)`;
    await books.sql`
      insert into gold.retry (bucket, client_id, sequence, tries, due_at, parked_at) values
        (${bucket}, ${client}, 3, 13, null, now()), (${bucket}, ${client}, 4, 1, now(), null), (${bucket}, ${client}, 5, 0, null, null)`;
  }
  const broken = (plant: string) => rulesBrokenBy(books.sql, plant.replaceAll(":client", `${client}`));

  it("returns no defect for correct books", async () => {
    assertEquals(await books.defects(), []);
  });

  it("returns each defect that was written with triggers disabled, and no other", async () => {
    for (const [plant, rules] of Object.entries(DEFECTS)) {
      assertEquals(await broken(plant), rules, plant);
    }
    assertEquals(await books.defects(), []);
  });

  it("requires no attempt for an event that is older than the oldest stored week of attempts", async () => {
    const client = await books.createClient();
    await postTest(client, 1);
    const [oldest] = await books.sql`
      select min(to_date(right(relname, 8), 'YYYYMMDD'))::text || 'T00:00:00Z' as week from pg_class
      where relnamespace = 'gold_attempts'::regnamespace and relkind = 'r'`;
    const passedAt = (at: string) =>
      broken(`
        insert into gold.endpoint (bucket, client_id, passed) values (${client % 64}, ${client}, 1);
        update gold.event set created_at = ${at} where client_id = ${client}`);
    assertEquals(await passedAt(`'${oldest!.week}'`), "event_is_delivered");
    assertEquals(await passedAt(`'${oldest!.week}'::timestamptz - interval '1 millisecond'`), "");
  });
});
