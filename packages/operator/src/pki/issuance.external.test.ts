import { assert, assertEquals, assertStringIncludes } from "../../../../tools/testing/assert.ts";
import { after, before, describe, it } from "node:test";
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
    const issued = await issueClient(authority, await requestBy(openssl, ...NEW_P256));
    await openssl.keep("ca.pem", certificatePem);
    await openssl.keep("client.pem", issued.pem);
    const verify = ["verify", "-x509_strict", "-check_ss_sig", "-attime", AT_TIME, "-CAfile", "ca.pem"];
    const asClient = await openssl.run(...verify, "-purpose", "sslclient", "client.pem");
    assertEquals(asClient.status, 0, asClient.output);
    const asServer = await openssl.run(...verify, "-purpose", "sslserver", "client.pem");
    assertEquals(asServer.status, 2, asServer.output);
    const { output } = await openssl.run(
      "x509",
      "-in",
      "client.pem",
      "-noout",
      "-subject",
      "-nameopt",
      "utf8,sep_multiline,-esc_msb,lname",
    );
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
    const verify = ["verify", "-x509_strict", "-attime", AT_TIME, "-CAfile", "ca.pem", "-purpose"];
    for (
      const name of [["-verify_hostname", "localhost"], ["-verify_ip", "127.0.0.1"], ["-verify_ip", "::1"]]
    ) {
      assertEquals(
        (await openssl.run(...verify, "sslserver", ...name, "server.pem")).status,
        0,
        name.join(" "),
      );
    }
    assertEquals(
      (await openssl.run(...verify, "sslserver", "-verify_hostname", "gold.example", "server.pem")).status,
      2,
    );
    assertEquals((await openssl.run(...verify, "sslclient", "server.pem")).status, 2);
    await openssl.keep("server.key", issued.privateKeyPem);
    const [certified, kept] = [
      await openssl.run("x509", "-in", "server.pem", "-noout", "-pubkey"),
      await openssl.run("pkey", "-in", "server.key", "-pubout"),
    ];
    assertEquals(certified, kept);
  });

  it("records the fingerprint, serial and end date that openssl reads", async () => {
    const { authority } = await makeAuthority();
    const issued = await issueClient(authority);
    await openssl.keep("client.pem", issued.pem);
    const { output } = await openssl.run(
      "x509",
      "-in",
      "client.pem",
      "-noout",
      "-fingerprint",
      "-sha256",
      "-serial",
      "-enddate",
    );
    const [fingerprint = "", serial = "", notAfter = ""] = output.split("\n").map((line) =>
      line.split("=")[1] ?? ""
    );
    assertEquals(issued.fingerprint, fingerprint.replaceAll(":", "").toLowerCase());
    assertEquals(issued.serial, serial.toLowerCase());
    assertEquals(issued.notAfter, new Date(notAfter));
  });

  it("ignores the extensions that a request asks for", async () => {
    const { authority } = await makeAuthority();
    const wishes = [
      "-addext",
      "basicConstraints=critical,CA:TRUE",
      "-addext",
      "subjectAltName=DNS:gold.example",
      "-addext",
      "keyUsage=critical,keyCertSign,cRLSign",
      "-addext",
      "extendedKeyUsage=serverAuth,codeSigning,anyExtendedKeyUsage",
      "-addext",
      "nameConstraints=permitted;DNS:gold.example",
    ];
    const issued = await issueClient(authority, await requestBy(openssl, ...NEW_P256, ...wishes));
    await openssl.keep("client.pem", issued.pem);
    const { output } = await openssl.run("x509", "-in", "client.pem", "-noout", "-text");
    assertStringIncludes(output, "CA:FALSE");
    for (
      const wish of [
        "CA:TRUE",
        "gold.example",
        "Certificate Sign",
        "CRL Sign",
        "Server Auth",
        "Code Sign",
        "Any Ext",
      ]
    ) {
      assert(!output.includes(wish), output);
    }
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

  it("issues a certificate that is valid from 5 minutes before its issue for one year", async () => {
    const { authority } = await makeAuthority();
    await openssl.keep("client.pem", (await issueClient(authority)).pem);
    const { output } = await openssl.run(
      "x509",
      "-in",
      "client.pem",
      "-noout",
      "-dates",
      "-dateopt",
      "iso_8601",
    );
    assertEquals(output, "notBefore=2026-03-01 08:55:00Z\nnotAfter=2027-03-01 09:00:00Z\n");
  });

  it("issues a CRL with which openssl refuses the revoked certificate and accepts the other", async () => {
    const { authority, certificatePem } = await makeAuthority();
    const [revoked, kept] = [await issueClient(authority), await issueClient(authority)];
    const crl = await issueCrl({
      authority,
      revoked: [{ serial: revoked.serial, revokedAt: ISSUED_AT, reason: "key_compromise" }],
      number: 7,
      thisUpdate: ISSUED_AT,
      nextUpdate: new Date(ISSUED_AT.getTime() + 7 * 86_400_000),
    });
    await openssl.keep("ca.pem", certificatePem);
    await openssl.keep("crl.pem", crl);
    await openssl.keep("revoked.pem", revoked.pem);
    await openssl.keep("kept.pem", kept.pem);
    const read = await openssl.run("crl", "-in", "crl.pem", "-CAfile", "ca.pem", "-noout", "-text");
    assertStringIncludes(read.output, "verify OK");
    for (const text of ["Version 2", "Key Compromise", revoked.serial.toUpperCase()]) {
      assertStringIncludes(read.output, text);
    }
    const verify = [
      "verify",
      "-x509_strict",
      "-crl_check",
      "-attime",
      AT_TIME,
      "-CAfile",
      "ca.pem",
      "-CRLfile",
      "crl.pem",
    ];
    const outcome = await openssl.run(...verify, "revoked.pem");
    assertEquals(outcome.status, 2, outcome.output);
    assertStringIncludes(outcome.output, "certificate revoked");
    assertEquals((await openssl.run(...verify, "kept.pem")).status, 0);
    await openssl.keep("foreign.pem", (await makeAuthority()).certificatePem);
    const foreign = await openssl.run("crl", "-in", "crl.pem", "-CAfile", "foreign.pem", "-noout");
    assertStringIncludes(foreign.output, "verify failure");
  });

  it("signs for a CA that openssl made, with its key file and with openssl as the signing command", async () => {
    const options = [
      "-x509",
      "-nodes",
      "-keyout",
      "own.key",
      "-out",
      "own.pem",
      "-subj",
      "/CN=Own CA",
      "-days",
      "3650",
    ];
    const usages = ["-addext", "keyUsage=critical,keyCertSign,cRLSign"];
    assertEquals((await openssl.run("req", ...options, ...NEW_P256, ...usages)).status, 0);
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
      const verified = await openssl.run("verify", "-x509_strict", "-CAfile", "own.pem", "client.pem");
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
