import { after, before, describe, it } from "node:test";
import { parseOperatorKeys } from "@gold-partner/approvals";
import { newSoftwareKey } from "@gold-partner/sshsig/testing";
import { assertEquals, assertMatch } from "@std/assert";
import { type AuditedBooks, auditedBooks } from "../books_fixture.ts";
import { auditBooks } from "../full_audit.ts";
import { withSnapshot } from "../snapshot.ts";

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
  async function findingsAfter(edit: string): Promise<readonly string[]> {
    const { sql } = audited.books;
    await sql.unsafe("create table public.kept as select * from gold.proposal");
    await sql.begin(async (transaction) => {
      await transaction`set local session_replication_role = replica`;
      await transaction.unsafe(`update gold.proposal set ${edit} where kind = 'operator_key.add'`);
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
      ["decided_by = 'mallory'", /was no key of mallory/],
      ["proposer = 'mallory'", /was no key of mallory/],
      ["approver_signature = null", /has not signed/],
      ["approver_signature = proposer_signature", /was no key of/],
      ["decided_at = expires_at", /not between the proposal and its end/],
    ] as const;
    for (const [edit, expected] of edits) assertMatch((await findingsAfter(edit))[0] ?? "nothing", expected);
  });

  it("finds first keys that are not those outside", async () => {
    const [mine, other] = [await newSoftwareKey(), await newSoftwareKey()];
    const found = await findingsOf(`amal ${mine.publicKey.text}\nbilal ${other.publicKey.text}\n`);
    assertEquals(found.length, 4);
  });
});
