import { after, before, describe, it } from "node:test";
import { bookSignedOrders, createTrader, type TestBooks, testBooks } from "@gold-partner/server/testing";
import { assertEquals } from "@std/assert";
import type { Sql } from "postgres";
import { auditBooks } from "../full_audit.ts";
import { openAuditConnection, SESSION_SETTINGS } from "../snapshot.ts";

describe("the audit of a vault that once had four stripes", () => {
  let books: TestBooks;
  let sql: Sql;
  before(async () => {
    books = await testBooks();
    sql = openAuditConnection(books.url);
    await books.addBar(100_000_000n);
    const trader = await createTrader(books.sql);
    await books.sql`select gold.set_stripes(4)`;
    await bookSignedOrders(books.api, [trader], "https://localhost:8443", "buy", 10n);
    await books.sql`select gold.set_stripes(1)`;
  });
  after(async () => {
    await sql?.end({ timeout: 1 });
    await books?.stop();
  });

  /** Audits the books after a superuser moved the transfers of this leg to the stripe, and undoes it. */
  async function findingsWith(leg: number, stripe: number): Promise<readonly string[]> {
    const undone = new Error("undone");
    let rows: readonly string[] = [];
    await sql.begin(async (transaction) => {
      await transaction.unsafe(`
        set local session_replication_role = replica;
        update gold.transfer set stripe = ${stripe} where leg = ${leg} and sequence > 1 and client_id <> 0`);
      for (const setting of SESSION_SETTINGS) await transaction.unsafe(setting);
      rows = (await auditBooks(transaction, { rowsOnly: true })).findings.map(({ rule, row }) =>
        `${rule} ${row.replace(/\d+/g, "N")}`
      );
      throw undone;
    }).catch((error) => {
      if (error !== undone) throw error;
    });
    return rows;
  }

  it("accepts gold from each stripe that the vault had, and reports any other stripe", async () => {
    assertEquals(await findingsWith(2, 0), []);
    assertEquals(await findingsWith(2, 3), []);
    assertEquals(await findingsWith(2, 4), ["transfer_is_derived client N sequence N leg N stripe"]);
  });

  it("reports a stripe of a transfer of money", async () => {
    const found = new Set(await findingsWith(1, 1));
    assertEquals([...found], ["transfer_is_derived client N sequence N leg N stripe"]);
  });
});
