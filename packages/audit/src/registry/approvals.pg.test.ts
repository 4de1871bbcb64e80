import { after, before, describe, it } from "node:test";
import { parseOperatorKeys } from "@gold-partner/approvals";
import { newSoftwareKey } from "@gold-partner/sshsig/testing";
import { assertEquals, assertMatch } from "@std/assert";
import type { TransactionSql } from "postgres";
import { type AuditedBooks, auditedBooks } from "../books_fixture.ts";
import { auditBooks } from "../full_audit.ts";
import { openAuditConnection, SESSION_SETTINGS, withSnapshot } from "../snapshot.ts";

describe("the audit of signed approvals", () => {
  let audited: AuditedBooks;
  before(async () => {
    audited = await auditedBooks();
  });
  after(() => audited.stop());

  async function findingsOf(text = audited.operatorKeys): Promise<readonly string[]> {
    const operatorKeys = await parseOperatorKeys(text);
    const { findings } = await withSnapshot(
      audited.books.url,
      (sql) => auditBooks(sql, { operatorKeys, rowsOnly: true, registryOnly: true }),
    );
    return findings.filter(({ rule }) => rule === "approval_is_signed").map(({ found }) => found);
  }
  /** Audits after an edit by a superuser, and undoes it. */
  async function findingsAfter(edit: string, kind = "operator_key.add"): Promise<readonly string[]> {
    const { sql } = audited.books;
    await sql.unsafe("create table public.kept as select * from gold.proposal");
    await sql.begin(async (transaction) => {
      await transaction`set local session_replication_role = replica`;
      await transaction.unsafe(`update gold.proposal set ${edit} where kind = '${kind}'`);
    });
    const found = await findingsOf();
    await sql.begin(async (transaction) => {
      await transaction`set local session_replication_role = replica`;
      await transaction`delete from gold.proposal`;
      await transaction`insert into gold.proposal select * from public.kept`;
    });
    await sql`drop table public.kept`;
    return found;
  }

  it("finds nothing if every approval has two signatures of keys from outside", async () => {
    assertEquals(await findingsOf(), []);
  });

  it("finds an approval that a superuser edited", async () => {
    const edits = [
      ['content = content || \'{"login": "mallory"}\'', /did not sign this text/],
      ["decided_by = 'mallory'", /was not a key of mallory/],
      ["proposer = 'mallory'", /was not a key of mallory/],
      ["approver_signature = null", /has not signed/],
      ["approver_signature = proposer_signature", /was not a key of/],
      ["decided_at = expires_at", /not between the proposal and its end/],
    ] as const;
    for (const [edit, expected] of edits) assertMatch((await findingsAfter(edit))[0] ?? "nothing", expected);
  });

  it("finds an approval from before the first keys in production, where nothing is approved without keys", async () => {
    const { sql } = audited.books;
    await sql`update gold.deployment set environment = 'production'`;
    const found = await findingsOf();
    await sql`update gold.deployment set environment = 'sandbox'`;
    assertEquals(found.length, 1);
    assertMatch(found[0]!, /has not signed/);
  });

  it("finds first keys that are not those outside", async () => {
    const [mine, other] = [await newSoftwareKey(), await newSoftwareKey()];
    const [deployment] = audited.operatorKeys.split("\n");
    const found = await findingsOf(
      `${deployment}\namal ${mine.publicKey.text}\nbilal ${other.publicKey.text}\n`,
    );
    assertEquals(found.length, 6);
  });

  it("finds another deployment than that of the file", async () => {
    const found = await findingsOf(
      audited.operatorKeys.replace("# deployment sandbox-", "# deployment production-"),
    );
    assertMatch(found[0]!, /^The text names the deployment sandbox-.+; it must name production-/);
    assertMatch(found.at(-1)!, /^sandbox-/);
  });

  it("finds a deposit and a payment whose signatures do not hold", async () => {
    for (const kind of ["deposit.record", "payment.submit"]) {
      const found = await findingsAfter("approver_signature = proposer_signature", kind);
      assertEquals([kind, found.length], [kind, 1]);
    }
  });

  /**
   * The audit rows of deposits that need an approval and lack it, after an edit by a superuser that is
   * undone.
   */
  async function deposits(edit: (sql: TransactionSql) => Promise<unknown>): Promise<readonly string[]> {
    const undone = new Error("undone");
    let found: readonly string[] = [];
    const connection = openAuditConnection(audited.books.url);
    await connection.begin(async (sql) => {
      await edit(sql);
      for (const setting of SESSION_SETTINGS) await sql.unsafe(setting);
      const { findings } = await auditBooks(sql, { rowsOnly: true, registryOnly: true });
      found = findings.filter(({ rule }) => rule === "change_is_approved").map(({ row }) =>
        row.replace(/^audit \d+ /, "")
      );
      throw undone;
    }).catch((error) => {
      if (error !== undone) throw error;
    }).finally(() => connection.end({ timeout: 1 }));
    return found;
  }

  it("finds a deposit that a superuser books or takes back alone, books twice for one approval, or as a simulation in production", async () => {
    const { publicId } = audited;
    const book = (sql: TransactionSql, maker: string, checker: string) =>
      sql`select gold.approve_deposit_as(${checker}, gold.record_deposit_as(${maker}, ${publicId}, 500000000, 'OWN-1'))`;
    const both = ["deposit.record", "deposit.approve"];
    assertEquals(await deposits((sql) => book(sql, "amal", "badr")), both);
    const setState = async (sql: TransactionSql, state: string) => {
      await sql`set local session_replication_role = replica`;
      await sql`update gold.proposal set state = ${state} where kind = 'deposit.record'`;
      await sql`set local session_replication_role = origin`;
    };
    const simulate = (sql: TransactionSql) => book(sql, "gold_simulation_maker", "gold_simulation_checker");
    assertEquals(await deposits(simulate), []);
    const cancel = (sql: TransactionSql) =>
      sql`select gold.reverse_deposit_as('amal', gold.record_deposit_as('amal', ${publicId}, 5, 'OWN-2'))`;
    assertEquals(await deposits(cancel), ["deposit.record"]);
    const inProduction = await deposits(async (sql) => {
      await sql`update gold.deployment set environment = 'production'`;
      await simulate(sql);
    });
    assertEquals(inProduction, both);
    const twice = await deposits(async (sql) => {
      await sql`select gold.reverse_deposit_as('amal', id) from gold.deposit where bank_reference = 'BANK-3'`;
      await setState(sql, "applying");
      await sql`select gold.record_deposit(${publicId}, 700, 'BANK-3')`;
      await setState(sql, "approved");
    });
    assertEquals(twice, ["deposit.reverse", ...both]);
  });
});
