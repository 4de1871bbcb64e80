import { after, before, describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { makeRequest } from "../pki/samples.ts";
import { runGold } from "../gold_trial.ts";
import { assertRefused as refused, itemsOf, type TrialOperator, trialOperator } from "./trial.ts";

describe("gold ca and cert", () => {
  let operator: TrialOperator;
  before(async () => void (operator = await trialOperator()));
  after(() => operator.stop());

  const requestOf = async (clientId: string) =>
    await operator.write(
      "request.csr",
      (await makeRequest({ name: [{ O: ["Trial Bank"] }, { CN: [clientId] }] })).pem,
    );
  const issue = async (id: string, csr: string, out = "client.pem") =>
    await operator.gold("cert", "issue", id, "--csr", csr, "--out", operator.path(out), "--json");

  it("cert issue needs an authority first", async () => {
    const { clientId } = operator.service.partner;
    refused(await issue(clientId, await requestOf(clientId)), 1, "gold ca init");
  });

  it("ca init writes the key to its file alone, and never over a file that is there", async () => {
    const { certificate, key_file } = await operator.done("ca", "init", "--key", operator.path("ca_key.pem"));
    assertStringIncludes(certificate as string, "BEGIN CERTIFICATE");
    assertStringIncludes(await operator.read("ca_key.pem"), "PRIVATE KEY");
    assertEquals(key_file, operator.path("ca_key.pem"));
    const again = await operator.gold("ca", "init", "--key", operator.path("ca_key.pem"));
    assertEquals([again.exit === 0, again.problem.detail.includes("ca_key.pem")], [false, true]);
    const [row] = await operator.service.books.sql`select authority_certificates as pem from gold.deployment_overview`;
    assertEquals(row!.pem, certificate);
  });

  it("cert issue registers a certificate that gets in at once, cert revoke ends it at once", async () => {
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
    refused(await operator.gold("cert", "revoke", "00", "--yes"), 1, "there is no certificate");
  });

  it("cert issue refuses an unknown partner, a file that is no request, and another partner's request", async () => {
    const { clientId } = operator.service.partner;
    const csr = await requestOf(clientId);
    refused(await issue("sbx_aaaaaaaaaaaaaaaaaaaa", csr), 1, "There is no partner");
    refused(await issue(clientId, operator.path("nowhere.csr")), 2, "nowhere.csr");
    refused(await operator.gold("cert", "issue", clientId, "--csr", csr), 2, "--out");
    assertEquals((await issue(clientId, await operator.write("garbage.csr", "hello"))).exit, 1);
    refused(await issue(clientId, await requestOf("sbx_aaaaaaaaaaaaaaaaaaaa")), 1, clientId);
  });

  it("takes a file's name as the person means it who called from another folder", async () => {
    const { clientId } = operator.service.partner;
    await requestOf(clientId);
    const env = { DATABASE_URL: operator.url, INIT_CWD: operator.path("") };
    const run = await runGold([
      "cert",
      "issue",
      clientId,
      "--csr",
      "request.csr",
      "--out",
      "here.pem",
      "--json",
    ], { env });
    assertEquals([run.exit, run.json.file], [0, operator.path("here.pem")]);
    assertStringIncludes(await operator.read("here.pem"), "BEGIN CERTIFICATE");
  });

  it("cert issue registers nothing that it could not write down", async () => {
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
