import { assertEquals } from "@std/assert";
import { TEST_PUBLIC_JWK } from "../../../testing/partner.ts";
import { suiteBooks } from "../../../testing/books.ts";
import { assertStartsWith } from "../../../testing/assert_starts_with.ts";
import { randomBytes } from "node:crypto";
import { before, beforeEach, describe, it } from "node:test";
import type { Sql, TransactionSql } from "postgres";
import { untilWaiting } from "../../booking/fixture.ts";

const hash = () => randomBytes(32).toString("hex");

/** Two concurrent changes of the same rows: the second waits until the first commits, and sees its result. */
describe("two concurrent changes of authorities and token keys", () => {
  const books = suiteBooks();
  let one: Sql;
  let other: Sql;
  let publicId: string;
  before(async () => {
    [one, other] = [books.connect("gold_operator", 1), books.connect("gold_operator", 1)];
    const client = await books.createClient();
    publicId = (await books.sql`select public_id from gold.partner where id = ${client}`)[0]!.public_id;
  });
  beforeEach(async () => {
    await books.sql`delete from gold.certificate`;
    await books.sql`delete from gold.authority`;
  });

  type Change = (sql: Sql | TransactionSql) => PromiseLike<unknown>;
  /** Starts the second change before the first commits, and returns the outcome of the second. */
  async function secondOf(first: Change, second: Change): Promise<string> {
    let outcome: Promise<string>;
    await one.begin(async (transaction) => {
      await first(transaction);
      outcome = Promise.resolve(second(other)).then(
        () => "done",
        ({ code, message }) => `${code} ${message}`,
      );
      await untilWaiting(books.sql);
    });
    return await outcome!;
  }
  const add = (first: boolean, fingerprint = hash()): Change => (sql) =>
    sql`select gold.add_authority(${first}, ${fingerprint}, 'certificate', 'file:key', 'list', now() + interval '1 day')`;
  const certify = (authority: string, keyHash = hash()): Change => (sql) =>
    sql`select gold.add_certificate(${publicId}, ${hash()}, '01aa', now(), now() + interval '1 day', ${authority}, ${keyHash})`;
  const retire = (authority: string): Change => (sql) => sql`select gold.retire_authority(${authority})`;

  it("only one of two sessions creates the first authority", async () => {
    assertStartsWith(await secondOf(add(true), add(true)), "GR409 there is already a certificate authority");
  });

  it("only one of two sessions certifies a key", async () => {
    const [authority, key] = [hash(), hash()];
    await add(true, authority)(books.sql);
    assertStartsWith(
      await secondOf(certify(authority, key), certify(authority, key)),
      "GR409 this key is already in certificate",
    );
  });

  it("a certificate is refused if its authority was replaced before the registration", async () => {
    const authority = hash();
    await add(true, authority)(books.sql);
    assertStartsWith(await secondOf(add(false), certify(authority)), "GR409 a new authority has replaced");
  });

  it("a new authority is the newest, even in the same millisecond or after the clock went back", async () => {
    const [first, second, third] = [hash(), hash(), hash()];
    await add(true, first)(books.sql);
    await books.sql`update gold.authority set created_at = clock_timestamp() + interval '1 hour'`;
    await add(false, second)(books.sql);
    await books.sql.begin((sql) =>
      Promise.all([certify(second)(sql), add(false, third)(sql), certify(third)(sql)])
    );
  });

  it("an authority can be retired only after another one has replaced it", async () => {
    const [older, newer] = [hash(), hash()];
    await add(true, older)(books.sql);
    assertEquals(await secondOf(add(false, newer), retire(older)), "done");
    assertStartsWith(await secondOf(certify(newer), retire(newer)), "GR409 this is the newest authority");
  });

  it("only one of two revocation lists with the same number is stored", async () => {
    const authority = hash();
    await add(true, authority)(books.sql);
    const store = (sql: Sql | TransactionSql) =>
      sql`select gold.store_revocation_list(${authority}, 2, 'next', now() + interval '1 day') as stored`;
    let second: Promise<unknown>;
    await one.begin(async (transaction) => {
      assertEquals((await store(transaction))[0]!.stored, true);
      second = store(other).then(([row]) => row!.stored);
      await untilWaiting(books.sql);
    });
    assertEquals(await second!, false);
  });

  it("the second of two token key rotations also retires the key of the first", async () => {
    const rotate = (kid: string): Change => (sql) =>
      sql`select gold.rotate_token_key(${kid}, ${TEST_PUBLIC_JWK}::text::jsonb, '\\x00', 'none', 10, 660)`;
    assertEquals(await secondOf(rotate("first"), rotate("second")), "done");
    const rows = await books.sql`
      select kid, retire_at is null as endless from gold.token_key order by not_before`;
    assertEquals(rows.map((row) => ({ ...row })), [
      { kid: "first", endless: false },
      { kid: "second", endless: true },
    ]);
  });
});
