import { before, describe, it } from "node:test";
import { APPROVAL_NAMESPACE, approvalText } from "@gold-partner/approvals";
import { newSoftwareKey } from "@gold-partner/approvals/testing";
import { assert, assertEquals } from "@std/assert";
import { assertStartsWith } from "../../../testing/assert_starts_with.ts";
import { retryCatalogChange } from "../../../../../tools/testing/drop_logins.ts";
import { hireOperator, suiteOperator, suiteOperators, verdictOf } from "../../booking/operator_fixture.ts";
import { suiteBooks } from "../../../testing/books.ts";
import {
  approveSigned,
  newSignatory,
  proposeSigned,
  registerRootKeys,
  type Signatory,
} from "../../../testing/signed_proposals.ts";
import { columnOf } from "../../../testing/rows.ts";

const EXPOSURE = { exposure: "100" };

describe("operators' keys", () => {
  const books = suiteBooks();
  const operators = [...suiteOperators(books), suiteOperator(books)] as const;
  let people: Signatory[];
  before(async () => {
    people = await Promise.all(operators.map(({ sql }) => newSignatory(sql)));
  });

  const approve = async (person: Signatory, proposal: { id: string; sha256: string }) => {
    const [row] = await books.sql`select id from gold.deployment`;
    return await verdictOf(approveSigned(person, { ...proposal, deployment: row!.id }));
  };

  const activeKeysOf = (login: string) =>
    columnOf<string>(books.sql`
      select fingerprint from gold.operator_key where login = ${login} and ended_at is null`);

  it("must be registered before anything is approved in production, where one person can still end things", async () => {
    const [one, two] = people as [Signatory, Signatory];
    await books.sql`update gold.deployment set environment = 'production'`;
    const [proposal] = await one.sql`select * from gold.propose('market.set', ${
      one.sql.json(EXPOSURE)
    }::jsonb)`;
    const unsigned = await verdictOf(
      two.sql`select gold.approve_proposal(${proposal!.id}::uuid, ${proposal!.sha256})`,
    );
    for (const verdict of [unsigned, await approve(two, proposal as never)]) {
      assert(
        verdict.startsWith("GR409 nobody can approve in production before the first operator keys"),
        verdict,
      );
      assert(verdict.includes("gold db migrate --operator-key LOGIN=FILE"), verdict);
    }
    assertEquals(await verdictOf(one.sql`select gold.set_market_hours(false, '[]')`), "done");
    assertEquals(await verdictOf(two.sql`select gold.reject_proposal(${proposal!.id}::uuid)`), "done");
    await books.sql`update gold.deployment set environment = 'sandbox'`;
  });

  it("are registered first by the migration login, once, for at least two people, which ends the single operator", async () => {
    const [one, two] = people as [Signatory, Signatory];
    assertStartsWith(
      await verdictOf(registerRootKeys(books.sql, one)),
      "GR409 register the first operator keys of at least 2 people",
    );
    assertStartsWith(await verdictOf(registerRootKeys(one.sql, one, two)), "42501");
    const shared = await verdictOf(registerRootKeys(books.sql, one, { ...two, key: one.key }));
    assert(shared.includes(`was registered before, for the login`), shared);
    await registerRootKeys(books.sql, ...people);
    assertEquals((await books.sql`select gold.two_people() as two`)[0]!.two, true);
    assertStartsWith(
      await verdictOf(registerRootKeys(books.sql, ...people)),
      "GR409 the first operator keys are registered already",
    );
  });

  it("approve only with the signatures of two people", async () => {
    const [one, two] = people as [Signatory, Signatory];
    const [unsigned] = await one.sql`select * from gold.propose('market.set', ${
      one.sql.json(EXPOSURE)
    }::jsonb)`;
    assertStartsWith(await approve(two, unsigned as never), "GR409 the proposer has not signed the proposal");
    const proposal = await proposeSigned(one, "market.set", EXPOSURE);
    assertStartsWith(
      await verdictOf(
        two.sql`select gold.approve_proposal(${proposal.id}::uuid, ${proposal.sha256})`,
      ),
      "GR409 the approval is not signed",
    );
    assertEquals(await approve(two, proposal), "done");
    const [note] = await books.sql`
      select detail ->> 'key' as key from gold.audit where action = 'proposal.approve' order by id desc limit 1`;
    assertEquals(note!.key, two.key.publicKey.fingerprint);
    assertStartsWith(await approve(two, proposal), "GR409 the proposal was approved already");
  });

  it("do not let a person approve with a second login, neither with the same key nor with a new one", async () => {
    const [one] = people as [Signatory];
    const second = await hireOperator(books);
    try {
      const proposal = await proposeSigned(one, "market.set", EXPOSURE);
      const same = await newSignatory(second.sql);
      const none = await approve(same, proposal);
      assertEquals(
        none,
        `GR409 the login ${second.login} has no operator key: another operator proposes it with \`gold operator key add\``,
      );
      const content = { login: second.login, public_key: one.key.publicKey.text };
      const taken = await verdictOf(proposeSigned(one, "operator_key.add", content));
      assert(taken.includes("use a new key for each person"), taken);
      const foreign = await approve({ ...people[1]!, key: one.key }, proposal);
      assert(foreign.includes("which is not an active key of the login"), foreign);
    } finally {
      await second.leave();
    }
  });

  it("do not count one key for two people, even if a superuser stored it for both", async () => {
    const [one, two] = people as [Signatory, Signatory];
    const proposal = await proposeSigned(one, "market.set", EXPOSURE);
    const text = approvalText({ ...proposal, approver: two.login });
    const signature = await one.key.sign(text, { namespace: APPROVAL_NAMESPACE });
    const verdict = await verdictOf(books.sql.begin(async (sql) => {
      await sql`alter table gold.operator_key drop constraint operator_key_pkey`;
      await sql`
        insert into gold.operator_key (fingerprint, login, public_key, admitted_by, added_at)
        select fingerprint, ${two.login}, public_key, admitted_by, added_at from gold.operator_key
        where fingerprint = ${one.key.publicKey.fingerprint}`;
      await sql.unsafe(`set local session authorization ${two.login}`);
      await sql`select gold.approve_proposal(${proposal.id}::uuid, ${proposal.sha256}, ${signature})`;
    }));
    assertEquals(verdict, "GR409 the proposer signed with the same key: another person has to approve");
  });

  it("do not let the migration login make two people alone", async () => {
    const [one] = people as [Signatory];
    const proposal = await proposeSigned(one, "market.set", EXPOSURE);
    const own = await newSignatory(books.sql);
    const verdict = await approve(own, proposal);
    assert(verdict.includes("was not added with `gold operator add`"), verdict);
    assertStartsWith(
      await verdictOf(
        books.sql`select gold.add_operator_key(${own.login}, ${own.key.publicKey.text})`,
      ),
      "GR409 this change needs two people",
    );
  });

  it("are replaced by two holders if the third is lost", async () => {
    const [one, two, three] = people as [Signatory, Signatory, Signatory];
    await one.sql`select gold.end_operator_key(${three.key.publicKey.fingerprint})`;
    const proposal = await proposeSigned(one, "market.set", EXPOSURE);
    const ended = await approve(three, proposal);
    assert(ended.includes("has no operator key"), ended);
    assertStartsWith(
      await verdictOf(one.sql`select gold.end_operator_key(${two.key.publicKey.fingerprint})`),
      "GR409 fewer than two people with the role keys would have an operator key",
    );
    const next = { ...three, key: await newSoftwareKey("sk-ssh-ed25519@openssh.com") };
    const added = await proposeSigned(one, "operator_key.add", {
      login: three.login,
      public_key: next.key.publicKey.text,
    });
    assertEquals(await approve(two, added), "done");
    assertEquals(await approve(next, proposal), "done");
    const [row] = await books.sql`
      select admitted_by from gold.operator_key where fingerprint = ${next.key.publicKey.fingerprint}`;
    assertEquals(row!.admitted_by, added.id);
  });

  it("refuse an approval after the proposer's key has ended", async () => {
    const [one, two, three] = people as [Signatory, Signatory, Signatory];
    const extra = { ...three, key: await newSoftwareKey() };
    const added = await proposeSigned(one, "operator_key.add", {
      login: three.login,
      public_key: extra.key.publicKey.text,
    });
    assertEquals(await approve(two, added), "done");
    const proposal = await proposeSigned(extra, "market.set", EXPOSURE);
    await one.sql`select gold.end_operator_key(${extra.key.publicKey.fingerprint})`;
    const verdict = await approve(two, proposal);
    assert(verdict.includes("which is not an active key of the login"), verdict);
  });

  it("of logins that could not approve another key do not count among the keys that must remain", async () => {
    const [, two, three] = people as [Signatory, Signatory, Signatory];
    const active = await activeKeysOf(three.login);
    /** The verdict on ending these keys after `change`. Nothing is committed. */
    const endAfter = (change: string, keys: readonly string[]) =>
      verdictOf(retryCatalogChange(() =>
        books.sql.begin(async (sql) => {
          await sql.unsafe(change);
          for (const key of keys) await sql`select gold.end_operator_key(${key})`;
          await sql.unsafe("do $$ begin raise exception 'undo' using errcode = 'GR200'; end $$");
        })
      ));
    const changes = [
      `revoke gold_operator from ${three.login}; grant gold_treasury, gold_audit to ${three.login}`,
      `alter role ${three.login} nologin`,
      `drop role ${three.login}`,
    ];
    for (const change of changes) {
      const last = await endAfter(change, [two.key.publicKey.fingerprint]);
      assert(last.startsWith("GR409 fewer than two people with the role keys would"), `${change}: ${last}`);
      assertEquals(await endAfter(change, active), "GR200 undo", change);
    }
  });

  it("end when their login is removed, except if fewer than two people with keys would remain", async () => {
    const [one, two, three] = people as [Signatory, Signatory, Signatory];
    const leaver = await hireOperator(books);
    const { key: { publicKey } } = await newSignatory(leaver.sql);
    const content = { login: leaver.login, public_key: publicKey.text };
    const added = await proposeSigned(one, "operator_key.add", content);
    assertEquals(await approve(two, added), "done");
    const version = async () =>
      (await books.sql`select version::text from gold.registry_version`)[0]!.version;
    const before = await version();
    await books.sql`select gold.remove_operator(${leaver.login})`;
    await leaver.leave();
    assertEquals(await activeKeysOf(leaver.login), []);
    const notes = await books.sql`
      select action, subject, detail ->> 'fingerprint' as key from gold.audit order by id desc limit 2`;
    assertEquals(notes.map((row) => ({ ...row })), [
      { action: "operator.remove", subject: leaver.login, key: null },
      { action: "operator_key.end", subject: leaver.login, key: publicKey.fingerprint },
    ]);
    assert(await version() !== before);
    const verdict = await verdictOf(books.sql.begin(async (sql) => {
      for (const key of await activeKeysOf(three.login)) await sql`select gold.end_operator_key(${key})`;
      await sql`select gold.remove_operator(${two.login})`;
    }));
    assert(verdict.startsWith("GR409 fewer than two people with the role keys would"), verdict);
  });

  it("sign a proposal once, and only their own", async () => {
    const [one, two] = people as [Signatory, Signatory];
    const proposal = await proposeSigned(one, "market.set", EXPOSURE);
    const signature = await one.key.sign("another text", { namespace: "gold-proposal" });
    const cases = [[one, "the proposal is signed already"], [
      two,
      `only ${one.login} may sign this`,
    ]] as const;
    for (const [person, expected] of cases) {
      assertStartsWith(
        await verdictOf(
          person.sql`select gold.sign_proposal(${proposal.id}::uuid, ${signature})`,
        ),
        `GR409 ${expected}`,
      );
    }
    const [bare] = await one.sql`select id from gold.propose('market.set', ${one.sql.json(EXPOSURE)}::jsonb)`;
    const texts = ["", "x", signature.replace("BEGIN", "START"), signature.replace(/\n[A-Za-z]/, "\n!")];
    for (const text of texts) {
      assertStartsWith(
        await verdictOf(one.sql`select gold.sign_proposal(${bare!.id}::uuid, ${text})`),
        "GR409 the signature must be the text",
      );
    }
  });

  it("never change, and signatures neither", async () => {
    const { id } = await proposeSigned(people[0]!, "market.set", EXPOSURE);
    const edits = [
      "proposer_signature = 'x'",
      "proposer_signature = null",
      "approver_signature = 'x'",
      "state = state",
    ];
    for (const edit of edits) {
      assertEquals(
        await verdictOf(books.sql.unsafe(`update gold.proposal set ${edit} where id = '${id}'`)),
        "GB002 a proposal is decided once, and its content never changes",
        edit,
      );
    }
    for (
      const edit of [
        "login = 'x'",
        "public_key = 'x'",
        "ended_at = null",
        "admitted_by = 'root', ended_at = now()",
      ]
    ) {
      const verdict = await verdictOf(books.sql.unsafe(`update gold.operator_key set ${edit}`));
      assertEquals(verdict, "GB002 an operator key never changes: end it, and add another", edit);
    }
    const verdict = await verdictOf(books.sql`delete from gold.operator_key`);
    assertEquals(verdict, "GB002 operator_key is append-only: write a new row that corrects the old one");
  });
});
