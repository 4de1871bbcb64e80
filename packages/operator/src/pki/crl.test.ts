import "reflect-metadata";
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { X509Crl } from "@peculiar/x509";
import { type CrlOrder, issueCrl } from "./crl.ts";
import { readCertificate } from "./certificate.ts";
import { readPemBlocks } from "./pem.ts";
import { makeAuthority, refusalCode } from "./samples.ts";

const THIS_UPDATE = new Date("2026-04-01T00:00:00.500Z");
const NEXT_UPDATE = new Date("2026-04-08T00:00:00Z");
const REVOKED_AT = new Date("2026-03-31T12:00:00Z");

async function prepare(): Promise<CrlOrder & { certificatePem: string }> {
  const { authority, certificatePem } = await makeAuthority();
  return {
    authority,
    revoked: [],
    number: 1,
    thisUpdate: THIS_UPDATE,
    nextUpdate: NEXT_UPDATE,
    certificatePem,
  };
}

const hex = (value: ArrayBuffer | undefined): string =>
  [...new Uint8Array(value ?? new ArrayBuffer(0))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

describe("issueCrl()", () => {
  it("lists the revoked serials with their dates and reasons, signed by the authority", async () => {
    const order = await prepare();
    const revoked = [
      { serial: `41${"0".repeat(38)}`, revokedAt: REVOKED_AT },
      { serial: `7f${"a".repeat(38)}`, revokedAt: THIS_UPDATE, reason: "key_compromise" },
      { serial: `40${"b".repeat(38)}`, revokedAt: REVOKED_AT, reason: "privilege_withdrawn" },
    ] as const;
    const crl = new X509Crl(await issueCrl({ ...order, revoked, number: 300 }));
    assert(await crl.verify({ publicKey: readCertificate(order.certificatePem).publicKey }));
    assertEquals(crl.version, 1);
    assertEquals(crl.issuer, readCertificate(order.certificatePem).subject);
    assertEquals(crl.thisUpdate, new Date("2026-04-01T00:00:00Z"));
    assertEquals(crl.nextUpdate, NEXT_UPDATE);
    assertEquals(crl.entries.map(({ serialNumber }) => serialNumber), revoked.map(({ serial }) => serial));
    assertEquals(crl.entries.map(({ reason }) => reason), [0, 1, 9]);
    assertEquals(crl.entries[0]?.revocationDate, REVOKED_AT);
    assertEquals(hex(crl.getExtension("2.5.29.20")?.value), "0202012c");
    assertEquals(hex(crl.getExtension("2.5.29.35")?.value), `30168014${order.authority.keyId}`);
  });

  it("issues a list without entries", async () => {
    const pem = await issueCrl(await prepare());
    assertEquals(new X509Crl(pem).entries, []);
    assertEquals(readPemBlocks(pem).map(({ label }) => label), ["X509 CRL"]);
  });

  it("rejects an invalid number, update time, serial or revocation time, or a duplicate serial", async () => {
    const order = await prepare();
    const entry = { serial: "41aa", revokedAt: REVOKED_AT };
    const wrong: Partial<CrlOrder>[] = [
      { nextUpdate: THIS_UPDATE },
      { nextUpdate: new Date(Number.NaN) },
      { number: 0 },
      { number: 1.5 },
      { number: 2 ** 53 },
      { revoked: [entry, entry] },
      { revoked: [{ ...entry, serial: "41AA" }] },
      { revoked: [{ ...entry, serial: "" }] },
      { revoked: [{ ...entry, serial: "4".repeat(41) }] },
      { revoked: [{ ...entry, revokedAt: NEXT_UPDATE }] },
      { revoked: [{ ...entry, revokedAt: new Date(Number.NaN) }] },
    ];
    for (const changed of wrong) {
      assertEquals(
        await refusalCode(() => issueCrl({ ...order, ...changed })),
        "crl_invalid",
        JSON.stringify(changed),
      );
    }
  });
});
