import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { TransactionSql } from "postgres";
import { type AuditedBooks, auditedBooks } from "./books_fixture.ts";
import {
  type Edit,
  listEdits,
  listExtremeEdits,
  listSmallEdits,
  OTHER_SMALL_EDITS,
} from "./edits_fixture.ts";
import { auditBooks, type AuditOptions } from "./full_audit.ts";
import type { KeptHead } from "./outside_files.ts";
import { PARTLY_RECORDED, UNRECORDED, UNRECORDED_ROWS } from "./unrecorded.ts";
import { lookAfter } from "./audit_fixture.ts";

const MAX_UNRECORDED = 30;
const LISTED = new Set([UNRECORDED, UNRECORDED_ROWS].flatMap((list) => Object.keys(list)));
/**
 * Sealing again restores edited links and tails, so no rule can notice these edits. A row that is appended to
 * the audit trail breaks no link: the audit compares the action of the row with the tables, and the next file
 * of `gold audit keys` has another head.
 */
const RESEALED = /^(chain_link|chain_tail|audit_link|audit_tail)[. ]|^audit \(insert\)$/;
/** A superuser who knows the code seals the edited records and audit rows again. */
const RESEAL = `
  set local search_path = public;
  delete from gold.chain_link; delete from gold.chain_tail; delete from gold.audit_link; delete from gold.audit_tail;
  select gold.seal_audit();
  do $$ declare c int; begin for c in select distinct client_id from gold.event loop
    begin perform gold.seal_chain(c); exception when others then null; end; end loop; end $$;
  set local search_path = pg_catalog, pg_temp`;

describe("edits of a superuser", () => {
  let audited: AuditedBooks;
  before(async () => {
    audited = await auditedBooks();
  });
  after(() => audited?.stop());

  /** Calls `use` in a transaction in which triggers and checks are off, and rolls back. */
  const tampering = (use: (transaction: TransactionSql) => Promise<void>): Promise<void> =>
    lookAfter(audited.books.url, async (transaction) => {
      await transaction.unsafe("set local session_replication_role = replica");
      const checks = await transaction.unsafe(`
        select c.conrelid::regclass::text as name, quote_ident(c.conname) as conname from pg_constraint c
        where c.connamespace = 'gold'::regnamespace and c.contype in ('c', 'f', 'u') and c.conparentid = 0`);
      for (const { name, conname } of checks) {
        await transaction.unsafe(`alter table ${name} drop constraint if exists ${conname}`);
      }
      const indexes = await transaction.unsafe(`
        select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indisunique and not i.indisprimary and c.relnamespace = 'gold'::regnamespace and not c.relispartition`);
      for (const { name } of indexes) await transaction.unsafe(`drop index if exists ${name}`);
      await transaction.unsafe(
        "alter table gold.partner alter id drop identity; alter table gold.client_secret alter id drop identity",
      );
      await transaction.unsafe(
        "alter table gold.webhook_secret alter id drop identity; alter table gold.audit alter id drop identity",
      );
    }, use);

  /** Applies one edit, audits, and undoes the edit. Returns the rules that noticed it. */
  async function noticedBy(
    transaction: TransactionSql,
    statement: string,
    options: AuditOptions,
  ): Promise<string[]> {
    const undone = new Error("undone");
    let rules: string[] = [];
    await transaction.savepoint(async (edited) => {
      await edited.unsafe(statement);
      const { counts } = await auditBooks(edited, { rowsOnly: true, ...options });
      rules = [...counts.keys()];
      throw undone;
    }).catch((error) => {
      if (error !== undone) throw error;
    });
    return rules;
  }

  it("are noticed in every column, or the column is listed with its reason", async () => {
    const unnoticed: string[] = [];
    let edits: Edit[] = [];
    await tampering(async (transaction) => {
      edits = await listEdits(transaction);
      assertEquals(
        await noticedBy(transaction, "select 1", {}),
        [],
        "the audit has findings although nothing was edited",
      );
      for (const { name, statement } of edits) {
        const rules = await noticedBy(transaction, statement, {}).catch((
          error,
        ) => [void unnoticed.push(`${name} failed: ${error.message}`)]);
        if (rules.length === 0) unnoticed.push(name);
      }
    });
    assert(edits.length > 250, `only ${edits.length} edits were made`);
    assertEquals(unnoticed.sort(), [...LISTED].sort());
    assert(Object.keys(UNRECORDED).length <= MAX_UNRECORDED);
  });

  it("of another size or state are noticed in every column, or the column is listed with its reason", async () => {
    const unnoticed = new Set<string>();
    let count = 0;
    await tampering(async (transaction) => {
      for (const { name, statement } of [...await listSmallEdits(transaction), ...OTHER_SMALL_EDITS]) {
        if (LISTED.has(name)) continue;
        count++;
        const rules = await noticedBy(transaction, statement, {});
        if (rules.length === 0) unnoticed.add(name);
      }
    });
    assert(count > 200, `only ${count} edits were made`);
    assertEquals([...unnoticed].sort(), Object.keys(PARTLY_RECORDED).sort());
    const page = await readFile(new URL("../../../docs/audit.md", import.meta.url), "utf8");
    const listed = [...page.matchAll(/^\| `(\w+\.\w+)` +\| (.*?) +\|$/gm)].map((
      [, name, reason],
    ) => [name, reason]);
    assertEquals(Object.fromEntries(listed), PARTLY_RECORDED);
  });

  it("end no audit, whatever value an edited row has", async () => {
    const failed: string[] = [];
    await tampering(async (transaction) => {
      const edits = await listExtremeEdits(transaction);
      assert(edits.length > 100, `only ${edits.length} edits were made`);
      for (const { name, statement } of edits) {
        await noticedBy(transaction, statement, {}).catch((error) =>
          failed.push(`${name}: ${error.message}: ${statement}`)
        );
      }
    });
    assertEquals(failed, []);
  });

  it("are noticed with the files from outside, even if the chain and the audit trail are sealed again", async () => {
    const unnoticed: string[] = [];
    await tampering(async (transaction) => {
      const heads = await transaction.unsafe(`
        select p.public_id as client_id, t.sequence::text, pg_catalog.encode(t.head, 'hex') as head
        from gold.chain_tail t join gold.partner p on p.id = t.client_id`) as unknown as KeptHead[];
      const { keys } = await auditBooks(transaction, { rowsOnly: true });
      // Sealing again restores the same chains where no sealed row was edited.
      assertEquals(await noticedBy(transaction, RESEAL, { heads, keys }), []);
      for (const { name, statement } of await listEdits(transaction)) {
        if (LISTED.has(name) || RESEALED.test(name)) continue;
        const rules = await noticedBy(transaction, `${statement}; ${RESEAL}`, { heads, keys })
          .catch((error) => [void unnoticed.push(`${name} failed: ${error.message}`)]);
        if (rules.length === 0) unnoticed.push(name);
      }
    });
    assertEquals(unnoticed, []);
  });
});
