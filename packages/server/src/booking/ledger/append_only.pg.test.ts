import { type TrialBooks, trialBooks } from "@gold-partner/dev";
import { assertEquals } from "@std/assert";
import { after, before, describe, it } from "node:test";

const APPEND_ONLY = [
  "transfer",
  "orders",
  "funding",
  "quote",
  "event",
  "idempotency_key",
  "nonce",
  "chain_link",
  "audit",
  "audit_link",
  "withdrawal",
  "withdrawal_step",
  "payment_batch",
];

const REFERRED_TO = ["withdrawal", "payment_batch"];

describe("append_only", () => {
  let books: TrialBooks;
  before(async () => {
    books = await trialBooks();
    await books.addBar(1_000n);
    const client = await books.createClient({ halalas: 1_000n, tenthMilligrams: 10n });
    await books.sql`select gold.seal_chain(${client})`;
  });
  after(() => books.stop());

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
        // Postgres itself forbids it where another table refers to this one.
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

  it("covers every table but those whose rows are a present state", async () => {
    const rows = await books.sql`
      select c.relname from pg_class c
      where c.relnamespace = 'gold'::regnamespace and c.relkind = 'r'
        and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'append_only' and t.tgenabled = 'O')
      order by c.relname`;
    assertEquals(rows.map(({ relname }) => relname), [
      "account",
      "allowed_ip",
      "audit_tail",
      "bar",
      "certificate",
      "chain_tail",
      "client_secret",
      "deployment",
      "deposit",
      "market_session",
      "partner",
      "price",
      "problem",
      "registry_version",
      "signing_key",
      "token_key",
      "vault",
      "webhook_secret",
    ]);
  });
});
