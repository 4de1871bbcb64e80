import { after, before, describe, it } from "node:test";
import { parseOperatorKeys } from "@gold-partner/approvals";
import { newSoftwareKey } from "@gold-partner/approvals/testing";
import { assertEquals, assertMatch } from "@std/assert";
import type { TransactionSql } from "postgres";
import { type AuditedBooks, auditedBooks } from "../books_fixture.ts";
import type { Finding } from "../findings.ts";
import { auditBooks, type AuditOptions } from "../full_audit.ts";
import { auditAt, lookAfter } from "../audit_fixture.ts";

describe("the audit of signed approvals", () => {
  let audited: AuditedBooks;
  before(async () => {
    audited = await auditedBooks();
  });
  after(() => audited.stop());

  async function findingsOf(text = audited.operatorKeys): Promise<readonly string[]> {
    const operatorKeys = await parseOperatorKeys(text);
    const { findings } = await auditAt(audited.books.url, {
      operatorKeys,
      rowsOnly: true,
      registryOnly: true,
    });
    return findings.filter(({ rule }) => rule === "approval_is_signed").map(({ found }) => found);
  }
  /** Audits after an edit by a superuser, and undoes it. */
  async function findingsAfter(edit: string, kind = "operator_key.add"): Promise<readonly string[]> {
    const operatorKeys = await parseOperatorKeys(audited.operatorKeys);
    const findings = await findingsAfterEdit(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql.unsafe(`update gold.proposal set ${edit} where kind = '${kind}'`);
    }, { operatorKeys });
    return findings.filter(({ rule }) => rule === "approval_is_signed").map(({ found }) => found);
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
    const found = await findingsOf(
      audited.operatorKeys.replace("# deployment sandbox-", "# deployment production-"),
    );
    // All four approvals are verified. Three are signed, for the sandbox.
    assertEquals(
      found.filter((fault) => fault.startsWith("The text names the deployment sandbox-")).length,
      4,
    );
  });

  it("finds an unsigned approval that a superuser appends, although it is dated before the first key", async () => {
    const { logins: [maker, checker] } = audited;
    const findings = await findingsAfterEdit(async (sql) => {
      await sql`set local session_replication_role = replica`;
      const [{ first, last }] = await sql<[{ first: string; last: string }]>`
        select min(added_at)::text as first, (select max(id)::text from gold.audit) as last
        from gold.operator_key where admitted_by = 'root'`;
      const [{ id, sha256 }] = await sql<[{ id: string; sha256: string }]>`
        insert into gold.proposal (id, kind, content, proposer, proposed_at, expires_at, state, decided_by, decided_at, deployment)
        select gen_random_uuid(), 'operator.add', '{"name": "mallory", "roles": ["treasury"]}', ${maker}, t.at, t.at + interval '3 days',
          'approved', ${checker}, t.at, d.id
        from gold.deployment d, (select ${first}::timestamptz - interval '1 second' as at) t
        returning id, gold.proposal_sha256(proposal) as sha256`;
      await sql`
        select gold.note_as(${maker}, 'proposal.propose', ${id}, jsonb_build_object('kind', 'operator.add', 'sha256', ${sha256}::text))`;
      await sql`
        select gold.note_as(${checker}, 'proposal.approve', ${id}, jsonb_build_object('kind', p.kind, 'sha256', ${sha256}::text,
          'proposer', p.proposer, 'decided_at', gold.instant_text(p.decided_at)) || jsonb_build_object('proposal', p.id))
        from gold.proposal p where p.id = ${id}`;
      await sql`
        select gold.note('operator.add', 'mallory', jsonb_build_object('roles', '["treasury"]'::jsonb, 'proposal', ${id}::text))`;
      await sql`
        update gold.audit set at = ${first}::timestamptz - interval '1 second' where id > ${last}::bigint`;
      await sql`set local search_path = public`;
      await sql`delete from gold.audit_link`;
      await sql`delete from gold.audit_tail`;
      await sql`select gold.seal_audit()`;
    }, { operatorKeys: await parseOperatorKeys(audited.operatorKeys) });
    assertEquals(findings.map(({ rule, row }) => `${rule} ${row.split(" ")[0]}`), [
      "approval_is_signed proposal",
    ]);
  });

  it("takes the environment from the file of the operators' keys, not from the database", async () => {
    const text = audited.operatorKeys.replace("# deployment sandbox-", "# deployment production-");
    const operatorKeys = await parseOperatorKeys(text);
    const findings = await findingsAfterEdit(
      (sql) => simulate(sql, "SIMULATED-0198b3a5-7c00-7000-8000-000000000000"),
      { operatorKeys },
    );
    const found = findings.filter(({ rule, row }) =>
      rule === "change_is_approved" && /^audit \d+ deposit/.test(row)
    );
    assertEquals(found.length, 2);
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

  /** The findings after an edit by a superuser that is undone. */
  async function findingsAfterEdit(
    edit: (sql: TransactionSql) => Promise<unknown>,
    options: AuditOptions = {},
  ): Promise<readonly Finding[]> {
    const look = (sql: TransactionSql) => auditBooks(sql, { rowsOnly: true, registryOnly: true, ...options });
    return (await lookAfter(audited.books.url, edit, look)).findings;
  }
  /** The audit rows of deposits that need an approval and lack it. */
  const deposits = async (edit: (sql: TransactionSql) => Promise<unknown>): Promise<readonly string[]> =>
    (await findingsAfterEdit(edit)).filter(({ rule }) => rule === "change_is_approved").map(({ row }) =>
      row.replace(/^audit \d+ /, "")
    );
  const book = (sql: TransactionSql, maker: string, checker: string, reference = "OWN-1") =>
    sql`select gold.approve_deposit_as(${checker}, gold.record_deposit_as(${maker}, ${audited.publicId}, 500000000, ${reference}))`;
  const simulate = (sql: TransactionSql, reference: string) =>
    book(sql, "gold_simulation_maker", "gold_simulation_checker", reference);

  it("finds a deposit that a superuser books or takes back alone, books twice for one approval, or as a simulation in production", async () => {
    const { publicId } = audited;
    const both = ["deposit.record", "deposit.approve"];
    assertEquals(await deposits((sql) => book(sql, "amal", "badr")), both);
    const setState = async (sql: TransactionSql, state: string) => {
      await sql`set local session_replication_role = replica`;
      await sql`update gold.proposal set state = ${state} where kind = 'deposit.record'`;
      await sql`set local session_replication_role = origin`;
    };
    const simulated = (sql: TransactionSql) =>
      simulate(sql, "SIMULATED-0198b3a5-7c00-7000-8000-000000000000");
    assertEquals(await deposits(simulated), []);
    assertEquals(await deposits((sql) => simulate(sql, "TRANSFER 1")), both);
    assertEquals(
      await deposits((sql) => book(sql, "gold_simulation_maker", "gold_simulation_checker", "SIMULATED-1")),
      both,
    );
    const cancel = (sql: TransactionSql) =>
      sql`select gold.reverse_deposit_as('amal', gold.record_deposit_as('amal', ${publicId}, 5, 'OWN-2'))`;
    assertEquals(await deposits(cancel), ["deposit.record"]);
    const inProduction = await deposits(async (sql) => {
      await sql`update gold.deployment set environment = 'production'`;
      await simulated(sql);
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

  it("finds money that a superuser gives back in production with a login of simulations", async () => {
    const back = async (sql: TransactionSql, environment: string) => {
      await sql`update gold.deployment set environment = ${environment}`;
      const [{ id }] = await sql<[{ id: string }]>`
        select s.withdrawal_id as id from gold.withdrawal_step s where s.status = 'paid'`;
      await sql`select gold.step_withdrawal('gold_simulation_checker', ${id}::uuid, 'returned', null)`;
    };
    const found = async (environment: string) =>
      (await findingsAfterEdit((sql) => back(sql, environment)))
        .filter(({ row }) => row.endsWith(" withdrawal.returned")).map(({ rule }) => rule).sort();
    assertEquals([await found("sandbox"), await found("production")], [
      [],
      ["change_is_approved", "login_is_admitted"],
    ]);
  });

  it("finds a payment document that a login of simulations stored in production", async () => {
    const submit = async (sql: TransactionSql, environment: string) => {
      await sql`update gold.deployment set environment = ${environment}`;
      const [{ id }] = await sql<[{ id: string }]>`
        select w.id from gold.withdrawal_overview w where w.status = 'pending_approval' limit 1`;
      await sql`select gold.step_withdrawal('gold_simulation_maker', ${id}::uuid, 'approved', null)`;
      await sql`
        select gold.submit_withdrawals_as('gold_simulation_checker', gen_random_uuid(), array[${id}::uuid], 'no document')`;
    };
    const found = async (environment: string) =>
      (await findingsAfterEdit((sql) => submit(sql, environment))).some(({ rule }) =>
        rule === "document_is_noted"
      );
    assertEquals([await found("sandbox"), await found("production")], [false, true]);
  });
});
