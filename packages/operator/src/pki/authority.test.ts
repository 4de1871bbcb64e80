import "reflect-metadata";
import {
  BasicConstraintsExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PublicKey,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { X509Certificate } from "node:crypto";
import { certifyAuthority, openAuthority } from "./authority.ts";
import { type AuthorityKey, readAuthorityKey } from "./authority_key.ts";
import { readCertificate } from "./certificate.ts";
import { readCsr } from "./csr.ts";
import { issueClientCertificate, issueServerCertificate } from "./issuance.ts";
import { generateKeyPair } from "./key_pair.ts";
import { writePem } from "./pem.ts";
import { CLIENT_ID, ISSUED_AT, makeAuthority, makeRequest, ORGANIZATION, refusalCode } from "./samples.ts";

describe("authority", () => {
  it("createAuthority() makes a self-signed CA that signs certificates and CRLs, but not CAs", async () => {
    const { certificatePem } = await makeAuthority();
    const certificate = new X509Certificate(certificatePem);
    assert(
      certificate.ca && certificate.verify(certificate.publicKey) && certificate.checkIssued(certificate),
    );
    assertEquals(certificate.subject, "O=بيت الذهب\nCN=Sample CA");
    assertEquals(new Date(certificate.validFrom), new Date("2026-03-01T08:55:00Z"));
    assertEquals(new Date(certificate.validTo), new Date("2031-03-01T09:00:00Z"));
    const extensions = readCertificate(certificatePem).extensions.map(({ type, critical, value }) =>
      [type, critical, new Uint8Array(value)] as const
    );
    // CA:TRUE with path length 0; keyCertSign and cRLSign.
    assertEquals(extensions[0], ["2.5.29.19", true, Uint8Array.of(0x30, 6, 1, 1, 0xff, 2, 1, 0)]);
    assertEquals(extensions[1], ["2.5.29.15", true, Uint8Array.of(3, 2, 1, 6)]);
    assertEquals(extensions[2]?.slice(0, 2), ["2.5.29.14", false]);
    assertEquals(extensions.length, 3);
  });

  it("createAuthority() draws a different positive 20-byte serial for each certificate", async () => {
    const { certificatePem: one } = await makeAuthority();
    const { certificatePem: other } = await makeAuthority();
    const serials = [one, other].map((pem) => readCertificate(pem).serialNumber);
    for (const serial of serials) assertMatch(serial, /^[4-7][0-9a-f]{39}$/);
    assertNotEquals(serials[0], serials[1]);
  });

  it("createAuthority() writes an end date after 2049 that X.509 readers parse", async () => {
    const { certificatePem } = await makeAuthority(30);
    assertEquals(new Date(new X509Certificate(certificatePem).validTo), new Date("2056-03-01T09:00:00Z"));
  });

  it("certifyAuthority() certifies a public key without access to the private key", async () => {
    const { publicKeySpki, privateKeyPem } = await generateKeyPair();
    const order = { commonName: "HSM CA", organization: "Gold House", issuedAt: ISSUED_AT, years: 5 };
    const key = await readAuthorityKey(privateKeyPem);
    const publicKeyPem = writePem("PUBLIC KEY", publicKeySpki);
    const certificate = new X509Certificate(await certifyAuthority({ ...order, publicKeyPem, key }));
    assert(certificate.verify(certificate.publicKey));
    assertEquals(
      await refusalCode(() => certifyAuthority({ ...order, publicKeyPem: privateKeyPem, key })),
      "authority_key_invalid",
    );
    const { publicKeySpki: foreign } = await generateKeyPair();
    assertEquals(
      await refusalCode(() =>
        certifyAuthority({ ...order, publicKeyPem: writePem("PUBLIC KEY", foreign), key })
      ),
      "authority_signature_invalid",
    );
  });

  it("issueClientCertificate() fails if the CA's key does not match or signs other bytes", async () => {
    const { certificatePem, privateKeyPem } = await makeAuthority();
    const { privateKeyPem: foreign } = await makeAuthority();
    const own = await readAuthorityKey(privateKeyPem);
    const keys: AuthorityKey[] = [
      await readAuthorityKey(foreign),
      { sign: async (tbs) => await own.sign(tbs.slice(1)) },
      { sign: async (tbs) => (await own.sign(tbs)).slice(1) },
      { sign: async () => new Uint8Array(64) },
    ];
    const csr = await readCsr((await makeRequest()).pem);
    for (const key of keys) {
      const authority = await openAuthority(certificatePem, key);
      const order = { csr, authority, clientId: CLIENT_ID, organization: ORGANIZATION, issuedAt: ISSUED_AT };
      assertEquals(await refusalCode(() => issueClientCertificate(order)), "authority_signature_invalid");
    }
  });

  it("openAuthority() rejects a certificate that may not sign, and malformed text", async () => {
    const { authority, certificatePem, privateKeyPem } = await makeAuthority();
    const key = await readAuthorityKey(privateKeyPem);
    const names = ["localhost"];
    const leaf = await issueServerCertificate({
      authority,
      names,
      organization: "Gold House",
      issuedAt: ISSUED_AT,
    });
    assertEquals(await refusalCode(() => openAuthority(leaf.pem, key)), "authority_certificate_invalid");
    for (
      const text of [
        "",
        certificatePem + certificatePem,
        privateKeyPem,
        writePem("CERTIFICATE", new Uint8Array(9)),
      ]
    ) {
      assertEquals(await refusalCode(() => openAuthority(text, key)), "certificate_malformed");
    }
  });

  it("openAuthority() requires CA:TRUE, both key usages and a key identifier", async () => {
    const { publicKeySpki, privateKey, privateKeyPem } = await generateKeyPair();
    const key = await readAuthorityKey(privateKeyPem);
    const publicKey = new PublicKey(publicKeySpki);
    const both = KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign;
    const keyId = await SubjectKeyIdentifierExtension.create(publicKey, false, crypto);
    const attempts: [string, boolean, KeyUsageFlags, Extension[]][] = [
      ["accepted", true, both, [keyId]],
      ["authority_certificate_invalid", false, both, [keyId]],
      ["authority_certificate_invalid", true, KeyUsageFlags.keyCertSign, [keyId]],
      ["authority_certificate_invalid", true, KeyUsageFlags.cRLSign, [keyId]],
      ["authority_certificate_invalid", true, both, []],
    ];
    for (const [code, isAuthority, usages, others] of attempts) {
      const certificate = await X509CertificateGenerator.create({
        serialNumber: "01",
        subject: "CN=CA",
        issuer: "CN=CA",
        publicKey,
        signingKey: privateKey,
        extensions: [new BasicConstraintsExtension(isAuthority), new KeyUsagesExtension(usages), ...others],
      });
      assertEquals(await refusalCode(() => openAuthority(certificate.toString("pem"), key)), code);
    }
  });

  it("certifyAuthority() rejects a key that is not on P-256", async () => {
    const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, true, [
      "sign",
      "verify",
    ]);
    const spki = new Uint8Array(await crypto.subtle.exportKey("spki", keys.publicKey));
    const { privateKeyPem } = await generateKeyPair();
    const order = { commonName: "CA", organization: "Gold House", issuedAt: ISSUED_AT, years: 5 };
    const key = await readAuthorityKey(privateKeyPem);
    const publicKeyPem = writePem("PUBLIC KEY", spki);
    assertEquals(
      await refusalCode(() => certifyAuthority({ ...order, publicKeyPem, key })),
      "authority_certificate_invalid",
    );
  });

  it("certifyAuthority() rejects an organization name that a certificate request cannot hold", async () => {
    const { publicKeySpki, privateKeyPem } = await generateKeyPair();
    const key = await readAuthorityKey(privateKeyPem);
    const publicKeyPem = writePem("PUBLIC KEY", publicKeySpki);
    for (const organization of ["", "x".repeat(65), " padded", "two\nlines", "\ud800"]) {
      const order = { commonName: "CA", organization, issuedAt: ISSUED_AT, years: 5, publicKeyPem, key };
      assertEquals(await refusalCode(() => certifyAuthority(order)), "subject_invalid", organization);
    }
    const longest = {
      commonName: "CA",
      organization: "ذ".repeat(64),
      issuedAt: ISSUED_AT,
      years: 5,
      publicKeyPem,
      key,
    };
    assertEquals(await refusalCode(() => certifyAuthority(longest)), "accepted");
  });
});
