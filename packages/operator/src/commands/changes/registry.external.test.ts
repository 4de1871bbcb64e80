import { execFileSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { match } from "node:assert/strict";
import { expectsOf } from "../../../../../tools/testing/by_two.ts";
import { assemble, createLog } from "@gold-partner/server";
import { assertEquals } from "@std/assert";
import { deploymentLine, makeSshKey } from "../../../../../tools/testing/operator_keys.ts";
import { type Run, runGold } from "../../gold_fixture.ts";
import { parsePublicKey } from "@gold-partner/approvals";
import type { Row } from "../../command.ts";
import { assertRefused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";
import { askWithdrawal } from "../money/withdrawal_fixture.ts";

/**
 * Two people sign with the real ssh-keygen for the rows of a deployment that had no operators' keys before.
 */
describe("gold registry adopt", () => {
  let operator: TestOperator;
  let keysFile: string;
  before(async () => {
    operator = await testOperator();
    const keys: string[] = [];
    for (const [name, login] of [["first", operator.login], ["second", operator.colleague.login]] as const) {
      keys.push(`${login} ${makeSshKey(operator.path(name))}\n`);
    }
    const roots = [`${operator.login}=${operator.path("first.pub")}`];
    roots.push(`${operator.colleague.login}=${operator.path("second.pub")}`);
    const given = roots.flatMap((root) => ["--operator-key", root]);
    const env = { DATABASE_URL: operator.service.books.url };
    assertEquals((await runGold(["db", "migrate", ...given, "--json"], { env })).exit, 0);
    const status = deploymentLine(await operator.done("db", "status"));
    keysFile = await operator.write("operator_keys", status + keys.join(""));
  });
  after(() => operator?.stop());

  const first = (...argv: string[]): Promise<Run> =>
    runGold([...argv, "--json", "--yes"], { env: { ...operator.env, GOLD_SSH_KEY: operator.path("first") } });
  const second = (...argv: string[]): Promise<Run> =>
    runGold([...argv, "--json", "--yes", "--ssh-key", operator.path("second")], {
      env: operator.colleague.env,
    });
  const adopt = () => first("registry", "adopt", "--operator-keys", keysFile);

  /** The rows that a service with these keys skips at its start. */
  async function skipped(): Promise<readonly string[]> {
    const lines: string[] = [];
    const log = createLog((line) => void lines.push(line), () => new Date());
    const assembly = await assemble({ ...operator.service.config, operatorKeys: keysFile }, log);
    await assembly.stop();
    return lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "malformed row skipped")
      .map(({ row, code }) => `${row} ${code}`);
  }

  it("lets a service that requires signatures use the rows only after two people signed", async () => {
    const { fingerprint } = operator.service.partner;
    assertEquals((await skipped()).includes(`certificate ${fingerprint} unsigned`), true);
    const proposed = await adopt();
    assertEquals(proposed.exit, 0, proposed.err);
    match(proposed.err, new RegExp(`certificate ${fingerprint} ${operator.service.partner.clientId} `));
    const { proposal_id: id, sha256 } = proposed.json as Record<string, string>;
    assertEquals((await skipped()).length > 0, true);
    const approved = await second("proposal", "approve", id!, "--sha256", sha256!);
    assertEquals(approved.exit, 0, approved.err);
    assertEquals(await skipped(), []);
    assertEquals((await adopt()).json.proposal_id, undefined);
  });

  it("shows the rows that a superuser edits afterwards, which the service skips", async () => {
    const { fingerprint } = operator.service.partner;
    await operator.service.books.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`update gold.certificate set not_after = '2100-01-01' where fingerprint = ${fingerprint}`;
    });
    assertEquals(await skipped(), [`certificate ${fingerprint} unsigned`]);
    match((await adopt()).err, new RegExp(`certificate ${fingerprint} .* 2100-01-01T00:00:00.000Z`));
  });

  it("lets two people submit a withdrawal to an IBAN that both signed, and to no other", async () => {
    const { books, partner } = operator.service;
    const env = { ...operator.colleague.env, OPERATOR_KEYS: keysFile };
    const submit = (...argv: string[]) =>
      runGold(["withdrawal", "submit", ...argv, "--json", "--yes"], {
        env: { ...env, GOLD_SSH_KEY: operator.path("second") },
      });
    const approved = async () => {
      const id = await askWithdrawal(operator, 100n);
      await operator.done("withdrawal", "approve", id);
      return id;
    };
    const edit = (text: string) =>
      books.sql.begin(async (sql) => {
        await sql`set local session_replication_role = replica`;
        await sql.unsafe(text);
      });
    const byTwo = async ({ json, err, exit }: Run, by = first) => {
      assertEquals(exit, 0, err);
      const { proposal_id: id, sha256 } = json as Record<string, string>;
      const approved = await (by === second ? first : second)(
        "proposal",
        "approve",
        id!,
        "--sha256",
        sha256!,
        ...await expectsOf((words, ...more) => operator.done(...words.split(" "), ...more), id!),
      );
      assertEquals(approved.exit, 0, approved.err);
    };
    /** Proposes a payment, approves it, and writes the file for the bank. */
    const pay = async (name: string) => {
      await byTwo(await submit("--out", operator.path(name)), second);
      const { items } = await operator.done("withdrawal", "list", "--status", "submitted") as {
        items: Row[];
      };
      const batch = `${items[0]!.batch}`;
      return { batch, file: await submit("--out", operator.path(name), "--batch", batch) };
    };
    await operator.service.send("/sandbox/fund", { body: '{"amount_sar":1000}' });
    await edit(`update gold.deployment
      set payout_name = 'Example Gold House', payout_iban = 'SA9480000000000000000001', payout_bic = 'EXAMSARI'`);
    const kept = await approved();
    assertRefused(await submit("--out", operator.path("early.xml")), 1, "not signed for payout_account");
    await byTwo(await adopt());
    const { file: paid } = await pay("signed.xml");
    assertEquals([paid.exit, itemsOf(paid.json).map((one) => one.withdrawal_id)], [0, [kept]], paid.err);

    await edit(
      `update gold.partner set iban = 'SA9480000000000000000001' where public_id = '${partner.clientId}'`,
    );
    const pending = await askWithdrawal(operator, 100n);
    const verified = await first("withdrawal", "approve", pending, "--operator-keys", keysFile);
    assertRefused(verified, 1, `not signed for the IBAN of ${pending}`);
    await operator.done("withdrawal", "reject", pending);
    const diverted = await approved();
    assertRefused(await submit("--out", operator.path("diverted.xml")), 1, "have not signed for its IBAN");
    await operator.done("withdrawal", "reject", diverted);

    const iban = "SA4420000001234567891234";
    await byTwo(await first("partner", "set", partner.clientId, "--iban", iban));
    await edit("update gold.partner set iban_changed_at = iban_changed_at - interval '2 days'");
    const good = await askWithdrawal(operator, 100n);
    const accepted = await first("withdrawal", "approve", good, "--operator-keys", keysFile);
    assertEquals(accepted.exit, 0, accepted.err);
    const [routine] = await books.sql`
      select pg_get_functiondef('gold.payment_element(gold.withdrawal, text)'::regprocedure) as text`;
    await books.sql.unsafe(routine!.text.replace("(given).iban)", "'SA9480000000000000000001')"));
    assertRefused(await submit("--out", operator.path("forged.xml")), 4, "does not pay these withdrawals");
    await books.sql.unsafe(routine!.text);
    const { file: changed, batch } = await pay("changed.xml");
    assertEquals([changed.exit, itemsOf(changed.json).map((one) => one.iban)], [0, [iban]], changed.err);

    const again = (name: string) => submit("--batch", batch, "--out", operator.path(name));
    assertEquals((await again("again.xml")).exit, 0);
    assertEquals(await operator.read("again.xml"), await operator.read("changed.xml"));
    // A superuser can submit a payment in the name of two people, but cannot sign for them.
    const signature = `proposer_signature`;
    await edit(`create table public.kept as select id, ${signature} from gold.proposal`);
    const resign = (value: string) =>
      edit(`update gold.proposal p set ${signature} = ${value} from public.kept k
        where k.id = p.id and content ->> 'batch' = '${batch}'`);
    await resign("approver_signature");
    assertRefused(
      await again("forged_approval.xml"),
      1,
      "Two people have not signed for the document of batch",
    );
    await resign(`k.${signature}`);
    assertEquals((await again("restored.xml")).exit, 0);
    await edit(
      `update gold.payment_batch set document = replace(document, '${iban}', 'SA9480000000000000000001')
      where id = '${batch}'`,
    );
    await edit(`update gold.audit set detail = jsonb_set(detail, '{document_sha256}', to_jsonb((
      select encode(sha256(convert_to(document, 'UTF8')), 'hex') from gold.payment_batch where id = '${batch}')))
      where subject = '${batch}'`);
    assertRefused(await again("edited.xml"), 4, "does not pay these withdrawals");
  });

  it("lets nobody approve what a key signed that a superuser registered", async () => {
    const { sql } = operator.service.books;
    const proposed = await first("partner", "set", operator.service.partner.clientId, "--name", "Other Bank");
    const { proposal_id: id, sha256 } = proposed.json as Record<string, string>;
    const text = makeSshKey(operator.path("third"));
    const { fingerprint } = await parsePublicKey(text);
    const [row] = await sql`select canonical_text from gold.proposal_overview where id = ${id!}::uuid`;
    await operator.write("text", row!.canonical_text);
    execFileSync("ssh-keygen", [
      ...["-q", "-Y", "sign", "-n", "gold-proposal", "-f", operator.path("third"), operator.path("text")],
    ]);
    await sql.begin(async (edit) => {
      await edit`set local session_replication_role = replica`;
      await edit`update gold.proposal set proposer_signature = ${await operator.read(
        "text.sig",
      )} where id = ${id!}::uuid`;
      await edit`
        insert into gold.operator_key select (jsonb_populate_record(k, ${
        edit.json({ fingerprint, public_key: text })
      }::jsonb)).* from gold.operator_key k where login = ${operator.login}`;
    });
    const approve = (...more: string[]) => second("proposal", "approve", id!, "--sha256", sha256!, ...more);
    assertRefused(await approve("--operator-keys", keysFile), 4, `${fingerprint} was not a key of`);
    assertEquals((await second("proposal", "show", id!)).exit, 0, "the database's own list has the key");
  });

  it("lets nobody approve or submit without the file of the first keys, once these are registered", async () => {
    const { sql } = operator.service.books;
    const withdrawal = await askWithdrawal(operator, 100n);
    const proposed = await first("partner", "set", operator.service.partner.clientId, "--name", "New Bank");
    const { proposal_id: id, sha256 } = proposed.json as Record<string, string>;
    const commands = [
      ["withdrawal", "approve", withdrawal],
      ["withdrawal", "submit", "--out", operator.path("unverified.xml")],
      ["proposal", "approve", id!, "--sha256", sha256!],
    ];
    const refuse = async (setting: string | undefined, got: string) => {
      const env = {
        ...operator.colleague.env,
        GOLD_SSH_KEY: operator.path("second"),
        OPERATOR_KEYS: setting,
        HEADS_FILE: "off",
      };
      for (const command of commands) {
        const words =
          `OPERATOR_KEYS must be the absolute path of the file with the operators' first keys; got ${got}.`;
        assertRefused(await runGold([...command, "--json", "--yes"], { env }), 2, words);
      }
    };
    await refuse("off", "off");
    await sql`update gold.deployment set environment = 'production'`;
    await refuse(undefined, '""');
    await sql`update gold.deployment set environment = 'sandbox'`;
    await operator.done("withdrawal", "reject", withdrawal);
  });

  it("needs the file of the first keys", async () => {
    assertRefused(await first("registry", "adopt"), 2, "--operator-keys FILE");
    const other = await operator.write("other", "nobody\n");
    assertRefused(
      await first("registry", "adopt", "--operator-keys", other),
      2,
      "Line 1 of the operators' keys",
    );
  });
});
