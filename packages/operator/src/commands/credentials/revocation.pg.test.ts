import { testSerial } from "@gold-partner/server/testing";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { rename, stat } from "node:fs/promises";
import { after, before, beforeEach, describe, it } from "node:test";
import { runGold } from "../../gold_fixture.ts";
import { issueTo, listOf, registryVersion, serialOf } from "./authority_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

describe("gold cert revoke and cert crl", () => {
  let operator: TestOperator;
  let authority: string;
  let clientId: string;
  let number: number;
  before(async () => {
    operator = await testOperator();
    clientId = operator.service.partner.clientId;
    authority = (await operator.done("ca", "init", "--key", operator.path("ca_key.pem")))
      .fingerprint as string;
  });
  beforeEach(async () => void ({ number } = await listOf(operator, authority)));
  after(() => operator.stop());

  const crlIn90Days = () => Date.now() + 90 * 86_400_000;

  it("cert revoke adds the certificate to the CRL with its reason, and notifies the service", async () => {
    const [one, other] = [await issueTo(operator, clientId), await issueTo(operator, clientId)];
    const version = await registryVersion(operator);
    const done = await operator.done("cert", "revoke", one, "--reason", "key_compromise");
    assertEquals(done, {
      client_id: clientId,
      fingerprint: one,
      status: "revoked",
      revocation_list: "renewed",
    });
    assert(await registryVersion(operator) > version);
    // Give the fingerprint in openssl's format.
    await operator.done("cert", "revoke", other.toUpperCase().match(/../g)!.join(":"));
    const found = await listOf(operator, authority);
    assertEquals(found.number, number + 2);
    const reasons = new Map(found.list.entries.map((entry) => [entry.serialNumber, entry.reason]));
    assertEquals(
      [await serialOf(operator, one), await serialOf(operator, other)].map((one) => reasons.get(one)),
      [
        1,
        0,
      ],
    );
    const listed = itemsOf(await operator.done("cert", "list", clientId));
    assertEquals(
      [one, other].map((fingerprint) =>
        listed.find((each) => each.fingerprint === fingerprint)!.revocation_reason
      ),
      ["key_compromise", null],
    );
    const notes = itemsOf(await operator.done("audit", "list", "--limit", "4"));
    assertEquals(notes.map(({ action, subject }) => [action, subject]), [
      ["ca.revocation_list", authority],
      ["certificate.revoke", clientId],
      ["ca.revocation_list", authority],
      ["certificate.revoke", clientId],
    ]);
    assertEquals(JSON.parse(notes[3]!.detail as string), {
      fingerprint: one,
      reason: "key_compromise",
      mode: "single_operator",
    });
  });

  it("cert revoke rejects an unknown reason, and lists the valid reasons", async () => {
    const run = await operator.gold("cert", "revoke", "00", "--reason", "bored", "--yes");
    refused(run, 2, "key_compromise");
  });

  it("cert revoke asks, and says if the certificate was used in the last hour", async () => {
    const fingerprint = await issueTo(operator, clientId);
    const question = async () => {
      // Run the command with a wrong clock of the person, because only the database's clock counts.
      const now = () => new Date(Date.now() + 7_200_000);
      const run = await runGold(["cert revoke", fingerprint], { env: operator.env, yes: false, now });
      assertEquals([run.exit, run.problem.code], [1, "not_confirmed"]);
      return run.questions.join();
    };
    assertEquals(await question(), `Revoke ${fingerprint} of ${clientId}? This cannot be undone.`);
    const use = (minutes: number) =>
      operator.service.books.sql`
        update gold.certificate set last_used_at = clock_timestamp() - make_interval(mins => ${minutes}) where fingerprint = ${fingerprint} returning last_used_at`;
    const [recent] = await use(59);
    assertStringIncludes(
      await question(),
      `It is in use: it was last used at ${recent!.last_used_at.toISOString()}`,
    );
    await use(61);
    assert(!(await question()).includes("in use"));
    refused(await operator.gold("cert", "revoke", fingerprint), 2, "--yes");
    assertEquals((await listOf(operator, authority)).number, number);
  });

  it("cert revoke works without the authority's key, and cert crl renews the list later", async () => {
    const fingerprint = await issueTo(operator, clientId);
    await rename(operator.path("ca_key.pem"), operator.path("away.pem"));
    const run = await operator.gold("cert", "revoke", fingerprint, "--yes", "--json");
    assertEquals([run.exit, run.json.status, run.json.revocation_list], [0, "revoked", "not renewed"]);
    assertStringIncludes(run.json.warning as string, "`gold cert crl`");
    const second = await issueSealed();
    const revoked = await operator.gold("cert", "revoke", second, "--yes");
    assertStringIncludes(revoked.out, "ITS REVOCATION LIST WAS NOT RENEWED");
    const [row] = await operator.service.books
      .sql`select count(*)::int as n from gold.certificate where fingerprint in (${fingerprint}, ${second}) and revoked_at is not null`;
    assertEquals(row!.n, 2);
    assertEquals((await listOf(operator, authority)).number, number);
    refused(await operator.gold("cert", "crl"), 3, "1 of 1 revocation lists");
    await rename(operator.path("away.pem"), operator.path("ca_key.pem"));
    await operator.done("cert", "crl");
    const found = await listOf(operator, authority);
    assert(found.serials.includes(await serialOf(operator, fingerprint)));
    assertEquals(found.number, number + 1);
  });

  /** Adds a certificate under this authority without using the authority's key. */
  async function issueSealed(): Promise<string> {
    const fingerprint = crypto.randomUUID().replaceAll("-", "").repeat(2);
    await operator.service.books.sql`
      select gold.add_certificate(${clientId}, ${fingerprint}, ${
      testSerial(fingerprint)
    }, now(), now() + interval '1 day', ${authority}, ${fingerprint})`;
    return fingerprint;
  }

  it("cert crl renews the list for --days days, and replaces the --out file atomically", async () => {
    const out = await operator.write("crl.pem", "old");
    const version = await registryVersion(operator);
    const [renewed] = itemsOf(await operator.done("cert", "crl", "--out", out));
    const found = await listOf(operator, authority);
    assertEquals(renewed, {
      authority,
      number: number + 1,
      next_at: found.nextAt.toISOString(),
      revoked: found.serials.length,
    });
    assert(Math.abs(found.nextAt.getTime() - crlIn90Days()) < 60_000);
    assertEquals(await registryVersion(operator), version + 1);
    assertEquals(await operator.read("crl.pem"), found.pem);
    assertEquals((await stat(out)).mode & 0o777, 0o644);
    await operator.done("cert", "crl", "--days", "1");
    assertEquals(
      Math.round(((await listOf(operator, authority)).nextAt.getTime() - Date.now()) / 3_600_000),
      24,
    );
    assertEquals(await operator.read("crl.pem"), found.pem);
    refused(await operator.gold("cert", "crl", "--days", "366"), 2, "at most 365");
    refused(await operator.gold("cert", "crl", "--out", operator.path("nowhere/crl.pem")), 2, "nowhere");
  });

  it("a revocation list starts in the past, and no entry is later than the list", async () => {
    const { list } = await listOf(operator, authority);
    assert(list.thisUpdate.getTime() <= Date.now() - 5 * 60_000 + 1000);
    for (const { revocationDate } of list.entries) assert(revocationDate <= list.thisUpdate);
  });

  it("a revoked certificate stays on the list until one day after it expired", async () => {
    const [gone, recent] = [await issueSealed(), await issueSealed()];
    const { sql } = operator.service.books;
    await operator.done("cert", "revoke", gone);
    await operator.done("cert", "revoke", recent);
    const expire = (fingerprint: string, hours: number) =>
      sql`update gold.certificate set not_after = now() - make_interval(hours => ${hours}) where fingerprint = ${fingerprint}`;
    await expire(gone, 25);
    await expire(recent, 23);
    await operator.done("cert", "crl");
    const { serials } = await listOf(operator, authority);
    assertEquals([
      serials.includes(await serialOf(operator, gone)),
      serials.includes(await serialOf(operator, recent)),
    ], [
      false,
      true,
    ]);
  });

  it("a revoked certificate of an unknown authority is on every list", async () => {
    const { fingerprint } = await operator.service.addPartner();
    await operator.done("cert", "revoke", fingerprint);
    assert((await listOf(operator, authority)).serials.includes(await serialOf(operator, fingerprint)));
  });

  it("store_revocation_list() stores only the list with the next number", async () => {
    const { sql } = operator.service.books;
    const before = await listOf(operator, authority);
    const store = async (number: number) =>
      (await sql`select gold.store_revocation_list(${authority}, ${`${number}`}::text::bigint, 'list', now()) as stored`)[
        0
      ]!
        .stored;
    assertEquals([await store(before.number), await store(before.number + 2)], [false, false]);
    assertEquals((await listOf(operator, authority)).pem, before.pem);
  });
});

describe("gold cert crl without an authority", () => {
  it("names the command that creates an authority, and cert revoke still works", async () => {
    const operator = await testOperator();
    try {
      refused(await operator.gold("cert", "crl"), 1, "gold ca init");
      const { fingerprint } = operator.service.partner;
      assertEquals((await operator.done("cert", "revoke", fingerprint)).revocation_list, "none");
    } finally {
      await operator.stop();
    }
  });
});
