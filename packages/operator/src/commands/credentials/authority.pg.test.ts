import { after, before, describe, it } from "node:test";
import "reflect-metadata";
import { Name, Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import type { webcrypto } from "node:crypto";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { basename } from "node:path";
import { createAuthority } from "../../pki/authority.ts";
import { certificateFingerprint, readCertificate } from "../../pki/certificate.ts";
import { EC_P256, ECDSA_SHA256 } from "../../pki/key_pair.ts";
import { writePem } from "../../pki/pem.ts";
import { runGold } from "../../gold_fixture.ts";
import { keepRequest, listOf, registryVersion } from "./authority_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

describe("gold ca and cert", () => {
  let operator: TestOperator;
  before(async () => void (operator = await testOperator()));
  after(() => operator.stop());

  const requestOf = (clientId: string) => keepRequest(operator, clientId);
  /**
   * Adds an authority that was made `days` days ago and is valid for two years from then. It is now the
   * newest authority, so it signs new certificates.
   */
  async function addAgedAuthority(days: number) {
    const { certificatePem, privateKeyPem } = await createAuthority({
      commonName: "Aged",
      organization: "Test",
      issuedAt: new Date(Date.now() - days * 86_400_000),
      years: 2,
    });
    const file = await operator.write(`aged_${days}.pem`, privateKeyPem);
    const fingerprint = await certificateFingerprint(certificatePem);
    await operator.service.books
      .sql`select gold.add_authority(false, ${fingerprint}, ${certificatePem}, null, 'none', now())`;
    await operator.keys.record(`ca:${fingerprint}`, `file:${file}`);
  }
  const issue = async (id: string, csr: string, out = "client.pem") =>
    await operator.gold("cert", "issue", id, "--csr", csr, "--out", operator.path(out), "--json");

  it("cert issue is refused before ca init", async () => {
    const { clientId } = operator.service.partner;
    refused(await issue(clientId, await requestOf(clientId)), 1, "gold ca init");
  });

  it("ca init writes the key only to its file, and never overwrites an existing file", async () => {
    const { certificate, key_file } = await operator.done("ca", "init", "--key", operator.path("ca_key.pem"));
    assertStringIncludes(certificate as string, "BEGIN CERTIFICATE");
    assertStringIncludes(await operator.read("ca_key.pem"), "PRIVATE KEY");
    assertEquals(key_file, operator.path("ca_key.pem"));
    const again = await operator.gold("ca", "init", "--key", operator.path("ca_key.pem"));
    assertEquals([again.exit === 0, again.problem.detail.includes("ca_key.pem")], [false, true]);
    const [row] = await operator.service.books.sql`select certificate as pem from gold.authority`;
    assertEquals(row!.pem, certificate);
    const shown = await operator.done("ca", "show");
    assertEquals(shown, { certificates: certificate, key_source: `file:${key_file}` });
  });

  it("ca init creates the first, empty revocation list, which is valid for 90 days", async () => {
    const [authority] = itemsOf(await operator.done("ca", "list"));
    const { list, number, nextAt, serials } = await listOf(operator, authority!.fingerprint as string);
    assertEquals([number, serials, list.nextUpdate], [1, [], nextAt]);
    assert(list.thisUpdate < new Date(), "thisUpdate must be in the past");
    assertEquals(Math.round((nextAt.getTime() - Date.now()) / 86_400_000), 90);
    const certificate = readCertificate((await operator.done("ca", "show")).certificates as string);
    assert(await list.verify({ publicKey: certificate.publicKey }));
  });

  it("a second ca init is refused, leaves no key file and names key rotate ca", async () => {
    const version = await registryVersion(operator);
    refused(await operator.gold("ca", "init", "--key", operator.path("second.pem")), 1, "gold key rotate ca");
    const [known, before] = [operator.path("ca_key.pem"), await operator.read("ca_key.pem")];
    refused(await operator.gold("key rotate ca --key", known), 2, "This file may be the key of an authority");
    assertEquals(await operator.read("ca_key.pem"), before);
    await assertRejects(() => operator.read("second.pem"), Error, "ENOENT");
    assertEquals(itemsOf(await operator.done("ca", "list")).length, 1);
    assertEquals(await registryVersion(operator), version);
    const named = Object.keys(JSON.parse(await operator.read("gold_keys.json")) as object);
    assertEquals(named.filter((name) => name.startsWith("ca:")).length, 1);
  });

  it("cert issue registers a certificate that works at once, and cert revoke ends it at once", async () => {
    const { service } = operator;
    const { clientId } = service.partner;
    const csr = await requestOf(clientId);
    const { exit, json } = await issue(clientId, csr);
    assertEquals(exit, 0);
    const fingerprint = json.fingerprint as string;
    const enter = () =>
      service.send("/health", {
        method: "GET",
        headers: { Authorization: null, "X-Forwarded-Client-Cert": `Hash=${fingerprint}` },
      });
    assertEquals((await enter()).status, 200);
    const [listed] = itemsOf(await operator.done("cert", "list", clientId)).filter((one) =>
      one.fingerprint === fingerprint
    );
    assertEquals(listed!.status, "active");
    refused(await operator.gold("cert", "list", "sbx_nobody"), 1, "There is no partner sbx_nobody");
    assertEquals((await operator.done("cert", "revoke", fingerprint)).client_id, clientId);
    await service.refresh();
    assertEquals((await enter()).status, 403);
    refused(await operator.gold("cert", "revoke", fingerprint, "--yes"), 1, "revoked already");
    refused(await operator.gold("cert", "revoke", "00", "--yes"), 1, "There is no certificate");
  });

  it("cert issue rejects an unknown partner, an invalid file and another partner's request", async () => {
    const { clientId } = operator.service.partner;
    const csr = await requestOf(clientId);
    refused(await issue("sbx_aaaaaaaaaaaaaaaaaaaa", csr), 1, "There is no partner");
    refused(await issue(clientId, operator.path("nowhere.csr")), 2, "nowhere.csr");
    refused(await operator.gold("cert", "issue", clientId, "--csr", csr), 2, "--out");
    assertEquals((await issue(clientId, await operator.write("garbage.csr", "hello"))).exit, 1);
    refused(await issue(clientId, await requestOf("sbx_aaaaaaaaaaaaaaaaaaaa")), 1, clientId);
  });

  it("cert issue refuses a key that is in any partner's certificate, even in a revoked one", async () => {
    const { clientId } = operator.service.partner;
    const { pem, keys } = await requestAndKeys(clientId);
    const csr = await operator.write("once.csr", pem);
    const { json } = await issue(clientId, csr, "once.pem");
    refused(await issue(clientId, csr, "twice.pem"), 1, `already in certificate ${json.fingerprint}`);
    const other = await operator.service.addPartner();
    const theirs = await operator.write("theirs.csr", (await requestAndKeys(other.clientId, keys)).pem);
    refused(await issue(other.clientId, theirs, "theirs.pem"), 1, `in a certificate of ${clientId}`);
    await operator.done("cert", "revoke", json.fingerprint as string);
    for (const [id, request] of [[clientId, csr], [other.clientId, theirs]] as const) {
      refused(await issue(id, request, "again.pem"), 1, "a revoked key cannot be certified again");
    }
    await assertRejects(() => operator.read("again.pem"), Error, "ENOENT");
  });

  it("only one of two concurrent cert issue commands certifies a key", async () => {
    const { clientId } = operator.service.partner;
    const csr = await requestOf(clientId);
    const outs = ["left.pem", "right.pem"].map((name) => operator.path(name));
    const runs = await Promise.all(
      [operator, operator.colleague].map((person, index) =>
        person.gold("cert", "issue", clientId, "--csr", csr, "--out", outs[index]!, "--json")
      ),
    );
    assertEquals(runs.map(({ exit }) => exit).sort(), [0, 1]);
  });

  it("cert issue refuses an authority that expires within a year, and warns 60 days earlier", async () => {
    const { clientId } = operator.service.partner;
    const csr = await requestOf(clientId);
    await addAgedAuthority(370);
    refused(await issue(clientId, csr, "late.pem"), 1, "gold key rotate ca");
    await addAgedAuthority(360);
    const { json } = await issue(clientId, csr, "late.pem");
    assertStringIncludes(json.warning as string, "gold key rotate ca");
  });

  it("cert issue and key rotate ca use the database's clock, not the caller's clock", async () => {
    const { clientId } = operator.service.partner;
    const aWeekAhead = {
      env: operator.env,
      now: () => new Date(Date.now() + 7 * 86_400_000),
    };
    const run = (...words: string[]) => runGold([...words, "--json"], aWeekAhead);
    const made = await run("key", "rotate", "ca", "--key", operator.path("ahead_key.pem"));
    assert(readCertificate(made.json.certificate as string).notBefore < new Date());
    const out = operator.path("ahead.pem");
    const { exit } = await run("cert", "issue", clientId, "--csr", await requestOf(clientId), "--out", out);
    assertEquals(exit, 0);
    assert(readCertificate(await operator.read("ahead.pem")).notBefore < new Date());
  });

  it("key rotate ca rejects a validity of less than two years", async () => {
    const rotate = (years: string) =>
      operator.gold("key", "rotate", "ca", "--key", operator.path("short_key.pem"), "--years", years);
    refused(await rotate("1"), 2, "--years must be at least 2");
    await assertRejects(() => operator.read("short_key.pem"), Error, "ENOENT");
    assertEquals((await rotate("2")).exit, 0);
  });

  it("cert issue resolves file names relative to the folder of the caller", async () => {
    const { clientId } = operator.service.partner;
    const csr = await requestOf(clientId);
    const env = { ...operator.env, INIT_CWD: operator.path("") };
    const argv = ["cert issue", clientId, "--csr", basename(csr), "--out", "here.pem", "--json"];
    const run = await runGold(argv, { env });
    assertEquals([run.exit, run.json.file], [0, operator.path("here.pem")]);
    assertStringIncludes(await operator.read("here.pem"), "BEGIN CERTIFICATE");
  });

  it("cert issue keeps and names the certificate's draft file if the connection is lost", async () => {
    const { clientId } = operator.service.partner;
    const { sql } = operator.service.books;
    const csr = await requestOf(clientId);
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`select from gold.deployment for update`;
    const run = issue(clientId, csr, "cut.pem");
    for (let waits = false; !waits; await new Promise((resolve) => setTimeout(resolve, 20))) {
      const rows = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity where usename = ${operator.login} and wait_event_type = 'Lock'`;
      waits = rows.length > 0;
    }
    await holder`rollback`;
    holder.release();
    const lost = await run;
    refused(lost, 3, "may or may not have been made");
    const kept = / is in (\S+): /.exec(lost.problem.detail)![1]!;
    assertStringIncludes(await operator.read(basename(kept)), "BEGIN CERTIFICATE");
    assertEquals((await issue(clientId, csr, "again.pem")).exit, 0);
    refused(await issue(clientId, csr, "twice.pem"), 1, "name and a number");
  });

  it("cert issue registers no certificate if its file cannot be written", async () => {
    const { clientId } = operator.service.partner;
    const registered = async () => itemsOf(await operator.done("cert", "list", clientId)).length;
    const known = await registered();
    refused(await issue(clientId, await requestOf(clientId), "nowhere/client.pem"), 2, "nowhere/client.pem");
    await operator.write("taken.pem", "mine");
    refused(await issue(clientId, await requestOf(clientId), "taken.pem"), 2, "exists");
    assertEquals(await operator.read("taken.pem"), "mine");
    assertEquals(await registered(), known);
  });
});

/** Makes a request with new keys, or with the keys of an earlier request. */
async function requestAndKeys(clientId: string, earlier?: webcrypto.CryptoKeyPair) {
  const keys = earlier ?? await crypto.subtle.generateKey(EC_P256, true, ["sign", "verify"]);
  const csr = await Pkcs10CertificateRequestGenerator.create({
    name: new Name([{ O: ["Test Bank"] }, { CN: [clientId] }]),
    keys,
    signingAlgorithm: ECDSA_SHA256,
  });
  return { pem: writePem("CERTIFICATE REQUEST", new Uint8Array(csr.rawData)), keys };
}
