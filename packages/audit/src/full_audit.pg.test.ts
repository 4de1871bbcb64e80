import { after, before, describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { type AuditedBooks, auditedBooks } from "./books_fixture.ts";
import { auditBooks } from "./full_audit.ts";
import type { KeptKeys } from "./outside_files.ts";
import { auditAt, lookAfter } from "./audit_fixture.ts";

describe("the audit from outside", () => {
  let audited: AuditedBooks;
  before(async () => {
    audited = await auditedBooks();
  });
  after(() => audited.stop());

  const audit = (options: Parameters<typeof auditBooks>[1] = {}) => auditAt(audited.books.url, options);

  it("reports no defect in books that the service and the operators wrote", async () => {
    const { findings, records } = await audit({ rowsOnly: true });
    assertEquals(findings, []);
    assertEquals(records > 10, true);
  });

  it("makes payment documents again, and reports one with another IBAN although its hash is noted", async () => {
    const { findings } = await lookAfter(audited.books.url, async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`
        update gold.payment_batch set document = regexp_replace(document, '(.*<IBAN>)[^<]*', '\\1SA5680000000100000000001')`;
      await sql`
        update gold.audit a set detail = a.detail || jsonb_build_object('document_sha256', encode(sha256(convert_to(b.document, 'UTF8')), 'hex'))
        from gold.payment_batch b where a.action = 'withdrawal.batch' and a.subject = b.id::text`;
    }, (sql) => auditBooks(sql, { rowsOnly: true }));
    const found = findings.filter(({ rule }) => rule === "document_is_noted");
    const difference = ["<IBAN>SA0380000000608010167519</IBAN>", "<IBAN>SA5680000000100000000001</IBAN>"];
    assertEquals(found.map(({ expected, found }) => [expected, found]), [difference, difference]);
  });

  it("reports an audit row that a superuser appends with an earlier time, until a file of --keys has the row", async () => {
    const { keys } = await audit({ rowsOnly: true, registryOnly: true });
    const late = ["audit_is_whole", "head_is_kept"];
    for (const [time, expected] of [["30 seconds", []], ["2 minutes", late]] as const) {
      await lookAfter(audited.books.url, async (sql) => {
        await sql`set local session_replication_role = replica`;
        await sql`set local search_path = public`;
        await sql`select gold.note('partner.suspend', ${audited.publicId}, '{}')`;
        await sql`update gold.audit set at = at - ${time}::text::interval where id = (select max(id) from gold.audit)`;
        await sql`delete from gold.audit_link`;
        await sql`delete from gold.audit_tail`;
        await sql`select gold.seal_audit()`;
      }, async (sql) => {
        const rules = async (keys?: KeptKeys) => {
          const report = await auditBooks(sql, {
            rowsOnly: true,
            registryOnly: true,
            ...(keys ? { keys } : {}),
          });
          const found = report.findings.map(({ rule }) => rule).filter((rule) =>
            /^(audit|head)_is/.test(rule)
          );
          return [found, report.keys] as const;
        };
        const [found, newer] = await rules();
        assertEquals(found, expected.slice(0, 1));
        assertEquals((await rules(keys))[0], expected.slice(1));
        assertEquals((await rules(newer))[0], []);
      });
    }
  });

  it("reports the same defects if a second process reads a part of the ranges", async () => {
    const { sql } = audited.books;
    const { client } = audited;
    await audited.books.createClient({ halalas: 100n });
    await sql.begin(async (transaction) => {
      await transaction`set local session_replication_role = replica`;
      await transaction`update gold.nonce set request_id = gen_random_uuid() where client_id = ${client}`;
      await transaction`update gold.funding set amount = amount + 1`;
    });
    const alone = await audit({ rowsOnly: true, eventsPerRange: 1n });
    const texts: string[] = [];
    const together = await audit({
      rowsOnly: true,
      eventsPerRange: 1n,
      url: audited.books.url,
      progress: (text) => texts.push(text),
    });
    assertEquals(together, alone);
    assertEquals(alone.counts.has("transfer_is_derived"), true);
    assertEquals(texts.filter((text) => text.includes("4 of 4 ranges")).length, 1);
  });

  it("reports the error of the second process", async () => {
    const noRead = new URL(audited.books.url);
    noRead.pathname = "/postgres";
    await assertRejects(
      () => audit({ rowsOnly: true, eventsPerRange: 1n, url: noRead.href }),
      Error,
      "second process of the audit ended early",
    );
  });
});
