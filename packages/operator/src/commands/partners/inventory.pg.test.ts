import { after, before, describe, it } from "node:test";
import { addTestCertificate } from "@gold-partner/server/testing";
import { assert, assertEquals } from "@std/assert";
import { randomBytes } from "node:crypto";
import { runGold } from "../../gold_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

const DAY_SECONDS = 86_400;

describe("gold inventory", () => {
  let operator: TestOperator;
  before(async () => void (operator = await testOperator()));
  after(() => operator.stop());

  const itemsFor = async (owner: string, ...options: string[]) =>
    itemsOf(await operator.done("inventory", ...options)).filter((item) => item.owner === owner);
  const shortOf = (items: Record<string, unknown>[]) =>
    items.map(({ kind, name, status, warning }) => [kind, name, status, warning]);

  it("lists every kind of credential of a partner and of the service, without secret values", async () => {
    const { clientId, clientSecret, webhookSecret, fingerprint, signingKey } = await operator.service
      .addPartner();
    const items = await itemsFor(clientId);
    assertEquals(Object.keys(items[0]!), [
      "kind",
      "owner",
      "name",
      "status",
      "not_before",
      "expires_at",
      "retire_at",
      "last_used_at",
      "warning",
    ]);
    assertEquals(items.map(({ kind }) => kind), [
      "certificate",
      "client_secret",
      "signing_key",
      "webhook_secret",
    ]);
    assertEquals([items[0]!.name, items[2]!.name], [fingerprint, signingKey.thumbprint]);
    const text = JSON.stringify(await operator.done("inventory", "--all"));
    const { sql } = operator.service.books;
    const [stored] = await sql`select encode(hash, 'hex') as hash from gold.client_secret limit 1`;
    for (const value of [clientSecret, webhookSecret, stored!.hash, signingKey.publicJwk.x as string]) {
      assert(!text.includes(value));
    }
    assertEquals((await itemsFor("house")).map(({ kind, status }) => [kind, status]), [[
      "token_key",
      "active",
    ]]);
  });

  it("warns of a credential that ends within --within, and says if nothing replaces it", async () => {
    const { clientId, fingerprint } = await operator.service.addPartner();
    const { sql } = operator.service.books;
    await sql`update gold.certificate set not_after = now() + interval '59 minutes' where fingerprint = ${fingerprint}`;
    const certificates = async (...options: string[]) =>
      shortOf((await itemsFor(clientId, ...options)).filter(({ kind }) => kind === "certificate"));
    assertEquals(await certificates(), [[
      "certificate",
      fingerprint,
      "active",
      "expires in 0 hours, and nothing replaces it",
    ]]);
    assertEquals(await certificates("--within", "30m"), [["certificate", fingerprint, "active", null]]);
    const next = randomBytes(32).toString("hex");
    await addTestCertificate(sql, clientId, next, { beginsSeconds: 60, endsSeconds: 300 * DAY_SECONDS });
    assertEquals(await certificates(), [
      ["certificate", fingerprint, "active", "expires in 0 hours"],
      ["certificate", next, "not_yet", null],
    ]);
    refused(await operator.gold("inventory", "--within", "soon"), 2, "--within");
  });

  it("lists malformed rows, with a warning that the service skips them", async () => {
    const { client, clientId } = await operator.service.addPartner();
    const sql = operator.service.books.connect("superuser", 1);
    // Disable the triggers, because they refuse malformed rows.
    await sql`set session_replication_role = replica`;
    await sql`insert into gold.signing_key (partner_id, thumbprint, jwk) values (${client}, 'odd', '{"kty":"EC"}')`;
    await sql`insert into gold.client_secret (partner_id, hash, retire_at) values (${client}, sha256(''), 'infinity')`;
    await sql`insert into gold.client_secret (partner_id, hash, not_before) values (${client}, sha256(''), '0044-03-15 BC')`;
    await sql`insert into gold.client_secret (partner_id, hash, retire_at) values (${client}, sha256(''), '10000-01-01')`;
    await sql`insert into gold.client_secret (partner_id, hash) values (${client}, '\\x00')`;
    await sql`insert into gold.authority (fingerprint, certificate) values (${"0".repeat(64)}, 'no PEM')`;
    const skipped = [...await itemsFor(clientId), ...await itemsFor("house")]
      .filter(({ warning }) => `${warning}`.startsWith("malformed"));
    assertEquals(skipped.map(({ kind, warning }) => [kind, warning]), [
      ["client_secret", "malformed, so the service skips it: it has a date before the year 1"],
      ["client_secret", "malformed, so the service skips it: it has an infinite date"],
      ["client_secret", "malformed, so the service skips it: it has a date after the year 9999"],
      ["client_secret", "malformed, so the service skips it: its hash is not a SHA-256"],
      ["signing_key", "malformed, so the service skips it: kty must be EC and crv must be P-256"],
      ["authority", "malformed, so the service skips it: its certificate cannot be read"],
    ]);
    await sql`delete from gold.authority where certificate = 'no PEM'`;
  });

  it("leaves out credentials that ended and were replaced, unless --all is given", async () => {
    const { clientId, fingerprint } = await operator.service.addPartner();
    const { sql } = operator.service.books;
    await operator.done("secret", "rotate", clientId, "--overlap", "0");
    await sql`select gold.revoke_certificate(${fingerprint})`;
    const past = randomBytes(32).toString("hex");
    await addTestCertificate(sql, clientId, past, { beginsSeconds: -120, endsSeconds: -60 });
    const statuses = async (...options: string[]) =>
      (await itemsFor(clientId, ...options)).map(({ kind, status }) => `${kind} ${status}`).sort();
    const lasting = ["client_secret active", "signing_key active", "webhook_secret active"];
    // The last certificate is still listed, because the partner has no other one.
    assertEquals(await statuses(), ["certificate revoked", ...lasting]);
    await addTestCertificate(sql, clientId, randomBytes(32).toString("hex"));
    const live = ["certificate active", ...lasting];
    assertEquals(await statuses(), live);
    const ended = ["certificate expired", "certificate revoked", "client_secret retired"];
    assertEquals(await statuses("--all"), [...ended, ...live].sort());
  });

  it("shows an authority with its certificate's dates, and warns of a missing or expired CRL", async () => {
    await operator.done("ca", "init", "--key", operator.path("ca_key.pem"), "--years", "2");
    const house = await itemsFor("house");
    const [authority] = house.filter(({ kind }) => kind === "authority");
    const years = (Date.parse(`${authority!.expires_at}`) - Date.now()) / (365 * 1000 * DAY_SECONDS);
    assert(years > 1.9 && years < 2.1, `${years}`);
    assertEquals(authority!.warning, null);
    const { sql } = operator.service.books;
    await sql`update gold.authority set revocation_list = null, revocation_next_at = null, revocation_number = 0`;
    const listOf = async () => (await itemsFor("house")).filter(({ kind }) => kind === "revocation_list");
    assertEquals(shortOf(await listOf()), [[
      "revocation_list",
      authority!.name,
      "active",
      "there is no list: run gold cert crl",
    ]]);
    await sql`update gold.authority set revocation_list = 'x', revocation_number = 1, revocation_next_at = clock_timestamp() - interval '1 minute'`;
    assertEquals(shortOf(await listOf()), [[
      "revocation_list",
      authority!.name,
      "expired",
      "expired: run gold cert crl",
    ]]);
    const later = new Date(Date.now() + 3 * 365 * 1000 * DAY_SECONDS);
    const run = await runGold(["inventory", "--json"], {
      env: operator.env,
      now: () => later,
    });
    const ofAuthority = itemsOf(run.json).filter(({ name }) => name === authority!.name);
    assertEquals(shortOf(ofAuthority).map(([kind, , status, warning]) => [kind, status, warning]), [
      ["authority", "expired", "expired, and nothing replaced it"],
      ["revocation_list", "expired", "its authority has expired: run gold ca retire"],
    ]);
  });
});
