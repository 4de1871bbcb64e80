import { createHash, randomUUID, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "../../../../../tools/testing/assert.ts";
import { type Change, type ChangeKind, CHANGES, functionsOf } from "@gold-partner/approvals";
import type { Sql } from "postgres";
import { newThumbprint } from "../../admission/registry/credential_fixture.ts";
import {
  approveDeposit,
  hireOperator,
  publicIdOf,
  recordDeposit,
  submitWithdrawals,
  type TestOperator,
  verdictOf,
} from "../../booking/operator_fixture.ts";
import { type TestBooks, testBooks } from "../../../testing/books.ts";
import { createTestAuthority } from "../../../testing/certificates.ts";
import { newTestKey, TEST_PUBLIC_JWK, type TestKey } from "../../../testing/partner.ts";

const NEEDS = "GR409 this change needs two people: one proposes it with gold, and another login approves it";
const IBAN = "SA0380000000608010167519";
const PRICE = { spread_basis_points: 60, stale_after_seconds: 10 };

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

/** Contents of each kind whose change one login must not be able to make. */
const CONTENTS: Readonly<Record<ChangeKind, (subject: Subject) => readonly object[]>> = {
  "partner.create": () => [{ client_id: "sbx_another", name: "Bank", iban: IBAN, keys: [] }],
  "partner.set": ({ publicId }) =>
    [
      { name: "Another" },
      { ips: ["0.0.0.0/0"] },
      { webhook_url: "https://another.example/" },
      { rate_per_second: 5000 },
      { burst: 5000 },
      { maximum_grams: "20000000" },
      { limits: { open_quotes: 11 } },
      { limits: { daily_withdrawn: null, open_quotes: 1 } },
    ].map((terms) => ({ client_id: publicId, ...terms })),
  "partner.iban": ({ publicId }) => [{ client_id: publicId, iban: "SA4420000001234567891234" }],
  "partner.resume": ({ publicId }) => [{ client_id: publicId }],
  "certificate.issue": ({ publicId }) => [{ client_id: publicId, fingerprint: "00", serial: "4a" }],
  "signing_key.add": ({ publicId, key: { thumbprint, publicJwk } }) => [
    { client_id: publicId, thumbprint, jwk: publicJwk },
  ],
  "client_secret.rotate": ({ publicId }) => [{ client_id: publicId, hash: "00", overlap_seconds: 3600 }],
  "webhook_secret.rotate": ({ publicId }) => [{ client_id: publicId, sealed: "00", overlap_seconds: 3600 }],
  "price.set": () => [
    { source: "fixed", mid: "200", ...PRICE },
    { source: "http", url: "https://prices.example/", ...PRICE },
    { hours: { always_open: true, sessions: [] } },
    { hours: { always_open: false, sessions: [{ day: 0, opens: "00:00", closes: "23:59" }] } },
  ],
  "market.set": () => [
    { breaker: { basis_points: 1, seconds: 1 } },
    { breaker: { basis_points: null, seconds: null } },
    { band: { step_basis_points: 201, hour_basis_points: 500 } },
    { band: { step_basis_points: 200, hour_basis_points: 501 } },
    { band: { step_basis_points: null, hour_basis_points: null } },
    { exposure: "100000001" },
    { exposure: null },
  ],
  "market.open": () => [{}],
  "authority.add": ({ authority }) => [{ first: true, ...authority, revocation_list: "LIST" }],
  "token_key.rotate": ({ key }) => [{ kid: key.thumbprint, public_jwk: key.publicJwk, sealed: "00" }],
  "sealing_key.rotate": () => [{ sealing_key: "none", secrets: [] }],
  "pepper.rotate": () => [{ pepper: "0".repeat(16) }],
  "vault.add": () => [
    { serial: "BAR-X", refiner: "Refiner", vault: "Riyadh", gross: "100000", fineness: 9999 },
  ],
  "vault.remove": () => [{ serial: "BAR-1" }],
  "deposit.record": ({ publicId }) => [
    { client_id: publicId, amount: "500000000", bank_reference: "OWN-1" },
  ],
  "deposit.reverse": ({ booked }) => [{ deposit: booked }],
  "payment.submit": ({ submitted }) => [{ batch: submitted, payments: [{ withdrawal: submitted }] }],
  "withdrawal.return": ({ paid, submitted }) => [{ withdrawal: submitted }, { withdrawal: paid }],
  "deployment.settle": () => [{ environment: "sandbox", public_base_url: "https://own.example" }],
  "deployment.payout": () => [{ name: "Mine", iban: IBAN, bic: "RIBLSARI" }],
  "deployment.defaults": () => [{ limits: { open_quotes: 12 } }],
  "recovery.accept": () => [{ epoch: 1, losses: [] }],
  "operator.add": () => [{ name: "another_person", roles: ["keys"] }],
  "operator.set": () => [{ name: "another_person", roles: ["keys"] }],
  "operator.remove": () => [{ name: "another_person" }],
  "operator_key.add": () => [{ login: "amal", public_key: "ssh-ed25519 AAAA" }],
  "registry.adopt": () => [{ rows: [["client_secret x 00", ""]] }],
  "approval.adopt": () => [{ approvals: [["x", "00"]] }],
};
const KINDS = Object.entries<Change>(CHANGES) as [ChangeKind, Change][];

const changeAlone = (sql: Sql, kind: ChangeKind, content: object) =>
  sql`select gold.change_alone(${kind}, ${sql.json(content as never)}::jsonb)`;

/** Each function that needs an approved proposal. lock_price changes nothing. */
const NEEDS_TWO = [
  ...new Set(KINDS.flatMap(([, change]) => functionsOf(change)).filter((name) => name !== "lock_price")),
  "add_token_key",
  "change_alone",
];

/** Each function that one person may call alone, with the reason. */
const BY_ONE: Readonly<Record<string, string>> = {
  suspend_partner: "ends something",
  revoke_certificate: "ends something",
  retire_authority: "ends something; the newest authority stays",
  retire_client_secret: "ends something",
  retire_webhook_secret: "ends something",
  retire_signing_key: "ends something",
  reject_withdrawal: "ends something; the money stays the partner's",
  reject_proposal: "ends something",
  end_operator_key: "ends something; two people with keys stay",
  store_revocation_list: "ends certificates; the service reads revocations from the certificates' rows",
  approve_iban: "another login has asked for the IBAN; refuses under two people",
  approve_deposit: "another login has recorded the deposit; refuses under two people",
  approve_withdrawal: "another login has to submit the withdrawal",
  prepare_payment: "reads, and locks the withdrawals until the document is built",
  payment_text_fault: "reads",
  read_approvals: "reads",
  read_key_approvals: "reads",
  read_payee_approvals: "reads",
  read_rows: "reads",
  pay_withdrawal: "follows two people's submission; it gives the partner nothing",
  propose: "another login has to approve the proposal",
  sign_proposal: "another login has to approve the proposal",
  approve_proposal: "another login has proposed the change",
  take_secrets: "follows another login's approval",
  lock_price: "changes nothing",
  redeliver_event: "sends a partner its own event again",
  replay_events: "sends a partner its own events again",
  seal_chain: "adds committed records to a hash chain, which the service does, too",
  read_sealed: "reads ciphertext, whose key is outside the database",
  audit_head: "reads",
  count_events: "reads",
  count_position: "reads",
  held_until: "reads",
  is_outside_band: "reads",
  is_stale: "reads",
  list_deliveries: "reads",
  market_open: "reads",
  proposal_sha256: "reads",
  signatures_demanded: "reads",
  proposal_text: "reads",
  public_key_fault: "reads",
  read_archive: "reads",
  read_first_approvals: "reads",
  role_of_kind: "reads",
  find_losses: "reads, and seals committed records, which the service does, too",
  keep_heads: "reads, and seals committed records, which the service does, too",
  note_epoch: "stores the present timeline, which the service does, too",
  unsealed_tail: "reads",
  verify_audit: "reads",
  verify_chain: "reads",
  verify_ledger: "reads",
};

describe("the functions of operators under two people", () => {
  let books: TestBooks;
  let maker: TestOperator;
  let checker: TestOperator;
  let subject: Subject;
  before(async () => {
    books = await testBooks();
    [maker, checker] = [await hireOperator(books), await hireOperator(books)];
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
    assertEquals(await submitWithdrawals(checker, [paid, submitted]), "done");
    await maker.sql`select gold.pay_withdrawal(${paid}::uuid)`;
    const booked = await recordDeposit(maker, publicId, 100n, "BOOKED-1");
    assertEquals(await approveDeposit(checker, booked), "done");
    await books.sql`select gold.require_two_people()`;
    const { ca: certificate } = createTestAuthority();
    const fingerprint = createHash("sha256").update(new X509Certificate(certificate).raw).digest("hex");
    const authority = { certificate, fingerprint };
    subject = { publicId, booked, paid, submitted, key: await newTestKey(), authority };
  });
  after(async () => {
    for (const operator of [maker, checker]) await operator.leave();
    await books.stop();
  });

  it("need an approved proposal, or are listed with the reason why one person may call them", async () => {
    const rows = await books.sql`
      select distinct proname from pg_proc
      where pronamespace = 'gold'::regnamespace and has_function_privilege('gold_operator', oid, 'execute')`;
    const listed = [...NEEDS_TWO, ...Object.keys(BY_ONE)].sort();
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
    for (const name of NEEDS_TWO) {
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

  it("demand an approval of their own, so that no login makes the change alone", async () => {
    const rows = await books.sql`
      select distinct proname from pg_proc
      where pronamespace = 'gold'::regnamespace and prosrc ~ 'perform require_approval(_of_setting)?\\('`;
    const gated = rows.map(({ proname }) => proname);
    assertEquals(NEEDS_TWO.filter((name) => !gated.includes(name)), ["change_alone"]);
    for (const [kind, { isOwners }] of KINDS) {
      for (const content of isOwners ? [] : CONTENTS[kind](subject)) {
        assertEquals(
          await verdictOf(changeAlone(maker.sql, kind, content)),
          NEEDS,
          `${kind} ${JSON.stringify(content)}`,
        );
      }
    }
    const tokenKey = maker.sql`
      select gold.add_token_key(${newThumbprint()}, ${TEST_PUBLIC_JWK}::text::jsonb, '\\x01', 'none', now())`;
    assertEquals(await verdictOf(tokenKey), NEEDS);
  });

  it("change nothing by change_alone for a login without the role of the kind", async () => {
    const one = await hireOperator(books);
    try {
      for (const role of ["treasury", "credentials", "pricing", "keys"]) {
        const roles = "gold_operator, gold_treasury, gold_credentials, gold_pricing, gold_keys";
        await books.sql.unsafe(`revoke ${roles} from ${one.login}; grant gold_${role} to ${one.login}`);
        for (const [kind, { role: needed, isOwners }] of KINDS) {
          assertEquals(
            await verdictOf(changeAlone(one.sql, kind, CONTENTS[kind](subject)[0]!)),
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
      assertEquals([...row!.members].sort(), [...read].sort(), kind);
    }
  });

  it("call for two people in production from the start, and for nobody's approval in a single-operator sandbox", async () => {
    const undone = new Error("undone");
    for (const [environment, expected] of [["production", true], ["sandbox", false]] as const) {
      let found: unknown;
      await books.sql.begin(async (sql) => {
        await sql`update gold.deployment set environment = ${environment}, two_people = false`;
        found = (await sql`select gold.two_people() as two`)[0]!.two;
        throw undone;
      }).catch((error) => {
        if (error !== undone) throw error;
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
