import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { expectsOf } from "../../../../../tools/testing/by_two.ts";
import type { Sql } from "postgres";
import { connect } from "../../database.ts";
import { runGold } from "../../gold_fixture.ts";
import { generateKeyPair } from "../../pki/key_pair.ts";
import { writePem } from "../../pki/pem.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";
import { askWithdrawal, setPayoutAccount } from "../money/withdrawal_fixture.ts";

const NEEDS = "this change needs two people";
const OWN = "you proposed this change, so another login has to approve it";
const ANOTHER_IBAN = "SA5680000000100000000001";

/** One operator attacks, step by step. Each attack uses `gold`, and then the same login in SQL. */
describe("one operator's login under two people", () => {
  let operator: TestOperator;
  /** The attacker's own connection, as psql would open it. */
  let login: Sql;
  let partner: string;
  let paid: string;
  let approved: string;
  let untouched: unknown;
  before(async () => {
    operator = await testOperator();
    login = connect(operator.url);
    partner = operator.service.partner.clientId;
    await operator.done("ca", "init", "--key", operator.path("ca.key"));
    await operator.done("price", "set", "--mid", "500");
    await setPayoutAccount(operator);
    await operator.service.send("/sandbox/fund", { body: '{"amount_sar":200000}' });
    [paid, approved] = [await askWithdrawal(operator, 10_000_000n), await askWithdrawal(operator, 100n)];
    await operator.colleague.done("withdrawal", "approve", paid);
    await operator.done("withdrawal", "submit", "--out", operator.path("pain.001.xml"));
    await operator.colleague.done("withdrawal", "paid", paid);
    await operator.colleague.done("withdrawal", "approve", approved);
    await operator.service.books.sql`select gold.require_two_people()`;
    untouched = await state();
  });
  after(async () => {
    await login?.end({ timeout: 1 });
    await operator?.stop();
  });

  /**
   * What an attack would change: money, gold, the price, credentials and the findings of both verifications.
   */
  async function state() {
    const { sql, url } = operator.service.books;
    const [row] = await sql`
      select (select jsonb_agg(to_jsonb(a) - 'event_sequence' order by a.client_id) from
          (select client_id, event_sequence, sar_available, sar_held, gold from gold.account) a) as accounts,
        (select mid::text from gold.price) as mid, (select count(*)::int from gold.authority) as authorities,
        (select count(*)::int from gold.certificate) as certificates, (select count(*)::int from gold.signing_key) as keys,
        (select array_agg(range::text order by range) from gold.allowed_ip) as ips`;
    const audit = await runGold(["audit", "full", "--json"], { env: { DATABASE_URL: url } });
    // The fixture of the service inserts its partner and its keys directly, which the audit reports before
    // and after.
    const findings = itemsOf(audit.json).filter(({ rule }) => rule !== "role_is_expected")
      .map(({ rule, row }) => `${rule} ${row}`).sort();
    return { ...row, findings, ledger: (await operator.done("ledger", "verify")).clean };
  }
  /** Runs `gold`, which only proposes the change, and tries to approve it with the same login. */
  async function propose(...argv: string[]): Promise<void> {
    // `withdrawal submit` also lists the withdrawals that it left out.
    const { left: _, ...made } = await operator.done(...argv);
    assertEquals(Object.keys(made), ["proposal_id", "sha256", "expires_at"], argv.join(" "));
    const { proposal_id: id, sha256 } = made as { proposal_id: string; sha256: string };
    const expects = await expectsOf((words, ...more) => operator.done(...words.split(" "), ...more), id);
    refused(await operator.gold("proposal", "approve", id, "--yes", "--sha256", sha256, ...expects), 1, OWN);
  }
  async function sqlRefused(call: PromiseLike<unknown>, words: string): Promise<void> {
    const message = await Promise.resolve(call).then(() => "done", (error: Error) => error.message);
    assertStringIncludes(message, words);
  }

  it("cannot become a partner: no authority, certificate, signing key, secret or address of its own", async () => {
    await propose("key", "rotate", "ca", "--key", operator.path("own_ca.key"));
    const { publicKeySpki } = await generateKeyPair();
    const key = await operator.write("own.pem", writePem("PUBLIC KEY", publicKeySpki));
    await propose("signing-key", "add", partner, key);
    await propose("secret", "rotate", partner, "--overlap", "0");
    await propose("partner", "set", partner, "--ip", "0.0.0.0/0");
    const fingerprint = randomBytes(32).toString("hex");
    await sqlRefused(
      login`select gold.add_authority(false, ${fingerprint}, 'PEM', null, 'LIST', now() + interval '1 day')`,
      NEEDS,
    );
    await sqlRefused(
      login`select gold.add_certificate(${partner}, ${fingerprint}, '4a', now(), now() + interval '1 day')`,
      NEEDS,
    );
  });

  it("cannot set the price to 0.02 and back, and cannot take the band away", async () => {
    await propose("price", "set", "--mid", "0.02");
    await sqlRefused(login`select gold.set_price('fixed', 200, 201, 199, 60, 10, null)`, NEEDS);
    await propose("market", "set", "--band", "off");
    await propose("market", "set", "--band", "100", "--band-hour", "100");
    await sqlRefused(login`select gold.set_band(null, null)`, NEEDS);
    await sqlRefused(login`update gold.price set mid = 200, buy = 201, sell = 199`, "permission denied");
  });

  it("cannot approve its own deposit of 5,000,000 SAR", async () => {
    await propose("deposit", "record", partner, "--amount", "5000000", "--bank-ref", "OWN-1");
    await sqlRefused(login`select gold.record_deposit(${partner}, 500000000, 'OWN-1')`, NEEDS);
  });

  it("cannot order a payment to another IBAN", async () => {
    const id = approved.slice("wd_".length);
    const [prepared] = await login`select * from gold.prepare_payment(array[${id}::uuid])`;
    const { batch, document, prepared_at } = prepared!;
    const forged = (document as string).replaceAll("SA0380000000608010167519", ANOTHER_IBAN);
    assert(forged !== document);
    await propose("withdrawal", "submit", "--out", operator.path("own.xml"));
    await sqlRefused(
      login`select gold.submit_payment(${batch}::uuid, array[${id}::uuid], ${prepared_at}, encode(sha256(convert_to(${forged}, 'UTF8')), 'hex'))`,
      NEEDS,
    );
  });

  it("cannot return a withdrawal that the bank paid, which would give back 100,000 SAR", async () => {
    await propose("withdrawal", "returned", paid);
    await sqlRefused(login`select gold.return_withdrawal(${paid.slice("wd_".length)}::uuid)`, NEEDS);
  });

  it("changed nothing: balances, price, credentials, and a clean ledger and audit", async () => {
    assertEquals(await state(), untouched);
    // Throws if the audit trail has a defect.
    await operator.done("audit", "verify");
  });
});
