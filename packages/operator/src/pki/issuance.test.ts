import "reflect-metadata";
import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "node:test";
import { SubjectAlternativeNameExtension } from "@peculiar/x509";
import { certificateFingerprint, readCertificate } from "./certificate.ts";
import { readCsr } from "./csr.ts";
import { PkiError } from "./errors.ts";
import { type ClientIssuance, issueClientCertificate, issueServerCertificate } from "./issuance.ts";
import { CLIENT_ID, ISSUED_AT, makeAuthority, makeRequest, ORGANIZATION, refusalCode } from "./samples.ts";

async function prepare(years = 5): Promise<ClientIssuance & { authorityPem: string }> {
  const { authority, certificatePem } = await makeAuthority(years);
  const csr = await readCsr((await makeRequest()).pem);
  const issuedAt = ISSUED_AT;
  return {
    csr,
    authority,
    clientId: CLIENT_ID,
    organization: ORGANIZATION,
    issuedAt,
    authorityPem: certificatePem,
  };
}

describe("issueClientCertificate()", () => {
  it("returns a certificate for the request's key and the registered names, for one year", async () => {
    const order = await prepare();
    const issued = await issueClientCertificate(order);
    const certificate = new X509Certificate(issued.pem);
    const authority = new X509Certificate(order.authorityPem);
    assert(certificate.verify(authority.publicKey) && certificate.checkIssued(authority) && !certificate.ca);
    const spki = certificate.publicKey.export({ type: "spki", format: "der" });
    assertEquals(new Uint8Array(spki), order.csr.publicKeySpki);
    assertEquals(issued.notBefore, new Date("2026-03-01T08:55:00Z"));
    assertEquals(issued.notAfter, new Date("2027-03-01T09:00:00Z"));
    assertEquals(new Date(certificate.validTo), issued.notAfter);
    assertEquals(issued.serial, certificate.serialNumber.toLowerCase());
    assertMatch(issued.serial, /^[4-7][0-9a-f]{39}$/);
    assertEquals(issued.fingerprint, createHash("sha256").update(certificate.raw).digest("hex"));
    assertEquals(issued.spkiSha256, createHash("sha256").update(spki).digest("hex"));
    assertEquals(readCertificate(issued.pem).subjectName.toJSON(), [{ O: [ORGANIZATION] }, {
      CN: [CLIENT_ID],
    }]);
  });

  it("writes exactly the extensions of a client certificate, with the CA's key identifier", async () => {
    const order = await prepare();
    const certificate = readCertificate((await issueClientCertificate(order)).pem);
    const extensions = Array.from(certificate.extensions, ({ type, critical, value }) => ({
      type,
      critical,
      value: [...new Uint8Array(value)].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
    }));
    const keyId = readCertificate(order.authorityPem).extensions.at(2)?.value ?? new ArrayBuffer(0);
    const authorityKeyId = [...new Uint8Array(keyId).slice(2)].map((byte) =>
      byte.toString(16).padStart(2, "0")
    ).join("");
    assertEquals(extensions.slice(0, 3), [
      { type: "2.5.29.19", critical: true, value: "3000" },
      { type: "2.5.29.15", critical: true, value: "03020780" },
      { type: "2.5.29.37", critical: false, value: "300a06082b06010505070302" },
    ]);
    assertEquals(extensions.slice(3).map(({ type }) => type), ["2.5.29.14", "2.5.29.35"]);
    assertEquals(extensions[4]?.value, `30168014${authorityKeyId}`);
  });

  it("rejects a request whose CN or O differs from the registration, and names both values", async () => {
    const order = await prepare();
    const attempts: [Partial<ClientIssuance>, string, string][] = [
      [{ clientId: "sbx_other" }, "csr_client_id_mismatch", "sbx_other"],
      [{ clientId: CLIENT_ID.toUpperCase() }, "csr_client_id_mismatch", "SBX_EXAMPLE"],
      [{ organization: "Other Bank" }, "csr_organization_mismatch", "Other Bank"],
      [{ organization: `${ORGANIZATION} ` }, "csr_organization_mismatch", "-utf8"],
    ];
    for (const [changed, code, quoted] of attempts) {
      const error = await issueClientCertificate({ ...order, ...changed }).catch((reason: unknown) => reason);
      assert(error instanceof PkiError, String(error));
      assertEquals(error.code, code);
      assertStringIncludes(error.message, quoted);
    }
  });

  it("treats composed and decomposed letters as equal, and writes the composed form", async () => {
    const order = await prepare();
    const [composed, decomposed] = ["Crédit", "Cre\u0301dit"];
    const { pem } = await makeRequest({
      name: [{ O: [{ utf8String: decomposed }] }, { CN: [{ utf8String: CLIENT_ID }] }],
    });
    const issued = await issueClientCertificate({
      ...order,
      csr: await readCsr(pem),
      organization: decomposed,
    });
    assertEquals(readCertificate(issued.pem).subjectName.getField("O"), [composed]);
  });

  it("rejects a certificate that would end after the CA's certificate", async () => {
    const order = await prepare(1);
    assertEquals(await refusalCode(() => issueClientCertificate({ ...order, days: 365 })), "accepted");
    assertEquals(
      await refusalCode(() => issueClientCertificate({ ...order, days: 366 })),
      "authority_validity_exceeded",
    );
    const later = new Date(ISSUED_AT.getTime() + 1000);
    const late = { ...order, issuedAt: later };
    assertEquals(await refusalCode(() => issueClientCertificate(late)), "authority_validity_exceeded");
  });

  it("starts no certificate before the CA's own, and rejects one that would end before that", async () => {
    const order = await prepare();
    const { notBefore } = order.authority.validity;
    const issued = await issueClientCertificate({ ...order, issuedAt: notBefore });
    assertEquals(issued.notBefore, notBefore);
    const early = { ...order, issuedAt: new Date("2020-01-01T00:00:00Z") };
    assertEquals(await refusalCode(() => issueClientCertificate(early)), "authority_validity_exceeded");
  });
});

describe("issueServerCertificate()", () => {
  it("creates a key and a certificate for a server's host names and IP addresses", async () => {
    const { authority, certificatePem } = await makeAuthority();
    const names = ["localhost", "127.0.0.1", "::1"];
    const issued = await issueServerCertificate({
      authority,
      names,
      organization: "Gold House",
      issuedAt: ISSUED_AT,
    });
    const certificate = new X509Certificate(issued.pem);
    assert(certificate.verify(new X509Certificate(certificatePem).publicKey));
    assert(certificate.checkPrivateKey(createPrivateKey(issued.privateKeyPem)));
    const alternatives = readCertificate(issued.pem).getExtension(SubjectAlternativeNameExtension)?.names
      .toJSON();
    assertEquals(alternatives, [
      { type: "dns", value: "localhost" },
      { type: "ip", value: "127.0.0.1" },
      { type: "ip", value: "::1" },
    ]);
    assertEquals(certificate.subject, "O=Gold House\nCN=localhost");
    const purpose = readCertificate(issued.pem).getExtension("2.5.29.37");
    assertEquals(new Uint8Array(purpose?.value ?? new ArrayBuffer(0)).at(-1), 1);
  });

  it("rejects a name that is not a host name or IP address, and an empty list of names", async () => {
    const { authority } = await makeAuthority();
    const order = { authority, organization: "Gold House", issuedAt: ISSUED_AT };
    const wrong = [
      "",
      "https://localhost",
      "localhost:8443",
      "[::1]",
      "LOCALHOST",
      "a..b",
      "-a",
      "*.x",
      "ذهب",
    ];
    for (const names of [[], ...wrong.map((name) => ["localhost", name])]) {
      const code = await refusalCode(() => issueServerCertificate({ ...order, names }));
      assertEquals(code, "server_name_invalid", names.join());
    }
  });
});

describe("certificateFingerprint()", () => {
  it("returns the same hash for DER, for PEM, and for PEM with text around it", async () => {
    const { certificatePem } = await makeAuthority();
    const der = new X509Certificate(certificatePem).raw;
    const expected = createHash("sha256").update(der).digest("hex");
    for (const form of [certificatePem, new Uint8Array(der), `Subject: someone\n${certificatePem}\n`]) {
      assertEquals(await certificateFingerprint(form), expected);
    }
  });

  it("rejects DER with one byte more or less", async () => {
    const { certificatePem } = await makeAuthority();
    const der = new Uint8Array(new X509Certificate(certificatePem).raw);
    for (const changed of [Uint8Array.of(...der, 0), der.slice(0, -1), new Uint8Array()]) {
      assertEquals(await refusalCode(() => certificateFingerprint(changed)), "certificate_malformed");
    }
  });
});
