import { assert, assertEquals } from "@std/assert";
import { suiteBooks } from "../../testing/books.ts";
import { assertStartsWith } from "../../testing/assert_starts_with.ts";
import { before, describe, it } from "node:test";
import type { TransactionSql } from "postgres";

/** One of each range: C0, line feed, DEL, C1, direction marks and overrides, line separator, isolate. */
const UNPRINTABLE = ["\u001b", "\n", "\u007f", "\u009b", "\u061c", "\u200e", "\u202e", "\u2028", "\u2069"];

/** The text columns without the trigger and without a check of the same characters, by the source of their text. */
const NOT_FREE = {
  "the service or the database writes it":
    "attempt.error audit.action deployment.environment deployment.id proposal.deployment event.type " +
    "expiry_notice.kind idempotency_key.body partner_change.kind proposal.kind proposal.state " +
    "idempotency_key.result_kind partner.public_id payment_batch.document price.source " +
    "price_history.source problem.code problem.title published_reserves.body operator_key.admitted_by " +
    "change_request.kind",
  "a hash, an encoded value, or a name made from a hash":
    "authority.certificate authority.fingerprint authority.revocation_list certificate.authority " +
    "certificate.fingerprint certificate.key_hash deployment.pepper_name expiry_notice.credential " +
    "partner_change.credential token_key.kid token_key.sealing_key proposal.sealing_key " +
    "proposal.proposer_signature proposal.approver_signature operator_key.fingerprint " +
    "operator_key.public_key webhook_secret.sealing_key change_request.certificate",
  "the service writes it as JSON, in which every text has only the characters that its schema allows":
    "change_request.content change_request.wanted",
  "a database login":
    "audit.login deposit.approved_by deposit.recorded_by deposit.reversed_by partner.pending_iban_by " +
    "partner_change.approved_by partner_change.login proposal.proposer proposal.decided_by " +
    "operator_key.login payment_batch.login withdrawal_step.login withdrawal_step.previous_login " +
    "change_request.taken_by change_request.declined_by",
  "a copy of a column that has the trigger; a value stored before that trigger can still be copied":
    "audit.subject partner_change.iban partner_change.kid partner_change.webhook_url withdrawal.iban",
  "the protocol allows only visible ASCII": "idempotency_key.key quote.key refusal.key",
  "a receiver's answer is stored unchanged, and escaped where it is shown": "attempt.answer",
};

describe("free text", () => {
  const books = suiteBooks();
  before(() => books.createClient());

  const refusalOf = (change: (sql: TransactionSql) => Promise<unknown>) =>
    books.sql.begin(async (sql) => {
      await change(sql);
      throw new Error("accepted");
    }).catch((error) => error.message as string);

  it("with a control character is refused by each column's trigger, which names the column", async () => {
    const columns = await books.sql`
      select c.relname as table, unnest(string_to_array(rtrim(replace(encode(t.tgargs, 'escape'), '\\000', ' ')), ' ')) as column
      from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = 'refuse_unprintable' order by 1, 2`;
    assert(columns.length > 20);
    for (const { table, column } of columns) {
      for (const character of UNPRINTABLE) {
        const message = await refusalOf(async (sql) => {
          // A copy of the table has no other constraints, so that only the trigger is tested.
          await sql.unsafe(`create temporary table sample (like gold.${table}) on commit drop`);
          await sql.unsafe(`do $do$ declare c text; begin
            for c in select attname from pg_attribute where attrelid = 'sample'::regclass and attnotnull and attnum > 0 loop
              execute format('alter table sample alter %I drop not null', c);
            end loop; end $do$`);
          await sql.unsafe(
            `create trigger t before insert on sample for each row execute function gold.refuse_unprintable('${column}')`,
          );
          await sql.unsafe(`insert into sample (${column}) values ($1)`, [`a${character}b`]);
        });
        assert(
          message.startsWith(`sample.${column} must not contain`),
          `${table}.${column}: ${message}`,
        );
      }
    }
  });

  it("has the trigger or a check in every text column that is not listed here with a reason", async () => {
    const rows = await books.sql`
      select c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'gold'::regnamespace and c.relkind in ('r', 'p') and a.atttypid = 'text'::regtype and a.attnum > 0
        and not a.attisdropped and not exists (
          select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'refuse_unprintable'
            and a.attname = any (string_to_array(replace(encode(t.tgargs, 'escape'), '\\000', ' '), ' ')))
        and not exists (
          select from pg_constraint k where k.conrelid = c.oid and a.attnum = any (k.conkey)
            and position(a.attname || ' !~ ''^ | $|[\\u0001-' in pg_get_constraintdef(k.oid)) > 0)
      order by 1`;
    assertEquals(rows.map(({ name }) => name), Object.values(NOT_FREE).join(" ").split(" ").sort());
  });

  it("with a control character is also refused when a SQL function inserts it", async () => {
    const message = await refusalOf((sql) => sql`select gold.add_bar('B\u001b[2J', 'R', 'V', 50000, 9999)`);
    assertEquals(
      message,
      "bar.serial must not contain control characters, line breaks or characters that change the text direction",
    );
  });

  it("that was stored before the trigger existed does not prevent a change of another column", async () => {
    await books.sql`alter table gold.partner disable trigger refuse_unprintable`;
    const [partner] = await books.sql`update gold.partner set name = ${"Old\u001bname"} returning public_id`;
    await books.sql`alter table gold.partner enable trigger refuse_unprintable`;
    await books.sql`select gold.suspend_partner(${partner!.public_id})`;
    assertStartsWith(
      await refusalOf((sql) => sql`update gold.partner set name = name`),
      "partner.name must not contain",
    );
  });
});
