import { after, before, describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { NEW_P256, openFolder, type OpensslFolder } from "../../pki/openssl_folder.ts";
import { itemsOf, type TestOperator, testOperator } from "../fixture.ts";

describe("gold ca, cert and key rotate ca, checked with openssl", () => {
  let operator: TestOperator;
  let openssl: OpensslFolder;
  let clientId: string;
  before(async () => {
    [operator, openssl] = [await testOperator(), await openFolder()];
    clientId = operator.service.partner.clientId;
  });
  after(async () => {
    await openssl.remove();
    await operator.stop();
  });

  /** Issues a certificate for a new request that openssl made. */
  async function issue(name: string): Promise<string> {
    const written = `-keyout ${name}.key -out ${name}.csr`;
    const made = await openssl.run(
      `req -new -utf8 -nodes ${NEW_P256} -sha256 ${written} -subj`,
      `/O=Test Bank/CN=${clientId}`,
    );
    assertEquals(made.status, 0, made.output);
    const files = ["--csr", openssl.path(`${name}.csr`), "--out", openssl.path(`${name}.pem`)];
    return (await operator.done("cert", "issue", clientId, ...files)).fingerprint as string;
  }

  /** Writes the CA bundle and the revocation lists to files, with the same content that the proxy gets. */
  async function trust(): Promise<void> {
    await openssl.keep("bundle.pem", (await operator.done("ca", "show")).certificates as string);
    await operator.done("cert", "crl", "--out", openssl.path("lists.pem"));
  }
  const verify = (name: string) =>
    openssl.run(
      `verify -x509_strict -purpose sslclient -crl_check -CAfile bundle.pem -CRLfile lists.pem ${name}.pem`,
    );

  it("openssl accepts a certificate with the empty first CRL, and refuses it after revocation", async () => {
    await operator.done("ca", "init", "--key", openssl.path("ca.key"));
    const revoked = await issue("revoked");
    await issue("kept");
    await trust();
    for (const name of ["revoked", "kept"]) {
      const { status, output } = await verify(name);
      assertEquals(status, 0, output);
    }
    await operator.done("cert", "revoke", revoked, "--reason", "key_compromise");
    await trust();
    const outcome = await verify("revoked");
    assertEquals(outcome.status, 2);
    assertStringIncludes(outcome.output, "certificate revoked");
    assertEquals((await verify("kept")).status, 0);
    const read = await openssl.run("crl -in lists.pem -CAfile bundle.pem -noout -text");
    for (const words of ["verify OK", "Key Compromise", "Version 2"]) {
      assertStringIncludes(read.output, words);
    }
  });

  it("openssl works as a signing command, and accepts two CAs side by side with one CRL each", async () => {
    for (
      const words of ["ecparam -name prime256v1 -genkey -noout -out", "ec -pubout -out house_public.pem -in"]
    ) {
      assertEquals((await openssl.run(`${words} house.key`)).status, 0);
    }
    const command = `/usr/bin/env openssl dgst -sha256 -sign ${openssl.path("house.key")}`;
    await operator.done("key rotate ca --command", command, "--public-key", openssl.path("house_public.pem"));
    const next = await issue("next");
    await issue("other");
    await trust();
    for (const name of ["kept", "next", "other"]) {
      const { status, output } = await verify(name);
      assertEquals(status, 0, `${name}: ${output}`);
    }
    assertEquals((await verify("revoked")).status, 2);
    await operator.done("cert", "revoke", next);
    await trust();
    const outcomes = await Promise.all(["kept", "next", "other", "revoked"].map(verify));
    assertEquals(outcomes.map(({ status }) => status), [0, 2, 0, 2]);
  });

  it("openssl refuses the certificates of a retired CA", async () => {
    const [older] = itemsOf(await operator.done("ca", "list"));
    await operator.done("ca", "retire", older!.fingerprint as string);
    await trust();
    const outcomes = await Promise.all(["kept", "other"].map(verify));
    assertEquals(outcomes.map(({ status }) => status), [2, 0]);
    assertStringIncludes(outcomes[0]!.output, "unable to get local issuer certificate");
  });
});
