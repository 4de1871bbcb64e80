import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { suiteBooks, testBooks } from "../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import type { Sql } from "postgres";
import { hireOperator, publicIdOf, verdictOf } from "../booking/operator_fixture.ts";
import { bookWithdrawal, newUuid, untilWaiting, withdrawalItem } from "../booking/fixture.ts";
import { withoutTriggers } from "../../testing/rows.ts";

const ANOTHER_BATCH = "batch_is_noted its document is not the one that was submitted";

// The audit under test ends with three rows about one partner. `:last` is the number of the third.
const TAMPERINGS: Record<string, readonly [finding: string, plant: string]> = {
  "an edited action": [
    "audit_is_whole does not match its link",
    "update gold.audit set action = 'partner.resume' where id = :last - 1",
  ],
  "an edited login": [
    "audit_is_whole does not match its link",
    "update gold.audit set login = 'another' where id = :last - 1",
  ],
  "an edited subject": [
    "audit_is_whole does not match its link",
    "update gold.audit set subject = subject || ' ' where id = :last - 1",
  ],
  "an edited detail": [
    "audit_is_whole does not match its link",
    `update gold.audit set detail = '{"a":1}' where id = :last - 1`,
  ],
  "an edited instant": [
    "audit_is_whole does not match its link",
    "update gold.audit set at = at - interval '1 millisecond' where id = :last - 1",
  ],
  "a part of the subject moved to the action": [
    "audit_is_whole does not match its link",
    "update gold.audit set action = action || '|a', subject = 'b' where id = (select id from gold.audit where subject = 'a|b')",
  ],
  "the first row edited": [
    "audit_is_whole does not match its link",
    "update gold.audit set login = 'another' where id = 1",
  ],
  "two rows swapped": [
    "audit_is_whole does not match its link",
    `update gold.audit a set login = b.login, action = b.action, subject = b.subject, detail = b.detail, at = b.at
     from gold.audit b where a.id in (:last, :last - 1) and b.id = 2 * :last - 1 - a.id`,
  ],
  "a deleted row": ["audit_is_whole was deleted", "delete from gold.audit where id = :last - 1"],
  "the last row deleted": ["audit_is_whole was deleted", "delete from gold.audit where id = :last"],
  "the last row deleted with its link": [
    "audit_head does not end at its recorded head",
    "delete from gold.audit where id = :last; delete from gold.audit_link where id = :last",
  ],
  "a row deleted with its link": [
    "audit_is_whole does not match its link",
    "delete from gold.audit where id = :last - 1; delete from gold.audit_link where id = :last - 1",
  ],
  "the tail deleted with the last row and its link": [
    "audit_head does not end at its recorded head",
    "delete from gold.audit where id = :last; delete from gold.audit_link where id = :last; delete from gold.audit_tail",
  ],
  "the whole audit deleted except its tail": [
    `audit_head does not end at its recorded head,${ANOTHER_BATCH}`,
    "delete from gold.audit; delete from gold.audit_link",
  ],
  "a row inserted after the tail's number was raised": [
    "audit_is_whole has no link: gold did not write it",
    `update gold.audit_tail set id = id + 1;
     insert into gold.audit (id, login, action, subject, detail) overriding system value values (:last + 1, 'a', 'b', 'c', '{}')`,
  ],
  "a row inserted at a free number": [
    "audit_is_whole has no link: gold did not write it",
    "insert into gold.audit (id, login, action, subject, detail) overriding system value values (0, 'a', 'b', 'c', '{}')",
  ],
  "a row inserted without note(), and a note after it": [
    "audit_is_whole has no link: gold did not write it",
    `insert into gold.audit (login, action, subject, detail) values ('a', 'b', 'c', '{}');
     select gold.note('a', 'b', '{}')`,
  ],
  "an edited link": [
    "audit_is_whole does not match its link",
    "update gold.audit_link set hash = sha256(hash) where id = :last - 1",
  ],
  "an edited head": [
    "audit_head does not end at its recorded head",
    "update gold.audit_tail set head = sha256(head)",
  ],
  "a batch's document edited": [
    ANOTHER_BATCH,
    "update gold.payment_batch set document = replace(document, '<Document', '<Document ')",
  ],
  "a deleted batch": [ANOTHER_BATCH, "delete from gold.payment_batch"],
  "an inserted batch": [
    ANOTHER_BATCH,
    "insert into gold.payment_batch select gen_random_uuid(), b.created_at, b.login, b.document from gold.payment_batch b",
  ],
  "a tail set back": [
    "audit_head does not end at its recorded head",
    "update gold.audit_tail set id = id - 1",
  ],
  "a tail set forward": [
    "audit_head does not end at its recorded head",
    "update gold.audit_tail set id = id + 1",
  ],
};

describe("the audit", () => {
  const books = suiteBooks();
  let last: number;
  before(async () => {
    await books.sql`select gold.note('a', 'a|b', '{}')`;
    await submitOne(await books.createClient({ halalas: 100n }));
    const publicId = await publicIdOf(books, await books.createClient());
    await books.sql`select gold.suspend_partner(${publicId})`;
    await books.sql`select gold.resume_partner(${publicId})`;
    [{ last }] = await books.sql`select max(id)::int as last from gold.audit` as unknown as [
      { last: number },
    ];
  });

  /** Submits a batch of one withdrawal, which writes audit rows. */
  async function submitOne(client: number): Promise<void> {
    const [maker, checker] = [await hireOperator(books), await hireOperator(books)];
    const item = withdrawalItem(client, 10n);
    await bookWithdrawal(books.api, item);
    assertEquals(await maker.approveWithdrawal(item.id), "done");
    assertEquals(await checker.submitWithdrawals([item.id], newUuid()), "done");
    for (const operator of [maker, checker]) await operator.leave();
  }

  /** Runs the tampering statements with all triggers off, verifies the audit, and rolls back. */
  async function findingAfter(plant: string): Promise<string> {
    let finding = "nothing";
    await withoutTriggers(books.sql, async (sql) => {
      await sql.unsafe(plant.replaceAll(":last", `${last}`));
      const rows = await sql`select rule, detail from gold.verify_audit()`;
      finding = rows.map(({ rule, detail }) => `${rule} ${detail.replace(/^the (row|chain) /, "")}`).join();
      throw new Error("rolled back");
    }).catch((error: Error) => assertEquals(error.message, "rolled back"));
    return finding;
  }

  it("verifies without findings after changes by the service and operators", async () => {
    assertEquals((await books.sql`select from gold.verify_audit()`).length, 0);
  });

  it("detects every kind of tampering, even with all triggers disabled", async () => {
    const found: Record<string, string> = {};
    for (const [name, [, plant]] of Object.entries(TAMPERINGS)) found[name] = await findingAfter(plant);
    assertEquals(
      found,
      Object.fromEntries(Object.entries(TAMPERINGS).map(([name, [finding]]) => [name, finding])),
    );
    assertEquals((await books.sql`select from gold.verify_audit()`).length, 0);
  });

  it("hashes each row with the hash of the previous row, as audit.sql documents", async () => {
    const rows = await books.sql`
      select a.id::int, (extract(epoch from a.at) * 1000)::text as ms, a.login, a.action, a.subject, a.detail::text as detail, encode(l.hash, 'hex') as hash
      from gold.audit a join gold.audit_link l using (id) order by id`;
    let head = "00".repeat(32);
    for (const { id, ms, login, action, subject, detail, hash } of rows) {
      const texts = [login, action, subject].map((text) => JSON.stringify(text)).join(", ");
      const line = `[1, ${id}, ${Number.parseInt(ms, 10)}, ${texts}, ${detail}]`;
      head = createHash("sha256").update(head, "hex").update(line, "utf8").digest("hex");
      assertEquals(hash, head, `row ${id}`);
    }
    const operator = books.connect("gold_operator", 1);
    const [stored] = await operator`select id::int, head from gold.audit_head()`;
    assertEquals({ ...stored }, { id: last, head });
  });

  it("keeps one chain without a gap or a deadlock under concurrent changes", async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => books.createClient()));
    const partners = await books.sql`select public_id from gold.partner where id = any (${clients})`;
    const operators = [await hireOperator(books), await hireOperator(books), await hireOperator(books)];
    const changes = operators.map(async ({ sql }) => {
      const verdicts: string[] = [];
      for (const { public_id: publicId } of partners) {
        verdicts.push(
          await verdictOf(
            sql`select gold.set_partner(${publicId}, null, '{10.0.0.0/8}', null, 100, null, null)`,
          ),
          await verdictOf(sql`select gold.ask_iban(${publicId}, 'SA4420000001234567891234')`),
          await verdictOf(sql`select gold.record_deposit(${publicId}, 5, gen_random_uuid()::text)`),
          await verdictOf(sql`select gold.add_bar(gen_random_uuid()::text, 'R', 'V', 10000, 9999)`),
          await verdictOf(sql`select gold.set_price('fixed', 3200000, 3210000, 3190000, 60, 10, null)`),
        );
      }
      return verdicts;
    });
    const verdicts = (await Promise.all(changes)).flat();
    assertEquals(verdicts.filter((verdict) => verdict !== "done"), []);
    assertEquals((await books.sql`select from gold.verify_audit()`).length, 0);
    const [counted] = await books
      .sql`select count(*)::int as links, (select count(*)::int from gold.audit) as rows from gold.audit_link`;
    assertEquals(counted!.links, counted!.rows);
    for (const operator of operators) await operator.leave();
  });

  it("starts the chain with all existing rows when it is migrated, and waits for in-flight inserts", async () => {
    const beginning = await readFile(new URL("audit.sql", import.meta.url), "utf8");
    const { sql, stop } = await testBooks();
    try {
      await sql.unsafe(
        "set session_replication_role = replica; delete from gold.audit_link; delete from gold.audit_tail; reset session_replication_role",
      );
      const former = await sql.reserve();
      const note = (on: Sql) =>
        on`insert into gold.audit (login, action, subject, detail) values ('former', 'a', 'b', '{}')`;
      await former`begin`;
      await note(former);
      await note(sql);
      const migrating = sql.unsafe(beginning).execute();
      await untilWaiting(sql);
      await former`commit`;
      former.release();
      await migrating;
      const [tail] = await sql`
        select t.id = (select max(id) from gold.audit) as whole, (select count(*)::int from gold.verify_audit()) as findings from gold.audit_tail t`;
      assertEquals({ ...tail }, { whole: true, findings: 0 });
    } finally {
      await stop();
    }
  });

  it("loses only the audit row of a change that was rolled back", async () => {
    const rowsOf = async () => (await books.sql`select from gold.audit`).length;
    const before = await rowsOf();
    const code = await books.sql.begin(async (sql) => {
      await sql`select gold.note('a', 'b', '{}')`;
      await sql`select 1 / 0`;
    }).then(() => "done", ({ code }) => code);
    assertEquals([code, await rowsOf()], ["22012", before]);
    await books.sql`select gold.note('a', 'b', '{}')`;
    assertEquals((await books.sql`select from gold.verify_audit()`).length, 0);
  });

  it("refuses a note with a null action, subject or detail", async () => {
    for (const values of ["null, 'b', '{}'", "'a', null, '{}'", "'a', 'b', null"]) {
      assertMatch(await verdictOf(books.sql.unsafe(`select gold.note(${values})`)), /^23502 /);
    }
  });
});
