import { createHash, randomBytes, randomUUID, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { before, describe, it } from "node:test";
import { type Change, type ChangeKind, CHANGES } from "@gold-partner/approvals";
import { assert, assertEquals } from "@std/assert";
import type { Sql } from "postgres";
import { newThumbprint } from "../../admission/registry/credential_fixture.ts";
import { hireOperator, publicIdOf, suiteOperators, verdictOf } from "../../booking/operator_fixture.ts";
import { suiteBooks } from "../../../testing/books.ts";
import { createTestAuthority } from "../../../testing/certificates.ts";
import { newTestKey, TEST_PUBLIC_JWK, type TestKey } from "../../../testing/partner.ts";
import { rolledBack, valueOf } from "../../../testing/rows.ts";

const NEEDS = "GR409 this change needs two people: one proposes it with gold, and another login approves it";
const IBAN = "SA0380000000608010167519";

interface Subject {
  readonly publicId: string;
  /** A deposit that is approved. */
  readonly booked: string;
  /** A withdrawal that is paid. */
  readonly paid: string;
  /** A withdrawal that is submitted. */
  readonly submitted: string;
  /** A key and an authority that nobody registered. */
  readonly key: TestKey;
  readonly authority: { readonly fingerprint: string; readonly certificate: string };
}

/** A content of each kind whose change one login must not be able to make alone. */
const CONTENTS: Readonly<Record<ChangeKind, (subject: Subject) => object>> = {
  "partner.create": () => ({ client_id: "sbx_another", name: "Bank", iban: IBAN, keys: [] }),
  "partner.set": ({ publicId }) => ({ client_id: publicId, limits: { open_quotes: 11 } }),
  "partner.iban": ({ publicId }) => ({ client_id: publicId, iban: "SA4420000001234567891234" }),
  "partner.resume": ({ publicId }) => ({ client_id: publicId }),
  "certificate.issue": ({ publicId }) => ({ client_id: publicId, fingerprint: "00", serial: "4a" }),
  "signing_key.add": ({ publicId, key }) => ({
    client_id: publicId,
    thumbprint: key.thumbprint,
    jwk: key.publicJwk,
  }),
  "client_secret.rotate": ({ publicId }) => ({ client_id: publicId, hash: "00", overlap_seconds: 3600 }),
  "webhook_secret.rotate": ({ publicId }) => ({ client_id: publicId, sealed: "00", overlap_seconds: 3600 }),
  "endpoint.add": ({ publicId }) => ({
    client_id: publicId,
    url: "https://own.example/",
    sealed: "00",
    sealing_key: "kek-1",
  }),
  "endpoint.set": ({ publicId }) => ({ client_id: publicId, endpoint: 1, url: "https://own.example/" }),
  "endpoint.remove": ({ publicId }) => ({ client_id: publicId, endpoint: 2 }),
  "price.set": () => ({ source: "fixed", mid: "200", spread_basis_points: 60, stale_after_seconds: 10 }),
  "market.set": () => ({ exposure: null }),
  "market.open": () => ({}),
  "authority.add": ({ authority }) => ({ first: true, ...authority, revocation_list: "LIST" }),
  "token_key.rotate": ({ key }) => ({ kid: key.thumbprint, public_jwk: key.publicJwk, sealed: "00" }),
  "sealing_key.rotate": () => ({ sealing_key: "none", secrets: [] }),
  "pepper.rotate": () => ({ pepper: "0".repeat(16) }),
  "vault.add": () => ({
    serial: "BAR-X",
    refiner: "Refiner",
    vault: "Riyadh",
    gross: "100000",
    fineness: 9999,
  }),
  "vault.remove": () => ({ serial: "BAR-1" }),
  "deposit.record": ({ publicId }) => ({ client_id: publicId, amount: "500000000", bank_reference: "OWN-2" }),
  "deposit.reverse": ({ booked }) => ({ deposit: booked }),
  "payment.submit": ({ submitted }) => ({ batch: submitted, payments: [{ withdrawal: submitted }] }),
  "withdrawal.return": ({ paid }) => ({ withdrawal: paid }),
  "day.sign": () => ({ day: "2026-01-31", document: "{}" }),
  "deployment.settle": () => ({ environment: "sandbox", public_base_url: "https://own.example" }),
  "deployment.payout": () => ({ name: "Mine", iban: IBAN, bic: "RIBLSARI" }),
  "deployment.defaults": () => ({ limits: { open_quotes: 12 } }),
  "recovery.accept": () => ({ epoch: 1, losses: [] }),
  "operator.add": () => ({ name: "another_person", roles: ["keys"] }),
  "operator.set": () => ({ name: "another_person", roles: ["keys"] }),
  "operator.remove": () => ({ name: "another_person" }),
  "operator_key.add": () => ({ login: "amal", public_key: "ssh-ed25519 AAAA" }),
  "registry.adopt": () => ({ rows: [["client_secret x 00", ""]] }),
  "approval.adopt": () => ({ approvals: [["x", "00"]] }),
};
const KINDS = Object.entries<Change>(CHANGES) as [ChangeKind, Change][];
const changeAlone = (sql: Sql, kind: ChangeKind, subject: Subject) =>
  sql`select gold.change_alone(${kind}, ${sql.json(CONTENTS[kind](subject) as never)}::jsonb)`;

/** Each function that needs an approved proposal, with calls that one login must not be able to make. */
const NEEDS_TWO: Readonly<Record<string, (sql: Sql, subject: Subject) => readonly PromiseLike<unknown>[]>> = {
  create_partner: (sql) => [
    sql`select gold.create_partner(${`sbx_${
      randomBytes(10).toString("hex")
    }`}, 'Bank', ${IBAN}, 'https://bank.example/', 50, 50, 10000000,
      '{127.0.0.1/32}', sha256(''), '\\x00', 'none', '[]')`,
  ],
  set_partner: (sql, { publicId }) => [
    sql`select gold.set_partner(${publicId}, 'Another', null, null, null, null, null)`,
    sql`select gold.set_partner(${publicId}, null, '{0.0.0.0/0}', null, null, null, null)`,
    sql`select gold.set_partner(${publicId}, null, null, 'https://another.example/', null, null, null)`,
    sql`select gold.set_partner(${publicId}, null, null, null, 5000, null, null)`,
    sql`select gold.set_partner(${publicId}, null, null, null, null, 5000, null)`,
    sql`select gold.set_partner(${publicId}, null, null, null, null, null, 20000000)`,
  ],
  limit_partner: (sql, { publicId }) => [
    sql`select gold.limit_partner(${publicId}, '{"open_quotes": 11}')`,
    sql`select gold.limit_partner(${publicId}, '{"daily_withdrawn": null, "open_quotes": 1}')`,
  ],
  ask_iban: (sql, { publicId }) => [sql`select gold.ask_iban(${publicId}, 'SA4420000001234567891234')`],
  resume_partner: (sql, { publicId }) => [sql`select gold.resume_partner(${publicId})`],
  add_certificate: (sql, { publicId }) => [
    sql`select gold.add_certificate(${publicId}, ${
      randomBytes(32).toString("hex")
    }, '4a', now(), now() + interval '1 day')`,
  ],
  add_signing_key: (sql, { publicId }) => [
    sql`select gold.add_signing_key(${publicId}, ${newThumbprint()}, null, ${TEST_PUBLIC_JWK}::text::jsonb)`,
  ],
  rotate_client_secret: (sql, { publicId }) => [
    sql`select gold.rotate_client_secret(${publicId}, sha256(''), 3600)`,
  ],
  add_endpoint: (sql, { publicId }) => [
    sql`select gold.add_endpoint(${publicId}, 'https://own.example/', null, '\\x01', 'none')`,
  ],
  set_endpoint: (sql, { publicId }) => [
    sql`select gold.set_endpoint(${publicId}, 1, 'https://own.example/', null)`,
    sql`select gold.set_endpoint(${publicId}, 1, null, '{day.closed}')`,
  ],
  remove_endpoint: (sql, { publicId }) => [sql`select gold.remove_endpoint(${publicId}, 2)`],
  rotate_webhook_secret: (sql, { publicId }) => [
    sql`select gold.rotate_webhook_secret(${publicId}, '\\x01', 'none', 3600)`,
  ],
  add_authority: (sql) => [
    sql`select gold.add_authority(true, ${randomBytes(32).toString("hex")}, 'PEM', null, 'LIST', now())`,
  ],
  add_token_key: (sql) => [
    sql`select gold.add_token_key(${newThumbprint()}, ${TEST_PUBLIC_JWK}::text::jsonb, '\\x01', 'none', now())`,
  ],
  rotate_token_key: (sql) => [
    sql`select gold.rotate_token_key(${newThumbprint()}, ${TEST_PUBLIC_JWK}::text::jsonb, '\\x01', 'none', 10, 600)`,
  ],
  reseal: (sql) => [sql`select gold.reseal('none', '[]')`],
  add_bar: (sql) => [sql`select gold.add_bar('BAR-X', 'Refiner', 'Riyadh', 100000, 9999)`],
  remove_bar: (sql) => [sql`select gold.remove_bar('BAR-1')`],
  set_price: (sql) => [
    sql`select gold.set_price('fixed', 200, 201, 199, 60, 10, null)`,
    sql`select gold.set_price('http', 3200000, 3210000, 3190000, 60, 10, 'https://prices.example/')`,
  ],
  set_market_hours: (sql) => [
    sql`select gold.set_market_hours(true, '[]')`,
    sql`select gold.set_market_hours(false, '[{"day": 0, "opens": "00:00", "closes": "23:59"}]')`,
  ],
  set_breaker: (sql) => [sql`select gold.set_breaker(1, 1)`, sql`select gold.set_breaker(null, null)`],
  set_band: (sql) => [
    sql`select gold.set_band(201, 500)`,
    sql`select gold.set_band(200, 501)`,
    sql`select gold.set_band(null, null)`,
  ],
  open_market: (sql) => [sql`select gold.open_market()`],
  set_exposure: (sql) => [
    sql`select gold.set_exposure(100000001)`,
    sql`select gold.set_exposure(null)`,
  ],
  record_deposit: (sql, { publicId }) => [
    sql`select gold.record_deposit(${publicId}, 500000000, 'OWN-1')`,
  ],
  reverse_deposit: (sql, { booked }) => [sql`select gold.reverse_deposit(${booked}::uuid)`],
  submit_payment: (sql, { submitted }) => [
    sql`
      select gold.submit_payment(p.batch, array[${submitted}::uuid], p.prepared_at, p.sha256)
      from gold.prepare_payment(array[${submitted}::uuid]) p`,
  ],
  return_withdrawal: (sql, { paid, submitted }) => [
    sql`select gold.return_withdrawal(${submitted}::uuid)`,
    sql`select gold.return_withdrawal(${paid}::uuid)`,
  ],
  add_operator_key: (sql) => [sql`select gold.add_operator_key('amal', 'ssh-ed25519 AAAA')`],
  rotate_pepper: (sql) => [sql`select gold.rotate_pepper(${"0".repeat(16)})`],
  adopt_approvals: (sql) => [sql`select gold.adopt_approvals('[["x", "00"]]')`],
  adopt_registry: (sql) => [sql`select gold.adopt_registry('[["client_secret x 00", ""]]')`],
  accept_losses: (sql) => [
    sql`select gold.accept_losses(1, ${
      sql.json([{ client_id: "audit", first: "1", last: "1", head: "ab".repeat(32) }])
    })`,
  ],
  change_alone: (sql, subject) =>
    KINDS.filter(([, { isOwners }]) => !isOwners).map(([kind]) => changeAlone(sql, kind, subject)),
  sign_day: (sql) => [sql`select gold.sign_day('2026-01-31', '{}')`],
  set_payout_account: (sql) => [sql`select gold.set_payout_account('Mine', ${IBAN}, 'RIBLSARI')`],
};

/** The functions that one person may call alone, by the reason. */
const BY_ONE: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    "ends something": "suspend_partner revoke_certificate retire_client_secret retire_webhook_secret " +
      "retire_signing_key reject_proposal",
    "ends something; the newest authority stays": "retire_authority",
    "ends something; the money stays the partner's": "reject_withdrawal",
    "notes what became of a partner's request; the change itself needs two people":
      "take_change_alone propose_change decline_change",
    "refuses every call of an earlier gold": "take_change",
    "ends something; two people with keys stay": "end_operator_key",
    "ends certificates; the service reads revocations from the certificates' rows": "store_revocation_list",
    "another login has asked for the IBAN; refuses under two people": "approve_iban",
    "another login has recorded the deposit; refuses under two people": "approve_deposit",
    "another login has to submit the withdrawal": "approve_withdrawal",
    "reads, and locks the withdrawals until the document is built": "prepare_payment",
    "reads":
      "change_request_state payment_text_fault read_approvals read_key_approvals read_payee_approvals read_rows " +
      "page_orders page_quotes trace_event trace_order find_request find_records price_bars " +
      "limit_use sequences_at trades_after count_refusals open_withdrawals holdings open_exposures stock " +
      "days_range list_postings audit_head count_events count_position held_until is_outside_band is_stale " +
      "list_deliveries market_open proposal_sha256 signatures_demanded proposal_text public_key_fault read_archive " +
      "read_first_approvals role_of_kind unsealed_tail verify_audit verify_chain verify_ledger",
    "follows two people's submission; it gives the partner nothing": "pay_withdrawal",
    "another login has to approve the proposal": "propose sign_proposal",
    "another login has proposed the change": "approve_proposal",
    "follows another login's approval": "take_secrets",
    "changes nothing": "lock_price",
    "sends a partner its own event again": "redeliver_event",
    "sends a partner its own events again": "replay_events",
    "adds committed records to a hash chain, which the service does, too": "seal_chain",
    "reads ciphertext, whose key is outside the database": "read_sealed",
    "reads, and seals committed records, which the service does, too": "find_losses keep_heads",
    "stores the present timeline, which the service does, too": "note_epoch",
  }).flatMap(([reason, names]) => names.split(" ").map((name) => [name, reason])),
);

describe("the functions of operators under two people", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);
  let subject: Subject;
  before(async () => {
    const client = await books.createClient({ halalas: 1_000_000n });
    const publicId = await publicIdOf(books, client);
    const [paid, submitted] = [randomUUID(), randomUUID()];
    await books.sql`select gold.add_bar('BAR-1', 'Refiner', 'Riyadh', 100000, 9999)`;
    await books.sql`select gold.limit_partner(${publicId}, '{"open_quotes": 10, "daily_withdrawn": 100}')`;
    await books.sql`select gold.set_exposure(100000000)`;
    await books.sql`select gold.limit_partner(${publicId}, '{"daily_withdrawn": null}')`;
    for (const id of [paid, submitted]) {
      await books.sql`
        select gold.book_withdrawal(false, ${client}, 1, ${randomUUID()}::uuid, ${id}, '\\x00', 100, 100000000, null, ${id}::uuid, ${randomUUID()}::uuid,
          null, '\\xab', sha256(''))`;
      await maker.sql`select gold.approve_withdrawal(${id}::uuid)`;
    }
    await books.sql`select gold.limit_partner(${publicId}, '{"daily_withdrawn": 100}')`;
    assertEquals(await checker.submitWithdrawals([paid, submitted]), "done");
    await maker.sql`select gold.pay_withdrawal(${paid}::uuid)`;
    const booked = await maker.recordDeposit(publicId, 100n, "BOOKED-1");
    assertEquals(await checker.approveDeposit(booked), "done");
    await books.sql`select gold.require_two_people()`;
    const { ca: certificate } = createTestAuthority();
    const fingerprint = createHash("sha256").update(new X509Certificate(certificate).raw).digest("hex");
    const authority = { certificate, fingerprint };
    subject = { publicId, booked, paid, submitted, key: await newTestKey(), authority };
  });

  it("need an approved proposal, or are listed with the reason why one person may call them", async () => {
    const rows = await books.sql`
      select distinct proname from pg_proc
      where pronamespace = 'gold'::regnamespace and has_function_privilege('gold_operator', oid, 'execute')`;
    const listed = [...Object.keys(NEEDS_TWO), ...Object.keys(BY_ONE)].sort();
    assertEquals(rows.map(({ proname }) => proname).sort(), listed);
  });

  it("are listed with the same people in docs/security_model.md", async () => {
    const page = await readFile(new URL("../../../../../docs/security_model.md", import.meta.url), "utf8");
    const whom = new Map(
      Array.from(
        page.matchAll(/^\|[^|]+\|[^|]+\|([^|]+)\|([^|]+)\|$/gm),
        ([, people, names]) =>
          Array.from(names!.matchAll(/`(\w+)`/g), ([, name]) => [name!, people!.trim()] as const),
      ).flat(),
    );
    for (const name of Object.keys(NEEDS_TWO)) {
      assertEquals([name, whom.get(name)], [name, "another person approves"]);
    }
    for (const [name, reason] of Object.entries(BY_ONE)) {
      const people = reason === "reads"
        ? "reads"
        : reason.startsWith("another login")
        ? "another person takes the next step"
        : "alone";
      assertEquals([name, whom.get(name)], [name, people]);
    }
  });

  it("cannot be called by one login, with whatever it raises", async () => {
    for (const [name, calls] of Object.entries(NEEDS_TWO)) {
      for (const [index, call] of calls(maker.sql, subject).entries()) {
        assertEquals(await verdictOf(call), NEEDS, `${name} (${index})`);
      }
    }
  });

  it("change nothing by change_alone for a login without the role of the kind", async () => {
    const one = await hireOperator(books);
    try {
      for (const role of ["treasury", "credentials", "pricing", "keys"]) {
        const roles = "gold_operator, gold_treasury, gold_credentials, gold_pricing, gold_keys";
        await books.sql.unsafe(`revoke ${roles} from ${one.login}; grant gold_${role} to ${one.login}`);
        for (const [kind, { role: needed, isOwners }] of KINDS) {
          assertEquals(
            await verdictOf(changeAlone(one.sql, kind, subject)),
            needed !== role
              ? `GR403 a change of the kind ${kind} needs the role ${needed}, which the login ${one.login} does not have`
              : isOwners
              ? `GR403 only the migration login may make a change of the kind ${kind}`
              : NEEDS,
          );
        }
      }
    } finally {
      await one.leave();
    }
  });

  it("let one login lower a limit, close the market, and suspend", async () => {
    const { sql } = maker;
    const { publicId } = subject;
    const calls = [
      sql`select gold.limit_partner(${publicId}, '{"open_quotes": 9, "daily_records": 10}')`,
      sql`select gold.set_partner(${publicId}, null, null, null, 1999, 1999, 9999999)`,
      // The same URL only enables the endpoint again.
      sql`select gold.set_partner(${publicId}, null, null, 'https://localhost/', null, null, null)`,
      sql`select gold.set_exposure(99999999)`,
      sql`select gold.set_band(100, 400)`,
      sql`select gold.set_market_hours(false, '[]')`,
      sql`select gold.suspend_partner(${publicId})`,
    ];
    for (const [index, call] of calls.entries()) assertEquals(await verdictOf(call), "done", `call ${index}`);
  });

  it("are all reached by a kind of proposal", async () => {
    const text = await readFile(new URL("apply_change.sql", import.meta.url), "utf8");
    const made = new Set(Array.from(text.matchAll(/perform (\w+)\(/g), ([, name]) => name!));
    // The first token key of a deployment is part of its setup; later ones are rotated.
    const others = ["add_token_key", "change_alone"];
    const missing = Object.keys(NEEDS_TWO).filter((name) => !made.has(name) && !others.includes(name));
    assertEquals(missing, []);
  });

  it("have proposals with the members that their changes read, and no others", async () => {
    const text = await readFile(new URL("apply_change.sql", import.meta.url), "utf8");
    const kinds = text.split(/^ {4}when '/m).slice(1);
    assert(kinds.length > 20);
    for (const part of kinds) {
      const kind = part.slice(0, part.indexOf("'"));
      const read = new Set(
        Array.from(
          part.matchAll(/content ->>? '(\w+)'(?! ->)|content, '(\w+)'|content \? '(\w+)'/g),
          (found) => found[1] ?? found[2] ?? found[3]!,
        ),
      );
      for (const [, list] of part.matchAll(/content \?\| '{(.*)}'/g)) {
        list!.split(",").forEach((name) => read.add(name));
      }
      if (/\bclient\b/.test(part)) read.add("client_id");
      const [row] = await books.sql`select gold.proposal_members(${kind}) as members`;
      // require_answer() compares the change with the request before the kinds.
      const members = (row!.members as string[]).filter((name) => name !== "request");
      assertEquals(members.sort(), [...read].sort(), kind);
    }
  });

  it("call for two people in production from the start, and for nobody's approval in a single-operator sandbox", async () => {
    for (const [environment, expected] of [["production", true], ["sandbox", false]] as const) {
      const found = await rolledBack(books.sql, async (sql) => {
        await sql`update gold.deployment set environment = ${environment}, two_people = false`;
        return await valueOf(sql`select gold.two_people()`);
      });
      assertEquals(found, expected);
    }
  });

  it("cannot end the mode of two people", async () => {
    await books.sql`select gold.require_two_people()`;
    const [row] = await books.sql`
      select (select count(*)::int from gold.audit where action = 'deployment.two_people') as notes, gold.two_people() as two`;
    assertEquals({ ...row }, { notes: 1, two: true });
    const setters = await books.sql`
      select proname from pg_proc where pronamespace = 'gold'::regnamespace and prosrc ~ 'set two_people|two_people ='`;
    assertEquals(setters.map(({ proname }) => proname), ["require_two_people"]);
  });
});
