import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import type { TestPartner } from "@gold-partner/server/testing";
import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { importSigningKey, type Jwk, keySigner } from "@gold-partner/jws";
import { type Run, runGold } from "../../gold_fixture.ts";
import { assertRefused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

/** The file that k6 opens. */
interface PartnerFile {
  readonly base_url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly signing_key: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly webhook_secret: string;
  readonly ca_pem: string;
  readonly cert_pem: string;
  readonly key_pem: string;
  readonly signing_jwk: Jwk & { readonly d: string };
  readonly limited: boolean;
}

const MEMBERS = [
  "base_url",
  "ca",
  "cert",
  "key",
  "signing_key",
  "client_id",
  "client_secret",
  "webhook_secret",
]
  .concat(["ca_pem", "cert_pem", "key_pem", "signing_jwk", "limited"]);

describe("gold loadtest prepare", () => {
  let operator: TestOperator;
  let serverCa: string;
  let folder: string;
  before(async () => {
    operator = await testOperator();
    const { certificate } = await operator.done("ca", "init", "--key", operator.path("ca_key.pem"));
    // Use any certificate, because the tests check only that the partner's file names this file and contains
    // its text.
    serverCa = await operator.write("server_ca.pem", certificate as string);
  });
  beforeEach(async () => void (folder = await mkdtemp(operator.path("load-"))));
  after(() => operator.stop());

  const run = (...argv: string[]): Promise<Run> =>
    runGold(["loadtest", "prepare", "--out", folder, "--json", ...argv], {
      env: { ...operator.env, SECOND_DATABASE_URL: operator.colleague.url },
    });
  const prepare = async (...argv: string[]) => {
    const made = await run("--ca", serverCa, ...argv);
    assertEquals(made.exit, 0, made.err);
    return itemsOf(made.json);
  };
  const read = async (name: string): Promise<PartnerFile> =>
    JSON.parse(await readFile(join(folder, `partner-${name}.json`), "utf8"));
  const statuses = async (...argv: string[]) => (await prepare(...argv)).map(({ status }) => status);
  const trades = async (name: string): Promise<void> => {
    const { client_id: clientId, client_secret: clientSecret, signing_jwk, cert_pem } = await read(name);
    const fingerprint = new X509Certificate(cert_pem).fingerprint256.replaceAll(":", "").toLowerCase();
    const signer = keySigner(await importSigningKey(JSON.stringify(signing_jwk)));
    const partner = { clientId, clientSecret, fingerprint, signingKey: { signer } } as TestPartner;
    const { service } = operator;
    await service.refresh();
    const quoted = await service.send("/v1/quotes", { partner, body: '{"side":"buy","gold_grams":1}' });
    const { quote_id } = await quoted.json() as { quote_id: string };
    const ordered = await service.signed("/v1/orders", JSON.stringify({ quote_id }), { partner });
    assertEquals(ordered.status, 201, await ordered.text());
  };

  it("creates partners that can trade at once, and adds gold to the vault", async () => {
    const items = await prepare("--partners", "2");
    assertEquals(items.map(({ status, limited }) => [status, limited]), [
      ["new", false],
      ["new", false],
      ["new", true],
    ]);
    for (const name of ["0", "1", "limited"]) await trades(name);
    for (const item of items) {
      const shown = await operator.done("partner", "show", item.client_id as string);
      assertEquals([shown.sar_available, shown.gold_grams], ["999999679", "1"]);
      const { ips, rate_per_second, burst } = shown;
      assertEquals(ips, ["127.0.0.1/32", "::1/128"]);
      assertEquals([rate_per_second, burst], item.limited ? [5, 5] : [5000, 1_000_000]);
    }
    const deposits = itemsOf(await operator.done("deposit", "list"));
    assertEquals(deposits.map(({ recorded_by, approved_by }) => [recorded_by, approved_by]), [
      ...items.map(() => [operator.login, operator.colleague.login]),
    ]);
    assertEquals(await operator.service.books.defects(), []);
  });

  it("writes self-contained partner files for k6 that only their owner can read", async () => {
    await prepare("--partners", "1");
    const partner = await read("0");
    assertEquals(Object.keys(partner).sort(), MEMBERS.toSorted());
    assertEquals([partner.base_url, partner.ca, partner.limited], [
      "https://localhost:8443",
      serverCa,
      false,
    ]);
    const texts = [partner.ca, partner.cert, partner.key].map((file) => readFile(file, "utf8"));
    assertEquals(await Promise.all(texts), [partner.ca_pem, partner.cert_pem, partner.key_pem]);
    assertEquals(JSON.parse(await readFile(partner.signing_key, "utf8")), partner.signing_jwk);
    assert(new X509Certificate(partner.cert_pem).checkPrivateKey(createPrivateKey(partner.key_pem)));
    assertMatch(partner.client_id, /^sbx_/);
    const own = join(folder, partner.client_id);
    const entries = (await readdir(folder)).toSorted();
    assertEquals(entries.filter((entry) => entry.startsWith("partner-")), [
      "partner-0.json",
      "partner-limited.json",
    ]);
    assertEquals(entries.length, 4);
    const modes = [own, partner.cert, partner.key, partner.signing_key, join(folder, "partner-0.json")]
      .map(async (file) => (await stat(file)).mode & 0o777);
    assertEquals(await Promise.all(modes), [0o700, 0o600, 0o600, 0o600, 0o600]);
  });

  it("keeps the files of usable partners byte for byte, and creates the missing partners", async () => {
    await prepare("--partners", "1");
    const before = await readFile(join(folder, "partner-0.json"), "utf8");
    assertEquals(await statuses("--partners", "2"), ["kept", "new", "kept"]);
    assertEquals(await readFile(join(folder, "partner-0.json"), "utf8"), before);
  });

  it("updates the base URL in the partner files, and writes a missing file again", async () => {
    await prepare("--partners", "1");
    const { sql } = operator.service.books;
    await sql`update gold.deployment set public_base_url = 'https://localhost:9999'`;
    const partner = await read("0");
    await rm(partner.key);
    assertEquals(await statuses("--partners", "1"), ["kept", "kept"]);
    assertEquals((await read("0")).base_url, "https://localhost:9999");
    assertEquals(await readFile(partner.key, "utf8"), partner.key_pem);
    await sql`update gold.deployment set public_base_url = 'https://localhost:8443'`;
  });

  it("replaces a partner that is no longer usable, and deletes its files", async () => {
    const { sql } = operator.service.books;
    const ends: Record<string, (partner: PartnerFile) => Promise<unknown>> = {
      suspended: ({ client_id }) => operator.done("partner", "suspend", client_id),
      "certificate revoked": async ({ cert_pem }) =>
        operator.done("cert", "revoke", new X509Certificate(cert_pem).fingerprint256),
      "certificate about to end": ({ client_id }) =>
        sql`update gold.certificate c set not_after = clock_timestamp() + interval '23 hours' from gold.partner p
          where p.id = c.partner_id and p.public_id = ${client_id}`,
      "secret rotated": ({ client_id }) => operator.done("secret", "rotate", client_id, "--overlap", "24h"),
      "webhook secret rotated": ({ client_id }) =>
        operator.done("webhook-secret", "rotate", client_id, "--overlap", "24h"),
      "rate set": ({ client_id }) => operator.done("partner", "set", client_id, "--rate", "3/s"),
      "address set": ({ client_id }) => operator.done("partner", "set", client_id, "--ip", "203.0.113.7"),
      "of another database": (partner) =>
        writeFile(join(folder, "partner-0.json"), JSON.stringify({ ...partner, client_id: "sbx_elsewhere" })),
      "cut off": (partner) =>
        writeFile(join(folder, "partner-0.json"), JSON.stringify(partner).slice(0, -100)),
    };
    await prepare("--partners", "1");
    for (const [what, end] of Object.entries(ends)) {
      const partner = await read("0");
      await end(partner);
      assertEquals([what, ...await statuses("--partners", "1")], [what, "new", "kept"]);
      assertNotEquals((await read("0")).client_id, partner.client_id);
      await trades("0");
      assertEquals(await statuses("--partners", "1"), ["kept", "kept"]);
    }
    const { client_id } = await read("0");
    // Expect two folders that are left over. After two of the changes above, the partner's file no longer
    // names the partner, so `gold` could not find and delete the partner's old folder.
    const folders = (await readdir(folder)).filter((entry) => entry.startsWith("sbx_"));
    assertEquals([folders.includes(client_id), folders.length], [true, 4]);
  });

  it("funds only a partner that has less than half of the initial funds", async () => {
    await prepare("--partners", "2");
    const { sql } = operator.service.books;
    const { client_id } = await read("1");
    const [deposit] = await sql`
      select 'dep_' || id as id from gold.deposit_overview where public_id = ${client_id}`;
    await operator.done("deposit", "reverse", deposit!.id);
    const count = async () => itemsOf(await operator.done("deposit", "list")).length;
    const deposits = await count();
    const items = await prepare("--partners", "2");
    assertEquals(items.map(({ sar_available }) => sar_available), Array(3).fill("1000000000"));
    assertEquals(await count(), deposits + 1);
  });

  it("registers the addresses of --ip, in any order", async () => {
    const ips = ["--ip", "203.0.113.0/24", "--ip", "127.0.0.1"];
    await prepare("--partners", "1", ...ips);
    const shown = await operator.done("partner", "show", (await read("0")).client_id);
    assertEquals(shown.ips, ["127.0.0.1/32", "203.0.113.0/24"]);
    assertEquals(await statuses("--partners", "1", ...ips), ["kept", "kept"]);
    assertEquals(await statuses("--partners", "1"), ["new", "new"]);
  });

  it("is refused in production and under two people, and creates nothing", async () => {
    const { sql } = operator.service.books;
    for (
      const [environment, twoPeople, words] of [
        ["production", false, "it runs only in a sandbox"],
        ["sandbox", true, "run it in a sandbox with a single operator"],
      ] as const
    ) {
      await sql`update gold.deployment set environment = ${environment}, two_people = ${twoPeople}`;
      try {
        assertRefused(await run("--ca", serverCa, "--partners", "1"), 1, words);
        assertEquals(await readdir(folder), []);
      } finally {
        await sql`update gold.deployment set environment = 'sandbox', two_people = false`;
      }
    }
  });

  it("reports a missing or invalid option before it creates anything", async () => {
    const partners = async () => itemsOf(await operator.done("partner", "list")).length;
    const before = await partners();
    for (
      const [argv, words] of [
        [["--ca", serverCa], "--partners is missing"],
        [["--ca", serverCa, "--partners", "0"], "whole number from 1"],
        [["--ca", serverCa, "--partners", "1001"], "at most 1000"],
        [["--partners", "1"], "--ca is missing"],
        [["--partners", "1", "--ca", join(folder, "nowhere.pem")], "nowhere.pem"],
        [["--partners", "1", "--ca", serverCa, "--ip", "127.1"], "--ip must be an IP address"],
      ] as const
    ) assertRefused(await run(...argv), 2, words);
    const alone = await runGold(
      ["loadtest", "prepare", "--partners", "1", "--out", folder, "--ca", serverCa],
      {
        env: operator.env,
      },
    );
    assertRefused(alone, 2, "SECOND_DATABASE_URL is not set");
    assertEquals([await partners(), await readdir(folder)], [before, []]);
  });

  it("writes into the state folder that --state names, and tells where k6 finds the files", async () => {
    const state = operator.path("state");
    const run = await runGold(
      ["loadtest", "prepare", "--partners", "1", "--state", state, "--ca", serverCa],
      { env: { ...operator.env, SECOND_DATABASE_URL: operator.colleague.url } },
    );
    assertEquals(run.exit, 0, run.err);
    assert((await readdir(join(state, "loadtest"))).includes("partner-0.json"));
    assertStringIncludes(run.out, `-e PARTNERS_DIR=${join(state, "loadtest")}`);
    assertEquals(run.err.includes("IBAN"), false);
  });
});
