import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Authority, openAuthority } from "./authority.ts";
import { readAuthorityKey, useSigningCommand } from "./authority_key.ts";
import type { CertificateRecord } from "./certificate.ts";
import { issueCrl } from "./crl.ts";
import { readCsr } from "./csr.ts";
import { issueClientCertificate, issueServerCertificate } from "./issuance.ts";
import { NEW_P256, openFolder, type OpensslFolder, requestBy } from "./openssl_folder.ts";
import { CLIENT_ID, ISSUED_AT, makeAuthority, makeRequest, ORGANIZATION, refusalCode } from "./samples.ts";

const AT_TIME = String(Math.floor(ISSUED_AT.getTime() / 1000) + 60);
const SERVER_NAMES = ["localhost", "127.0.0.1", "::1"];

async function issueClient(authority: Authority, pem?: string): Promise<CertificateRecord> {
  const csr = await readCsr(pem ?? (await makeRequest()).pem);
  return await issueClientCertificate({
    csr,
    authority,
    clientId: CLIENT_ID,
    organization: ORGANIZATION,
    issuedAt: ISSUED_AT,
  });
}

let openssl: OpensslFolder;

describe("certificate issuance, checked with openssl", () => {
  before(async () => {
    openssl = await openFolder();
  });

  after(async () => {
    await openssl.remove();
  });

  it("certifies openssl's P-256 request; openssl accepts the certificate for clients only", async () => {
    const { authority, certificatePem } = await makeAuthority();
    const issued = await issueClient(authority, await requestBy(openssl, NEW_P256));
    await openssl.keep("ca.pem", certificatePem);
    await openssl.keep("client.pem", issued.pem);
    const verify = `verify -x509_strict -check_ss_sig -attime ${AT_TIME} -CAfile ca.pem`;
    const asClient = await openssl.run(`${verify} -purpose sslclient client.pem`);
    assertEquals(asClient.status, 0, asClient.output);
    const asServer = await openssl.run(`${verify} -purpose sslserver client.pem`);
    assertEquals(asServer.status, 2, asServer.output);
    const names = "-noout -subject -nameopt utf8,sep_multiline,-esc_msb,lname";
    const { output } = await openssl.run(`x509 -in client.pem ${names}`);
    assertStringIncludes(output, `organizationName=${ORGANIZATION}\n`);
    assertStringIncludes(output, `commonName=${CLIENT_ID}\n`);
  });

  it("issues a server certificate that openssl accepts only for its names, and not for clients", async () => {
    const { authority, certificatePem } = await makeAuthority();
    const organization = "Gold House";
    const issued = await issueServerCertificate({
      authority,
      names: SERVER_NAMES,
      organization,
      issuedAt: ISSUED_AT,
    });
    await openssl.keep("ca.pem", certificatePem);
    await openssl.keep("server.pem", issued.pem);
    const verify = async (purpose: string) =>
      (await openssl.run(
        `verify -x509_strict -attime ${AT_TIME} -CAfile ca.pem -purpose ${purpose} server.pem`,
      )).status;
    for (const name of ["-verify_hostname localhost", "-verify_ip 127.0.0.1", "-verify_ip ::1"]) {
      assertEquals(await verify(`sslserver ${name}`), 0, name);
    }
    assertEquals(await verify("sslserver -verify_hostname gold.example"), 2);
    assertEquals(await verify("sslclient"), 2);
    await openssl.keep("server.key", issued.privateKeyPem);
    const [certified, kept] = [
      await openssl.run("x509 -in server.pem -noout -pubkey"),
      await openssl.run("pkey -in server.key -pubout"),
    ];
    assertEquals(certified, kept);
  });

  it("records what openssl reads: fingerprint, serial, and one year from 5 minutes before the issue", async () => {
    const { authority } = await makeAuthority();
    const issued = await issueClient(authority);
    await openssl.keep("client.pem", issued.pem);
    const { output } = await openssl.run(
      "x509 -in client.pem -noout -fingerprint -sha256 -serial -dates -dateopt iso_8601",
    );
    const [fingerprint = "", serial = "", ...dates] = output.trimEnd().split("\n").map((line) =>
      line.split("=")[1] ?? ""
    );
    assertEquals(issued.fingerprint, fingerprint.replaceAll(":", "").toLowerCase());
    assertEquals(issued.serial, serial.toLowerCase());
    assertEquals(dates, ["2026-03-01 08:55:00Z", "2027-03-01 09:00:00Z"]);
    assertEquals(issued.notAfter, new Date(dates[1]!));
  });

  it("ignores the extensions that a request asks for", async () => {
    const { authority } = await makeAuthority();
    const wishes = [
      ...["basicConstraints=critical,CA:TRUE", "subjectAltName=DNS:gold.example"],
      ...["keyUsage=critical,keyCertSign,cRLSign", "nameConstraints=permitted;DNS:gold.example"],
      "extendedKeyUsage=serverAuth,codeSigning,anyExtendedKeyUsage",
    ].map((wish) => `-addext ${wish}`).join(" ");
    const issued = await issueClient(authority, await requestBy(openssl, `${NEW_P256} ${wishes}`));
    await openssl.keep("client.pem", issued.pem);
    const { output } = await openssl.run("x509 -in client.pem -noout -text");
    assertStringIncludes(output, "CA:FALSE");
    const granted = /CA:TRUE|gold\.example|Certificate Sign|CRL Sign|Server Auth|Code Sign|Any Ext/;
    assert(!granted.test(output), output);
    // The certificate has exactly these extensions.
    const extensions = output.slice(output.indexOf("X509v3 extensions")).match(/^ {12}\S.*$/gm)!;
    assertEquals(extensions.map((line) => line.trim()), [
      "X509v3 Basic Constraints: critical",
      "X509v3 Key Usage: critical",
      "X509v3 Extended Key Usage:",
      "X509v3 Subject Key Identifier:",
      "X509v3 Authority Key Identifier:",
    ]);
    for (const use of [/Digital Signature$/m, /TLS Web Client Authentication$/m]) {
      assert(use.test(output), output);
    }
  });

  it("signs for a CA that openssl made, with its key file and with openssl as the signing command", async () => {
    const options =
      "-nodes -keyout own.key -out own.pem -days 3650 -addext keyUsage=critical,keyCertSign,cRLSign";
    const made = await openssl.run(`req -x509 ${options} ${NEW_P256} -subj`, "/CN=Own CA");
    assertEquals(made.status, 0, made.output);
    const certificatePem = await openssl.read("own.pem");
    const keyPath = openssl.path("own.key");
    const keys = [
      await readAuthorityKey(await openssl.read("own.key")),
      useSigningCommand(["openssl", "dgst", "-sha256", "-sign", keyPath]),
    ];
    for (const key of keys) {
      const authority = await openAuthority(certificatePem, key);
      const csr = await readCsr((await makeRequest()).pem);
      // Date the certificate by the machine's clock, because openssl dates its CA and verifies the
      // certificate below by that clock.
      const order = { csr, authority, clientId: CLIENT_ID, organization: ORGANIZATION, issuedAt: new Date() };
      await openssl.keep("client.pem", (await issueClientCertificate(order)).pem);
      const verified = await openssl.run("verify -x509_strict -CAfile own.pem client.pem");
      assertEquals(verified.status, 0, verified.output);
    }
    const noKey = useSigningCommand(["openssl", "dgst", "-sha256", "-sign", openssl.path("missing.key")]);
    assertEquals(await refusalCode(() => noKey.sign(new Uint8Array(8))), "signing_command_failed");
    const wrongHash = useSigningCommand(["openssl", "dgst", "-sha384", "-sign", keyPath]);
    const authority = await openAuthority(certificatePem, wrongHash);
    const crl = { authority, revoked: [], number: 1, thisUpdate: ISSUED_AT, nextUpdate: new Date() };
    assertEquals(await refusalCode(() => issueCrl(crl)), "authority_signature_invalid");
  });
});
