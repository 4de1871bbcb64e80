import { suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { hireOperator, publicIdOf, verdictOf } from "../operator_fixture.ts";

const APPEND_ONLY = (
  "transfer orders funding quote event idempotency_key nonce chain_link audit audit_link withdrawal " +
  "withdrawal_step payment_batch expiry_notice partner_change attempt price_history simulated_price " +
  "bar_list refusal closed_day epoch"
).split(" ");

const REFERRED_TO = ["withdrawal", "payment_batch"];

/**
 * The changes that the trigger must refuse to every role. The keys are the steps that a deposit already has.
 */
const STEPS_AGAIN: Record<string, readonly string[]> = {
  approved: [
    "approved_by = 'another'",
    "approved_at = approved_at + interval '1 second'",
    "approved_at = null, approved_by = null",
  ],
  reversed: [
    "reversed_by = 'another'",
    "reversed_at = reversed_at + interval '1 second'",
    "reversed_at = null, reversed_by = null, reversed_sequence = null",
    "approved_at = now(), approved_by = 'another'",
  ],
  "approved and reversed": [
    "approved_by = 'another'",
    "approved_at = null, approved_by = null",
    "reversed_by = 'another'",
    "reversed_at = reversed_at + interval '1 second'",
    "reversed_sequence = reversed_sequence + 1",
    "reversed_at = null, reversed_by = null, reversed_sequence = null",
  ],
};
const REWRITTEN = "GB002 a step of a deposit can be written only once";
const APPENDED = "GB002 deposit is append-only: write a new row that corrects the old one";

describe("append_only", () => {
  const books = suiteBooks();
  before(async () => {
    await books.addBar(1_000n);
    const client = await books.createClient({ halalas: 1_000n, tenthMilligrams: 10n });
    await books.sql`select gold.seal_chain(${client})`;
  });

  it("stops even the tables' owner from updating, deleting or truncating history", async () => {
    const owner = books.connect("superuser", 1);
    await owner`set role gold_owner`;
    for (const table of APPEND_ONLY) {
      const [first] = await owner`
        select attname from pg_attribute where attrelid = ${`gold.${table}`}::regclass and attnum > 0 and attgenerated = '' and attidentity = '' limit 1`;
      const changes = [
        owner`update gold.${owner(table)} set ${owner(first!.attname)} = ${owner(first!.attname)}`,
        owner`update gold.${owner(table)} set ${owner(first!.attname)} = ${
          owner(first!.attname)
        } where false`,
        owner`delete from gold.${owner(table)}`,
        owner`truncate gold.${owner(table)} cascade`,
        // Leave out a table that another table refers to, because Postgres itself refuses to truncate it.
        ...(REFERRED_TO.includes(table) ? [] : [owner`truncate gold.${owner(table)}`]),
      ];
      for (const change of changes) {
        const error = await change.then(() => ({ code: "changed", message: "" }), (error) => error);
        assertEquals([error.code, error.message], [
          "GB002",
          `${table} is append-only: write a new row that corrects the old one`,
        ]);
      }
    }
  });

  it("lets the superuser and gold_book write each step of a deposit only once", async () => {
    const [maker, checker] = [await hireOperator(books), await hireOperator(books)];
    const publicId = await publicIdOf(books, await books.createClient());
    for (const [steps, changes] of Object.entries(STEPS_AGAIN)) {
      const id = await maker.recordDeposit(publicId, 5n, steps);
      if (steps.includes("approved")) assertEquals(await checker.approveDeposit(id), "done");
      if (steps.includes("reversed")) assertEquals(await checker.reverseDeposit(id), "done");
      for (const role of ["none", "gold_book"]) {
        const verdictAs = (statement: string) =>
          verdictOf(books.sql.begin(async (sql) => {
            await sql.unsafe(`set local role ${role}`);
            await sql.unsafe(statement);
          }));
        for (const change of changes) {
          const verdict = await verdictAs(`update gold.deposit set ${change} where id = '${id}'`);
          assertEquals(verdict, REWRITTEN, `${role}, ${steps}: ${change}`);
        }
        const same = `update gold.deposit set approved_by = approved_by where id = '${id}'`;
        assertEquals(await verdictAs(same), "done");
        for (const statement of ["delete from gold.deposit", "truncate gold.deposit"]) {
          const refusal = role === "gold_book" ? "42501 permission denied for table deposit" : APPENDED;
          assertEquals(await verdictAs(statement), refusal);
        }
      }
    }
    for (const operator of [maker, checker]) await operator.leave();
  });

  it("covers every table except those whose rows hold the current state", async () => {
    const rows = await books.sql`
      select c.relname from pg_class c
      where c.relnamespace in ('gold'::regnamespace, 'gold_attempts'::regnamespace) and c.relkind in ('r', 'p')
        and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'append_only' and t.tgenabled = 'O')
      order by c.relname`;
    assertEquals(
      rows.map(({ relname }) => relname).join(" "),
      "account allowance allowed_ip audit_tail authority certificate chain_tail client_secret " +
        "delivery_worker deployment endpoint market_session open_exposure partner price problem " +
        "published_reserves rate_use receiver registry_version retry signing_key token_key vault webhook_secret",
    );
  });
});
