import { createHash, randomBytes, X509Certificate } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createTestAuthority, newTestKey, type TestBooks, testBooks } from "@gold-partner/server/testing";
import { assert, assertEquals } from "@std/assert";
import { dropLogins } from "../../../../tools/testing/drop_logins.ts";
import { Findings } from "../findings.ts";
import { type Row, withSnapshot } from "../snapshot.ts";
import { selectFrom } from "../tables.ts";
import { readAudit } from "./audit_chain.ts";
import type { Note } from "./notes.ts";
import { instantText } from "../values.ts";
import { checkProposals } from "./proposals.ts";
import { connectAs } from "../audit_fixture.ts";

const PARTNER = `sbx_${randomBytes(10).toString("hex")}`;
const hex = (bytes: number) => randomBytes(bytes).toString("hex");

/**
 * What an audit row states although its proposal does not: the name of the action's only subject, and figures
 * that follow from the change. Other rules compare these figures with the rows.
 */
const DERIVED = [
  ...["deployment.limit_defaults subject", "deployment.partner_defaults subject", "market.band subject"],
  ...["market.breaker subject", "market.exposure subject", "operator.set before", "partner.iban before"],
  ...[
    "price.set buy",
    "price.set sell",
    "price.set price_id",
    "market.band price_id",
    "market.band swings",
    "client_secret.rotate secret_id",
    "webhook_secret.rotate secret_id",
  ],
  ...["endpoint.add endpoint", "endpoint.add after", "endpoint.add secret_id", "endpoint.set after"],
  ...["endpoint.remove removed_at"],
  ...["client_secret.rotate older_retire_at", "webhook_secret.rotate older_retire_at"],
  ...["token_key.rotate begins_at", "token_key.rotate older_retire_at", "vault.add fine", "vault.add list"],
  ...["vault.remove fine", "vault.remove list", "deposit.record deposit", "deposit.approve deposit"],
  ...["deposit.reverse subject", "deposit.reverse amount"],
  ...["sealing_key.rotate resealed", "sealing_key.rotate sealed_sha256", "deployment.payout before"],
  "deployment.settle before",
];

describe("the audit of approved changes", () => {
  let books: TestBooks;
  let logins: string[];
  let notes: readonly Note[];
  let rows: readonly Row[];
  before(async () => {
    books = await testBooks();
    logins = [0, 1, 2].map(() => `auditor_${hex(4)}`);
    await makeChanges(books, logins);
    await withSnapshot(books.url, async (sql) => {
      notes = (await readAudit(sql, new Findings())).all;
      rows = await sql.unsafe(selectFrom("proposal", "order by id"));
    });
  });
  after(async () => {
    await dropLogins(books.sql, ...logins);
    await books.stop();
  });

  function found(changed: readonly Note[]): readonly string[] {
    const findings = new Findings();
    checkProposals(findings, changed, rows, true);
    return findings.kept.map(({ row }) => row.replace(/^audit \d+ /, ""));
  }
  /** The findings if a superuser replaces one row and seals the trail again. */
  const foundWith = (note: Note, change: Partial<Note>) =>
    found(notes.map((one) => one === note ? { ...one, ...change } : one));
  /** The findings if a superuser inserts a row before the approval. */
  const foundBefore = (approval: Note, note: Partial<Note>) =>
    found(notes.flatMap((one) => one === approval ? [{ ...one, ...note }, one] : [one]));
  const ofAction = (action: string) => notes.find((note) => note.action === action && note.detail.proposal)!;
  const approvalOf = (note: Note) =>
    notes.find(({ action, subject }) => action === "proposal.approve" && subject === note.detail.proposal)!;

  it("finds no defect in changes that two people approved", () => {
    assertEquals(found(notes), []);
    const approved = new Set(notes.filter(({ detail }) => detail.proposal).map(({ action }) => action));
    assert(approved.size >= 25, [...approved].join());
  });

  it("finds every subject and member of a row that its proposal does not state", () => {
    const unnoticed: string[] = [];
    for (const note of notes) {
      if (!note.detail.proposal || note.action.startsWith("proposal.")) continue;
      if (foundWith(note, { subject: `${note.subject}x` }).length === 0) {
        unnoticed.push(`${note.action} subject`);
      }
      const { proposal: _id, mode: _mode, ...members } = note.detail;
      for (const [name, value] of Object.entries(members)) {
        const other = typeof value === "number" ? value + 1 : "2027-01-01T00:00:00.000Z";
        const changed = name === "after" ? { ...value as object, flood_per_second: 1 } : other;
        if (foundWith(note, { detail: { ...note.detail, [name]: changed } }).length > 0) continue;
        unnoticed.push(`${note.action} ${name}`);
      }
    }
    assertEquals([...new Set(unnoticed)].sort(), [...DERIVED].sort());
  });

  it("finds a limit, a rate, a webhook URL and a band that a superuser adds to an approved change", () => {
    const given: readonly [action: string, detail: Record<string, unknown>][] = [
      ["partner.set", { webhook_url: "https://own.example/" }],
      ["partner.set", { rate_per_second: 5000 }],
      ["partner.limit", { daily_withdrawn: null }],
      ["deployment.limit_defaults", { net_grams: null }],
      ["market.exposure", { step_basis_points: null }],
    ];
    for (const [action, detail] of given) {
      const note = ofAction(action);
      const name = Object.keys(detail)[0];
      assertEquals(foundWith(note, { detail: { ...note.detail, ...detail } }), [`${action} ${name}`]);
    }
    // Another row that names the same approval.
    const limit = ofAction("market.exposure");
    const band = { step_basis_points: null, hour_basis_points: null, proposal: limit.detail.proposal };
    assertEquals(foundBefore(approvalOf(limit), { action: "market.band", detail: band }), [
      "market.band step_basis_points",
      "market.band hour_basis_points",
    ]);
  });

  it("finds an approval of a login that is used twice, before it is given or after it expired", () => {
    for (const action of ["operator.add", "operator.set"]) {
      const note = ofAction(action);
      assertEquals(found([...notes, note]), [action]);
      const approval = approvalOf(note);
      const early = notes.flatMap((one) => one === approval ? [note, one] : one === note ? [] : [one]);
      assertEquals(found(early), [action, "proposal.approve"]);
      const expiredMs = rows.find(({ id }) => id === note.detail.proposal)!.expires_at as number;
      assertEquals(foundWith(note, { at: expiredMs + 59_999 }), []);
      assertEquals(foundWith(note, { at: expiredMs + 60_000 }), [action]);
    }
  });

  it("finds an approval after the expiry, and a row that was written long after its approval", () => {
    const approval = approvalOf(ofAction("deposit.record"));
    assertEquals(foundWith(approval, { at: approval.at + 59_000 }), []);
    assertEquals(foundWith(approval, { at: approval.at + 61_000 }), [`proposal ${approval.subject}`]);
    const approved = rows.find(({ state }) => state === "approved")!;
    const expired = rows.map((row) => row === approved ? { ...row, expires_at: row.decided_at } : row);
    const findings = new Findings();
    checkProposals(findings, notes, expired, true);
    assert(findings.kept.some(({ found }) => `${found}` === instantText(approved.decided_at)));
  });

  it("finds an approval that put an older value back, except before approvals stated what they replace", () => {
    const [older, newer] = notes.filter(({ action, detail }) =>
      action === "proposal.approve" && detail.replaces === "market.set"
    ) as [Note, Note];
    const proposed = notes.find(({ action, subject }) =>
      action === "proposal.propose" && subject === newer.subject
    )!;
    // The older approval follows the newer proposal.
    const late = notes.flatMap((one) =>
      one === older ? [] : one === proposed ? [{ ...one, id: older.id - 1n }, older] : [one]
    );
    const rule = (changed: readonly Note[]) => {
      const findings = new Findings();
      checkProposals(findings, changed, rows, true);
      return findings.kept.filter(({ expected, row }) =>
        `${expected} ${row}`.includes("replaces") || expected.startsWith("no approved")
      );
    };
    assertEquals(rule(late), [{
      rule: "change_is_approved",
      row: `audit ${newer.id} proposal.approve`,
      expected: "no approved market.set since its proposal",
      found: `audit ${older.id}`,
    }]);
    const unstated = (note: Note): Note => {
      const { replaces: _replaces, ...detail } = note.detail;
      return { ...note, detail };
    };
    assertEquals(rule(late.map(unstated)), []);
    const [first, last] = [notes.find(({ detail }) => detail.replaces)!, newer];
    assertEquals(found(notes.map((one) => one === first ? unstated(one) : one)), []);
    assertEquals(found(notes.map((one) => one === last ? unstated(one) : one)), [
      "proposal.approve replaces",
    ]);
    assertEquals(foundWith(last, { detail: { ...last.detail, replaces: "price.set" } }), [
      "proposal.approve replaces",
    ]);
  });

  it("reports a breaker that one person set, but not the first one with the default of two people", () => {
    const given = (basis_points: number | null, seconds: number | null): Note => ({
      ...notes.at(-1)!,
      action: "market.breaker",
      subject: "circuit breaker",
      detail: { mode: "two_people", basis_points, seconds },
    });
    const before = notes.filter(({ action }) => action !== "market.breaker");
    assertEquals(found([...before, given(500, 60)]), []);
    assertEquals(found([...before, given(500, 60), given(500, 60)]), ["market.breaker"]);
    for (const [percent, within] of [[null, null], [501, 60], [500, 59]] as const) {
      assertEquals(found([...before, given(percent, within)]), ["market.breaker"]);
    }
  });

  it("reports a role that one person gave, but not a role that one person took away", () => {
    const note = ofAction("operator.set");
    const alone = { mode: "two_people" };
    const given = foundWith(note, { detail: { ...alone, before: ["audit"], roles: ["audit", "keys"] } });
    assertEquals(given, ["operator.set"]);
    assertEquals(foundWith(note, { detail: { ...alone, before: ["audit"], roles: [] } }), []);
  });
});

/** Makes changes of many kinds by two people. */
async function makeChanges(books: TestBooks, [one, other, third]: readonly string[]): Promise<void> {
  const { sql } = books;
  for (const login of [one!, other!]) await sql`select gold.add_operator(${login}, ${login})`;
  const [maker, checker] = [connectAs(books, one!), connectAs(books, other!)];
  const approve = async (kind: string, content: object) => {
    const [row] = await maker`select * from gold.propose(${kind}, ${maker.json(content as never)}::jsonb)`;
    await checker`select gold.approve_proposal(${row!.id}::uuid, ${row!.sha256})`;
  };
  const [first, second, token] = [await newTestKey("a"), await newTestKey("b"), await newTestKey("c")];
  await sql`select gold.require_two_people()`;
  await approve("partner.create", {
    ...{
      client_id: PARTNER,
      name: "Bank",
      iban: "SA0380000000608010167519",
      webhook_url: "https://bank.example/",
    },
    ...{
      rate_per_second: 50,
      burst: 50,
      maximum_grams: "10000000",
      ips: ["203.0.113.0/24"],
      limits: { open_quotes: 9 },
    },
    ...{ secret_hash: hex(32), webhook_sealed: hex(60), sealing_key: "none" },
    keys: [{ thumbprint: first.thumbprint, kid: "a", jwk: first.publicJwk }],
  });
  const owned = { client_id: PARTNER };
  await approve("partner.set", { ...owned, burst: 60, limits: { open_quotes: 10 } });
  await approve("partner.set", { ...owned, name: "Renamed Bank" });
  await approve("partner.iban", { ...owned, iban: "SA4420000001234567891234" });
  await sql`select gold.suspend_partner(${PARTNER})`;
  await approve("partner.resume", owned);
  await approve("client_secret.rotate", { ...owned, hash: hex(32), overlap_seconds: 60 });
  await approve("webhook_secret.rotate", {
    ...owned,
    sealed: hex(60),
    sealing_key: "none",
    overlap_seconds: 60,
  });
  await approve("endpoint.add", {
    ...{ ...owned, url: "https://bank.example/two", types: ["order.executed", "day.closed"] },
    ...{ sealed: hex(60), sealing_key: "none" },
  });
  await approve("endpoint.set", { ...owned, endpoint: 2, url: "https://bank.example/2", types: [] });
  await approve("webhook_secret.rotate", {
    ...{ ...owned, sealed: hex(60), sealing_key: "none", overlap_seconds: 60, endpoint: 2 },
  });
  await approve("endpoint.remove", { ...owned, endpoint: 2 });
  await approve("signing_key.add", {
    ...owned,
    thumbprint: second.thumbprint,
    kid: "b",
    jwk: second.publicJwk,
  });
  const certificate = createTestAuthority().ca;
  const fingerprint = createHash("sha256").update(new X509Certificate(certificate).raw).digest("hex");
  await approve("authority.add", {
    ...{ first: true, fingerprint, certificate, revocation_list: "LIST" },
    revocation_next_at: "2036-01-01T00:00:00.000Z",
  });
  await approve("certificate.issue", {
    ...{ ...owned, fingerprint: hex(32), serial: "4a", authority: fingerprint, key_hash: hex(32) },
    ...{ not_before: "2026-01-01T00:00:00.000Z", not_after: "2036-01-01T00:00:00.000Z" },
  });
  await approve("token_key.rotate", {
    ...{ kid: token.thumbprint, public_jwk: token.publicJwk, sealed: hex(60), sealing_key: "none" },
    ...{ lead_seconds: 10, overlap_seconds: 600 },
  });
  const [sealed] =
    await sql`select kind, id, encode(sealed, 'hex') as before from gold.read_sealed() limit 1`;
  await approve("sealing_key.rotate", { sealing_key: "next", secrets: [{ ...sealed, after: hex(60) }] });
  await approve("pepper.rotate", { pepper: hex(8) });
  await approve("vault.add", {
    serial: "BAR-1",
    refiner: "R",
    vault: "Riyadh",
    gross: "100000",
    fineness: 9999,
  });
  await approve("vault.remove", { serial: "BAR-1" });
  await approve("price.set", {
    ...{ source: "simulated", mid: "5000000", spread_basis_points: 60, stale_after_seconds: 10, url: null },
    hours: { always_open: true, sessions: [] },
  });
  await approve("market.set", { band: { step_basis_points: 300, hour_basis_points: 600 } });
  await approve("market.set", { breaker: { basis_points: 500, seconds: 60 } });
  await sql`select gold.set_exposure(1)`;
  await approve("market.set", { exposure: "100000000" });
  await approve("deposit.record", { ...owned, amount: "700", bank_reference: "BANK-1" });
  const [deposit] = await sql`select id from gold.deposit where bank_reference = 'BANK-1'`;
  await approve("deposit.reverse", { deposit: deposit!.id });
  await approve("deployment.payout", {
    name: "Gold House",
    iban: "SA9480000000000000000001",
    bic: "EXAMSARI",
  });
  await approve("deployment.defaults", { rate_per_second: 40, burst: 150, limits: { open_quotes: 90 } });
  await approve("deployment.settle", {
    ...{ environment: "sandbox", public_base_url: "https://gold.example", loopback_receivers: true },
    ...{ flood_per_second: 30_000, webhook_ports: [443], attempts_kept_days: 90 },
  });
  const [day] = await sql`
    select to_char(d.at, 'YYYY-MM-DD') as day, jsonb_build_object('deployment', (select id from gold.deployment),
      'begins_at', gold.instant_text(d.at at time zone 'Asia/Riyadh'))::text as document
    from date_trunc('day', now() at time zone 'Asia/Riyadh') d (at)`;
  await approve("day.sign", { ...day });
  const named = { name: third!, roles: ["audit"] };
  await approve("operator.add", named);
  await sql`select gold.add_operator(${third!}, 'x', ${sql.array(named.roles)})`;
  await approve("operator.set", { name: third!, roles: ["pricing"] });
  await sql`select gold.set_operator(${third!}, '{pricing}')`;
  await Promise.all([maker.end(), checker.end()]);
}
