import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { match, ok } from "node:assert/strict";
import { assertEquals } from "@std/assert";
import { connect } from "../../database.ts";
import { runGold } from "../../gold_fixture.ts";
import { expectsOf } from "../../../../../tools/testing/by_two.ts";
import { generateKeyPair } from "../../pki/key_pair.ts";
import { writePem } from "../../pki/pem.ts";
import { writeCsr } from "../../pki/mod.ts";
import { assertRefused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";
import { askWithdrawal, setPayoutAccount } from "../money/withdrawal_fixture.ts";

const NEW_PARTNER = [
  ...["partner", "create", "--name", "New Bank", "--iban", "SA0380000000608010167519"],
  ...["--ip", "203.0.113.0/24", "--ip", "2001:DB8::/32", "--webhook", "https://bank.example/"],
];

interface Proposed {
  readonly proposal_id: string;
  readonly sha256: string;
  readonly expires_at: string;
}
interface Change {
  readonly member: string;
  readonly today: string | null;
  readonly proposed: string | null;
  readonly change?: string;
  readonly unit?: string;
}

describe("gold proposal", () => {
  let operator: TestOperator;
  let clientId: string;
  let signing: string;
  before(async () => {
    operator = await testOperator();
    clientId = operator.service.partner.clientId;
    await operator.done("ca", "init", "--key", operator.path("ca.key"));
    await operator.done("market", "set", "--exposure", "1000");
    await setPayoutAccount(operator);
    await operator.service.books.sql`select gold.require_two_people()`;
    signing = await newPublicKey("signing.pem");
  });
  after(() => operator?.stop());

  async function newPublicKey(name: string): Promise<string> {
    return await operator.write(name, writePem("PUBLIC KEY", (await generateKeyPair()).publicKeySpki));
  }
  const propose = async (...argv: string[]) => await operator.done(...argv) as unknown as Proposed;
  /** The proposal that a command printed for a person. */
  async function readProposed(out: string): Promise<Proposed> {
    const id = /^proposal_id\s+(\S+)$/m.exec(out)![1]!;
    return await operator.done("proposal", "show", id) as unknown as Proposed;
  }
  const approve = async ({ proposal_id, sha256 }: Proposed) =>
    await operator.colleague.done(
      ...["proposal", "approve", proposal_id, "--sha256", sha256],
      ...await expectsOf(
        (words, ...more) => operator.colleague.done(...words.split(" "), ...more),
        proposal_id,
      ),
    );
  async function changesOf({ proposal_id }: Proposed): Promise<Record<string, Change>> {
    const { changes } = await operator.done("proposal", "show", proposal_id);
    return Object.fromEntries((changes as Change[]).map((change) => [change.member, change]));
  }
  /** Proposes with one login and approves with the other. */
  async function byTwo(...argv: string[]): Promise<Proposed> {
    const proposed = await propose(...argv);
    assertEquals(Object.keys(proposed), ["proposal_id", "sha256", "expires_at"]);
    await approve(proposed);
    return proposed;
  }

  it("makes a partner with certificate and keys by two people, and shows the secrets once, to the proposer", async () => {
    const created = await operator.gold(...NEW_PARTNER, "--signing-key", signing);
    assertEquals(created.exit, 0, created.err);
    match(created.out, /Another person must approve this change: gold proposal approve [0-9a-f-]{36}\./);
    const id = /^proposal_id\s+(\S+)$/m.exec(created.out)![1]!;
    const known = await operator.done("proposal", "show", id);
    assertEquals([known.kind, known.status, known.has_secrets], ["partner.create", "pending", true]);
    assertEquals(createHash("sha256").update(known.canonical_text as string).digest("hex"), known.sha256);
    await approve({ proposal_id: id, sha256: known.sha256 as string, expires_at: "" });
    const newId = (known.changes as Change[]).find(({ member }) => member === "client_id")!.proposed!;
    const partner = await operator.done("partner", "show", newId);
    assertEquals(partner.ips, ["203.0.113.0/24", "2001:db8::/32"]);

    const foreign = await operator.colleague.gold("proposal", "show", id, "--secrets");
    assertRefused(foreign, 1, "may read the secrets of this proposal");
    const secrets = await operator.done("proposal", "show", id, "--secrets");
    ok(Buffer.from(secrets.client_secret as string, "base64url").length === 32);
    match(secrets.webhook_secret as string, /^whsec_/);
    assertRefused(await operator.gold("proposal", "show", id, "--secrets"), 1, "shown already");

    const tls = await generateKeyPair();
    const csr = await operator.write(
      "request.csr",
      await writeCsr(tls, { organization: "New Bank", commonName: newId }),
    );
    await byTwo("cert", "issue", newId, "--csr", csr, "--out", operator.path("certificate.pem"));
    const [certificate] = itemsOf(await operator.done("cert", "list", newId));
    assertEquals(certificate!.status, "active");
    match(await operator.read("certificate.pem"), /^-----BEGIN CERTIFICATE-----/);
    await byTwo("signing-key", "add", newId, await newPublicKey("second.pem"));
    assertEquals(itemsOf(await operator.done("signing-key", "list", newId)).length, 2);
  });

  it("approves every other kind, and the change is what one person would have made", async () => {
    await byTwo(
      ...["partner set", clientId, "--name", "Renamed Bank", "--net-grams", "unlimited", "--rate", "2500/s"],
    );
    assertEquals((await operator.done("partner", "show", clientId)).name, "Renamed Bank");
    await operator.done("partner", "suspend", clientId);
    await byTwo("partner", "resume", clientId);
    const rotated = await byTwo("secret", "rotate", clientId, "--overlap", "0");
    ok((await operator.done("proposal", "show", rotated.proposal_id, "--secrets")).client_secret);
    const webhook = await byTwo("webhook-secret", "rotate", clientId, "--overlap", "0");
    ok((await operator.done("proposal", "show", webhook.proposal_id, "--secrets")).webhook_secret);
    await byTwo("price", "set", "--mid", "321", "--open", "sun-thu 10:00-15:00");
    const price = await operator.done("price", "show");
    assertEquals([price.mid, price.buy_price, price.sell_price], ["321", "321.963", "320.037"]);
    assertEquals(price.market_hours, ["sun-thu 10:00-15:00"]);
    await byTwo("price", "set", "--source", "simulated", "--spread", "50");
    // The price itself may change at any moment from now on.
    assertEquals((await operator.done("price", "show")).source, "simulated");
    await byTwo("market", "set", "--exposure", "unlimited", "--breaker", "5", "--within", "60");
    const market = await operator.done("market", "show");
    assertEquals([market.exposure, market.breaker_percent], ["unlimited", 5]);
    await operator.service.books.sql`update gold.price set halted_at = clock_timestamp()`;
    await byTwo("market", "open");
    await byTwo("key", "rotate", "ca", "--key", operator.path("next.key"));
    assertEquals(itemsOf(await operator.done("ca", "list")).length, 2);
    await byTwo("key", "rotate", "token");
    await byTwo("key", "rotate", "token", "--overlap", "0");
    await byTwo("vault add --serial BAR-9 --gross 1000 --fineness 999.9 --vault Riyadh");
    await byTwo("vault", "remove", "BAR-9");
    const [bar] = itemsOf(await operator.done("vault", "list")).slice(-1);
    assertEquals([bar!.serial, bar!.status ?? bar!.removed_at !== null], ["BAR-9", true]);
  });

  it("shows today's values beside the proposed ones, and the consequences", async () => {
    const proposed = await propose(
      ...["partner", "set", clientId, "--webhook", "https://new.example/", "--max-grams", "2000"],
    );
    const { consequences } = await operator.done("proposal", "show", proposed.proposal_id);
    match(consequences as string, /Webhooks go to the new URL/);
    const changes = await changesOf(proposed);
    assertEquals(changes.webhook_url, {
      member: "webhook_url",
      today: "https://localhost:8444/",
      proposed: "https://new.example/",
    });
    assertEquals(changes.maximum_grams, {
      ...{ member: "maximum_grams", today: "1000", proposed: "2000", change: "+100 %", unit: "g" },
    });
    await operator.done("proposal", "reject", proposed.proposal_id);
  });

  it("shows what is in use today beside a rotation, a new authority and a removed operator", async () => {
    const { sql } = operator.service.books;
    const rotations = [
      [["secret", "rotate", clientId], "client_secret", "id"],
      [["webhook-secret", "rotate", clientId], "webhook_secret", "id"],
      [["signing-key", "add", clientId, await newPublicKey("other.pem")], "signing_key", "thumbprint"],
      [["key", "rotate", "token"], "token_key", "kid"],
      [["key", "rotate", "ca", "--key", operator.path("other.key")], "authority", "fingerprint"],
    ] as const;
    for (const [argv, table, name] of rotations) {
      const stored = await sql`
        select t.name, t.since, t.until from (
          select to_jsonb(r) ->> ${name} as name, coalesce(to_jsonb(r) ->> 'not_before', to_jsonb(r) ->> 'created_at')::timestamptz as since,
            coalesce(to_jsonb(r) ->> 'retire_at', to_jsonb(r) ->> 'retired_at')::timestamptz as until,
            to_jsonb(r) ->> 'partner_id' as partner_id
          from gold.${sql(table)} r) t
        where (t.until is null or t.until > now())
          and (t.partner_id is null or t.partner_id = ${`${operator.service.partner.client}`}) order by t.since`;
      ok(stored.length > 0, table);
      const proposed = await propose(...argv);
      const today = (await changesOf(proposed)).in_use!.today!;
      const expected = stored.map(({ name, since, until }) =>
        `${name} since ${since.toISOString()}${until ? ` until ${until.toISOString()}` : ""}`
      );
      assertEquals(today.split(", ").sort(), expected.sort(), table);
      await operator.done("proposal", "reject", proposed.proposal_id);
    }
    const login = connect(operator.url);
    const raw = async (kind: string, content: Record<string, string | string[]>) => {
      const [row] = await login`select id from gold.propose(${kind}, ${login.json(content)}::jsonb)`;
      return await changesOf({ proposal_id: row!.id, sha256: "", expires_at: "" });
    };
    const sealing = await raw("sealing_key.rotate", { sealing_key: "next", secrets: [] });
    match(sealing.sealing_key!.today!, /^\w+ \(\d+ secrets\)$/);
    const removed = await raw("operator.remove", { name: operator.colleague.login });
    await login.end();
    assertEquals(removed.name!.today, operator.colleague.login);
    assertEquals(removed.roles!.today, "treasury; credentials; pricing; keys; audit");
  });

  it("asks with the whole proposal on the terminal, escapes it, and sends the hash of what was shown", async () => {
    const { sql } = operator.service.books;
    const name = "\u001b[2JBank";
    const content = { sealing_key: name, secrets: [] };
    const login = connect(operator.url);
    const [row] = await login`select * from gold.propose('sealing_key.rotate', ${
      login.json(content)
    }::jsonb)`;
    await login.end();
    // Without a key file, this person cannot check the sealing key that the proposal names.
    const env = { DATABASE_URL: operator.colleague.url };
    const answer = (yes: boolean) => runGold(["proposal approve", row!.id], { env, yes });
    const declined = await answer(false);
    assertEquals([declined.exit, declined.out, declined.questions.length], [1, "", 1]);
    ok(
      declined.questions[0]!.startsWith(
        `Approve this sealing_key.rotate, with the hash ${row!.sha256}? Webhook secrets`,
      ),
    );
    ok(declined.err.includes("[2JBank") && !declined.err.includes("\u001b"), declined.err);
    ok(declined.err.includes(row!.sha256));
    const [state] = await sql`select state from gold.proposal where id = ${row!.id}`;
    assertEquals(state!.state, "pending");
    assertEquals((await answer(true)).exit, 0);
  });

  it("lets the person choose a proposal of another one if none is named", async () => {
    const [first, second] = [
      await propose("price", "set", "--mid", "321"),
      await propose("partner", "set", clientId, "--name", "Chosen Bank"),
    ];
    const env = operator.colleague.env;
    assertRefused(await runGold(["proposal approve"], { env }), 2, "PROPOSAL is missing");
    const waiting = itemsOf(await operator.done("proposal", "list", "--status", "pending"))
      .filter(({ proposer }) => proposer !== operator.colleague.login);
    const number = waiting.findIndex(({ proposal_id }) => proposal_id === second!.proposal_id) + 1;
    assertRefused(
      await runGold(["proposal approve"], { env, yes: true, typed: "99" }),
      1,
      "You chose no proposal",
    );
    const chosen = await runGold(["proposal approve"], { env, yes: true, typed: `${number}` });
    assertEquals([chosen.exit, chosen.questions.length], [0, 2], chosen.err);
    assertEquals((await operator.done("partner", "show", clientId)).name, "Chosen Bank");
    await operator.done("proposal", "reject", first!.proposal_id);
  });

  it("refuses secrets of a lost sealing key before anything is approved, and accepts the other proposals", async () => {
    const proposed = await Promise.all([
      propose("secret", "rotate", clientId),
      propose("webhook-secret", "rotate", clientId),
      propose("key", "rotate", "token"),
    ]);
    const price = await propose("price", "set", "--mid", "320");
    const { sealing_key: kept } = JSON.parse(await operator.read("gold_keys.json"));
    const newKey = await operator.write("new_sealing_key", `${"1".repeat(64)}\n`);
    await operator.keys.record("sealing_key", `file:${newKey}`);
    for (const { proposal_id: id, sha256 } of proposed) {
      const run = await operator.colleague.gold("proposal", "approve", id, "--yes", "--sha256", sha256);
      assertRefused(run, 1, `The proposal ${id} has secrets that are encrypted with the sealing key`);
      assertEquals(run.problem.code, "sealing_key_missing");
      assertEquals((await operator.done("proposal", "show", id)).status, "pending");
    }
    await approve(price);
    await operator.keys.record("sealing_key", kept);
    for (const one of proposed) await approve(one);
  });

  it("refuses a new sealing key if an encrypted secret would no longer be the same", async () => {
    const { sealing_key: kept } = JSON.parse(await operator.read("gold_keys.json"));
    const older = await readFile(kept.slice("file:".length), "utf8");
    await operator.keys.record(
      "sealing_key",
      `file:${await operator.write("next_sealing_key", `${"2".repeat(64)}\n${older}`)}`,
    );
    const honest = await propose("key", "rotate", "webhook-kek");
    const { canonical_text } = await operator.done("proposal", "show", honest.proposal_id);
    const content = JSON.parse((canonical_text as string).split("\n")[7]!);
    // No webhook secret retires soon, but token keys that an earlier test has rotated do.
    const [one, other, ...rest] = content.secrets.toReversed();
    assertEquals([one.kind, other.kind], ["webhook_secret", "webhook_secret"]);
    const swapped = [{ ...one, after: other.after }, { ...other, after: one.after }, ...rest];
    const broken = [{ ...one, after: one.before }, other, ...rest];
    const login = connect(operator.url);
    for (const secrets of [swapped, broken]) {
      const [row] = await login`
        select * from gold.propose('sealing_key.rotate', ${login.json({ ...content, secrets })}::jsonb)`;
      const argv = ["proposal", "approve", row!.id, "--yes", "--sha256", row!.sha256];
      const run = await operator.colleague.gold(...argv);
      assertRefused(run, 1, `would change the ${one.kind} ${one.id}`);
      assertEquals(run.problem.code, "secret_differs");
    }
    await login.end();
    await approve(honest);
    await operator.keys.record("sealing_key", kept);
  });

  it("refuses the proposer, another hash, a missing hash with --yes, and an unknown proposal", async () => {
    const { proposal_id, sha256 } = await propose("price", "set", "--mid", "319");
    const own = await operator.gold("proposal", "approve", proposal_id, "--yes", "--sha256", sha256);
    assertRefused(own, 1, "you proposed this change, so another login has to approve it");
    const { colleague } = operator;
    const wrong = await colleague.gold("proposal approve", proposal_id, "--yes", "--sha256", "0".repeat(64));
    assertRefused(wrong, 1, "The hash of the proposal is");
    assertRefused(await colleague.gold("proposal approve", proposal_id, "--yes"), 2, "--sha256 is missing");
    const malformed = await colleague.gold("proposal", "approve", proposal_id, "--yes", "--sha256", "x");
    assertRefused(malformed, 2, "--sha256 must have 64 characters");
    assertRefused(await colleague.gold("proposal", "show", "1"), 1, "There is no proposal 1");
    const unknown = "00000000-0000-7000-8000-000000000000";
    assertRefused(await colleague.gold("proposal", "show", unknown), 1, "There is no proposal");
    assertRefused(await colleague.gold("proposal", "list", "--status", "x"), 2, "--status must be one of");
    assertEquals(await colleague.done("proposal reject", proposal_id), { proposal_id, status: "rejected" });
    const late = await colleague.gold("proposal", "approve", proposal_id, "--yes", "--sha256", sha256);
    assertRefused(late, 1, "the proposal was rejected already");
    const listed = itemsOf(await operator.done("proposal", "list", "--status", "rejected"));
    assertEquals(listed.at(-1)!.proposal_id, proposal_id);
  });

  it("refuses a change that cannot be made, with the same error as before, and proposes nothing", async () => {
    const count = async () => itemsOf(await operator.done("proposal", "list")).length;
    const before = await count();
    assertRefused(await operator.gold("partner resume", clientId), 1, `partner ${clientId} is not suspended`);
    assertRefused(await operator.gold("vault remove NO-BAR --yes"), 1, "there is no bar with serial NO-BAR");
    const both = await operator.gold(
      ...["partner", "set", clientId, "--name", "X", "--iban", "SA4420000001234567891234"],
    );
    assertRefused(both, 2, "--iban must be given alone");
    assertEquals(await count(), before);
  });

  it("keeps what one person may do alone: lower a limit, suspend, close the market", async () => {
    await operator.done("partner", "set", clientId, "--max-grams", "999", "--open-quotes", "5");
    await operator.done("price", "set", "--open", "never");
    assertEquals((await operator.done("price", "show")).market, "closed");
  });

  it("changes an IBAN by a proposal, and holds the partner's payouts", async () => {
    const iban = "SA4420000001234567891234";
    const set = (...more: string[]) =>
      operator.gold("partner", "set", clientId, "--iban", iban, ...more, "--json");
    assertRefused(await set("--burst", "500"), 2, "--iban must be given alone");
    const { json } = await set();
    const { proposal_id: id, sha256 } = json as Record<string, string>;
    const before = await operator.done("partner", "show", clientId);
    assertEquals(before.pending_iban, null);
    match(
      (await operator.done("proposal", "show", id!)).consequences as string,
      new RegExp(
        `^New withdrawals of ${before.name} \\(${clientId}\\) go to ${iban}\\. .* Today, they go to ${before.iban}: \`gold partner set ${clientId} --iban ${before.iban}\` sets it back`,
      ),
    );
    await operator.colleague.done("proposal", "approve", id!, "--sha256", sha256!);
    const after = await operator.done("partner", "show", clientId);
    assertEquals(after.iban, iban);
    ok(Date.parse(after.payouts_held_until as string) > Date.now() + 86_000_000);
    assertRefused(await set(), 1, "registered IBAN already");
    const { sql } = operator.service.books;
    const notes =
      await sql`select login, detail - 'proposal' as detail from gold.audit where action = 'partner.iban'`;
    assertEquals(notes.map((note) => ({ ...note })), [
      { login: operator.colleague.login, detail: { before: before.iban, iban } },
    ]);
    const events = await sql`
      select iban, login, approved_by from gold.partner_change where iban is not null order by sequence desc limit 1`;
    assertEquals(events.map((event) => ({ ...event })), [{
      iban,
      login: operator.login,
      approved_by: operator.colleague.login,
    }]);
  });

  it("credits a deposit and pays a withdrawal by two people, and then writes the file for the bank", async () => {
    const partner = await operator.service.addPartner();
    const named = `Test Bank \\(${partner.clientId}\\)`;
    const proposed = await operator.gold(
      ...["deposit", "record", partner.clientId, "--amount", "250.5", "--bank-ref", "BANK-1"],
    );
    const recorded = await readProposed(proposed.out);
    match(
      proposed.out,
      new RegExp(
        `\`gold proposal reject ${recorded.proposal_id}\`\\. After the approval: 250\\.5 SAR become available to ${named}`,
      ),
    );
    const deposit = await changesOf(recorded);
    assertEquals(deposit.amount, { member: "amount", today: null, proposed: "250.5", unit: "SAR" });
    await approve(recorded);
    const shown = await operator.done("partner", "show", partner.clientId);
    assertEquals(shown.sar_available, "250.5");
    const [listed] = itemsOf(await operator.done("deposit", "list"));
    assertEquals([listed!.recorded_by, listed!.approved_by], [operator.login, operator.colleague.login]);

    const withdrawal = await askWithdrawal(operator, 10_000n, partner.client);
    await operator.colleague.done("withdrawal", "approve", withdrawal);
    const own = await askWithdrawal(operator, 5_000n, partner.client);
    await operator.done("withdrawal", "approve", own);
    const file = operator.path("pain.001.xml");
    const asked = await runGold(["withdrawal submit --out", file], { env: operator.env, yes: false });
    match(
      asked.questions.join(),
      /^Propose to submit 1 withdrawal\(s\) of 100 SAR, with .*\? Nothing is paid before another person approves\.$/,
    );
    const run = await operator.gold("withdrawal", "submit", "--out", file, "--yes");
    match(
      run.out,
      new RegExp(`\\nleft:\\n.*\\n${own} .* you approved it, so another login has to submit it`),
    );
    const [, id, batch] = /gold proposal approve ([0-9a-f-]{36})\. .* --batch ([0-9a-f-]{36})` again/.exec(
      run.out,
    )!;
    assertRefused(
      await operator.gold("withdrawal", "submit", "--out", file, "--batch", batch!),
      1,
      "There is no batch",
    );
    const known = await operator.done("proposal", "show", id!);
    // The end of the day in Riyadh, UTC+3.
    match(known.expires_at as string, /T20:59:59\./);
    const changes = (known.changes as Change[]).find(({ member }) => member === "payments")!;
    const iban = "SA0380000000608010167519";
    const terms = [
      "withdrawal",
      withdrawal.slice(3),
      "client_id",
      partner.clientId,
      "amount_sar",
      "100",
      "iban",
      iban,
    ];
    assertEquals(changes.proposed!.replaceAll(",", "").split(" ").toSorted(), terms.toSorted());
    match(changes.today!, /name Test Bank.*status approved/);
    await approve({ proposal_id: id!, sha256: known.sha256 as string, expires_at: "" });
    const written = await operator.done("withdrawal", "submit", "--out", file, "--batch", batch!);
    assertEquals(itemsOf(written).map(({ withdrawal_id }) => withdrawal_id), [withdrawal]);
    match(await operator.read("pain.001.xml"), /<InstdAmt Ccy="SAR">100\.00</);
    const returned = await propose("withdrawal", "returned", withdrawal);
    match(
      (await operator.done("proposal", "show", returned.proposal_id)).consequences as string,
      new RegExp(
        `^100 SAR of ${withdrawal}, which went to ${iban}, become available to ${named} again, and no command takes them back`,
      ),
    );
    await approve(returned);
    const [repaid] = itemsOf(await operator.done("withdrawal", "list", "--status", "returned"));
    assertEquals(repaid!.withdrawal_id, withdrawal);
    assertEquals((await operator.done("ledger", "verify")).clean, true);
  });

  it("has `gold --as second`, which uses the second person's login", async () => {
    const proposed = await propose("price", "set", "--mid", "322");
    const env = { ...operator.env, SECOND_DATABASE_URL: operator.colleague.env.DATABASE_URL };
    const approved = await runGold(
      [`--as second proposal approve ${proposed.proposal_id} --yes --json --sha256`, proposed.sha256],
      { env },
    );
    assertEquals([approved.exit, approved.json.status], [0, "approved"], approved.err);
    const [listed] = itemsOf(await operator.done("proposal", "list")).slice(-1);
    assertEquals(listed!.decided_by, operator.colleague.login);
    const after = await runGold(["proposal", "list", "--as", "second", "--json"], { env });
    assertEquals(after.exit, 0, after.err);
    const login = async (...argv: string[]) => {
      const { json } = await runGold([...argv, "--json"], { env });
      return (await operator.done("proposal", "show", json.proposal_id as string)).proposer;
    };
    assertEquals(await login("price", "set", "--mid", "321", "--as", "second"), operator.colleague.login);
    assertEquals(await login("price", "set", "--as=second", "--mid", "321"), operator.colleague.login);
    assertEquals(await login("price", "set", "--mid", "321"), operator.login);
    const words = "--as must be followed by second";
    assertRefused(await runGold(["proposal list --as"], { env }), 2, `${words}; got nothing`);
    assertRefused(await runGold(["--as third proposal list"], { env }), 2, words);
    const alone = await runGold(["--as second proposal list"], { env: operator.env });
    assertRefused(alone, 2, "SECOND_DATABASE_URL is not set");
  });

  it("warns of an IBAN that another active partner has, and asks and refuses nothing", async () => {
    const other = await operator.service.addPartner();
    const { iban } = await operator.done("partner", "show", other.clientId);
    const { iban: own } = await operator.done("partner", "show", clientId);
    const warning = new RegExp(`The IBAN ${iban} also belongs to .*Test Bank \\(${other.clientId}\\)`);
    const run = await operator.gold("partner", "set", clientId, "--iban", iban as string, "--json");
    assertEquals(run.exit, 0, run.err);
    match(run.err, warning);
    const shown = await operator.done("proposal", "show", run.json.proposal_id as string);
    const warns = ({ warnings }: Record<string, unknown>) =>
      (warnings as { warning: string }[]).some((one) => warning.test(one.warning));
    ok(warns(shown));
    await operator.done("proposal", "reject", run.json.proposal_id as string);

    const key = await newPublicKey("shared.pem");
    const created = await operator.gold(...NEW_PARTNER, "--signing-key", key, "--json");
    match(created.err, warning);
    const { proposal_id: id } = created.json;
    ok(warns(await operator.done("proposal", "show", id as string)));
    await operator.done("proposal", "reject", id as string);

    // A suspended partner is not active, and its own IBAN is no other partner's.
    ok(own !== iban);
    await operator.done("partner", "suspend", other.clientId);
    const again = await operator.gold(...NEW_PARTNER, "--signing-key", key, "--json");
    ok(!again.err.includes(other.clientId), again.err);
    await operator.done("proposal", "reject", again.json.proposal_id as string);
  });

  describe("of a price", () => {
    /** Approves on a terminal, where the person answers yes and types this text. */
    const approveTyping = (id: string, typed: string) =>
      runGold(["proposal approve", id], { env: operator.colleague.env, yes: true, typed });
    before(async () => {
      for (
        const { kind, proposal_id } of itemsOf(await operator.done("proposal", "list", "--status", "pending"))
      ) {
        if (kind === "price.set") await operator.done("proposal", "reject", `${proposal_id}`);
      }
      await byTwo("price", "set", "--mid", "322");
    });

    it("states the change in percent and whether it leaves the band, and asks nothing when it is proposed", async () => {
      const change =
        "The mid price changes by +1468.32 %, from 322 to 5050 SAR per gram. It leaves the price band.";
      const run = await runGold(["price", "set", "--mid", "5050"], {
        env: operator.env,
        ask: () => Promise.reject(new Error("asked")),
        askText: () => Promise.reject(new Error("asked")),
      });
      assertEquals([run.exit, run.err], [0, `Warning: ${change} Compare it with a price screen.`]);
      ok(run.out.includes(`After the approval: ${change} The next quotes`), run.out);
      const { proposal_id: id } = await readProposed(run.out);
      const shown = await operator.done("proposal", "show", id);
      ok(
        (shown.consequences as string).startsWith(`${change} The next quotes of all partners use this price`),
      );
      assertEquals([shown.change_percent, shown.outside_band], [1468.32, true]);
      await operator.done("proposal", "reject", id);

      const { proposal_id: nearId } = await propose("price set --mid 321");
      const near = await operator.done("proposal show", nearId);
      match(
        near.consequences as string,
        /changes by -0\.31 %, from 322 to 321 SAR .* It stays inside the price band\./,
      );
      assertEquals([near.change_percent, near.outside_band], [-0.31, false]);
      await operator.done("proposal reject", nearId);
      const { proposal_id: hoursId } = await propose("price set --open always");
      const hours = await operator.done("proposal show", hoursId);
      assertEquals(["change_percent" in hours, "outside_band" in hours], [false, false]);
      await operator.done("proposal reject", hoursId);
    });

    it("is typed by the person who approves it on a terminal, if it leaves the band", async () => {
      const { proposal_id: id, sha256 } = await propose("price", "set", "--mid", "5050");
      for (const typed of ["y", "505", ""]) {
        const { exit, err, questions } = await approveTyping(id, typed);
        assertEquals(exit, 1, typed);
        match(
          err,
          new RegExp(`You typed ${typed || "nothing"}, and the new mid price is 5050\\. Nothing was done`),
        );
        assertEquals(questions.length, 1);
        match(
          questions[0]!,
          new RegExp(`^Approve this price.set, with the hash ${sha256}\\? .*type the new mid price:$`),
        );
      }
      assertEquals((await operator.done("price", "show")).mid, "322");
      assertEquals((await approveTyping(id, "5050")).exit, 0);
      assertEquals((await operator.done("price", "show")).mid, "5050");
    });

    it("is given with --expect without a terminal, if it leaves the band", async () => {
      const { proposal_id: id, sha256 } = await propose("price", "set", "--mid", "322");
      const run = (...more: string[]) =>
        operator.colleague.gold("proposal", "approve", id, "--yes", "--sha256", sha256, ...more);
      assertRefused(await run(), 2, "--expect is missing. The mid price changes by -93.62 %");
      assertRefused(
        await run("--expect", "5050"),
        1,
        "--expect 5050 is not a value that this proposal asks for: 322",
      );
      assertRefused(await run("--expect", "many"), 1, "--expect many is not a value");
      assertEquals((await run("--expect", "322.00")).exit, 0);
      assertEquals((await operator.done("price", "show")).mid, "322");
      const inside = await propose("price", "set", "--mid", "323");
      const { questions } = await approveTyping(inside.proposal_id, "");
      assertEquals(questions.length, 1);
      match(
        questions[0]!,
        new RegExp(`^Approve this price.set, with the hash ${inside.sha256}\\? The mid price`),
      );
      const other = await propose("market", "set", "--exposure", "unlimited");
      const refused = await operator.colleague.gold(
        ...["proposal", "approve", other.proposal_id, "--yes", "--sha256", other.sha256, "--expect", "1"],
      );
      assertRefused(refused, 1, "--expect 1 is not a value that this proposal asks for");
      await operator.done("proposal", "reject", other.proposal_id);
    });

    it("expires after 15 minutes, and is refused after a newer one was approved", async () => {
      const older = await propose("price", "set", "--mid", "324");
      const lifeMs = Date.parse(older.expires_at) - Date.parse(
        (await operator.done("proposal", "show", older.proposal_id)).proposed_at as string,
      );
      assertEquals(lifeMs, 15 * 60_000);
      await byTwo("price", "set", "--mid", "325");
      const shown = await operator.done("proposal", "show", older.proposal_id);
      match(shown.consequences as string, /^This proposal is outdated: /);
      const late = await operator.colleague.gold(
        ...["proposal", "approve", older.proposal_id, "--yes", "--sha256", older.sha256],
      );
      assertRefused(late, 1, "This proposal is outdated: another change of the same values was approved at");
      assertEquals((await operator.done("price", "show")).mid, "325");
    });
  });

  it("leaves books in which the audit finds no change without its approval", async () => {
    const audit = async () => {
      const { json } = await runGold(["audit", "full", "--json"], {
        env: { DATABASE_URL: operator.service.books.url },
      });
      return itemsOf(json).filter(({ rule }) => ["change_is_approved", "note_is_known"].includes(`${rule}`));
    };
    assertEquals(await audit(), []);
    // A superuser can make the change, but not the approval of another person.
    await operator.service.books.sql`select gold.note('price.set', 'fixed', '{"mid": 200}')`;
    const [finding, ...more] = await audit();
    assertEquals(more, []);
    match(`${finding!.row}`, /^audit \d+ price\.set$/);
  });
});
