/** Samples for the tests of this folder: an authority and a certificate signing request. */
import "reflect-metadata";
import type { webcrypto } from "node:crypto";
import { type JsonNameParams, Name, Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import { type Authority, createAuthority, openAuthority } from "./authority.ts";
import { readAuthorityKey } from "./authority_key.ts";
import { PkiError } from "./errors.ts";
import { EC_P256, ECDSA_SHA256 } from "./key_pair.ts";
import { writePem } from "./pem.ts";

export const ISSUED_AT = new Date("2026-03-01T09:00:00.750Z");
export const CLIENT_ID = "sbx_example";
export const ORGANIZATION = 'شركة "الذهب" + Sons, Co=Ltd\\;#<>';

export interface SampleRequest {
  readonly name?: JsonNameParams;
  readonly keyAlgorithm?: webcrypto.EcKeyGenParams | webcrypto.RsaHashedKeyGenParams;
  readonly signingAlgorithm?: { readonly name: string; readonly hash: string };
}

export async function makeRequest(
  sample: SampleRequest = {},
): Promise<{ pem: string; der: Uint8Array; privateKeyPem: string }> {
  const { keyAlgorithm = EC_P256, signingAlgorithm = ECDSA_SHA256 } = sample;
  const name = sample.name ?? [{ O: [{ utf8String: ORGANIZATION }] }, { CN: [{ utf8String: CLIENT_ID }] }];
  const keys = await crypto.subtle.generateKey(keyAlgorithm, true, ["sign", "verify"]);
  const csr = await Pkcs10CertificateRequestGenerator.create({
    name: new Name(name),
    keys,
    signingAlgorithm,
  });
  const der = new Uint8Array(csr.rawData);
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  return { pem: writePem("CERTIFICATE REQUEST", der), der, privateKeyPem: writePem("PRIVATE KEY", pkcs8) };
}

export async function makeAuthority(
  years = 5,
  issuedAt = ISSUED_AT,
): Promise<{ authority: Authority; certificatePem: string; privateKeyPem: string }> {
  const created = await createAuthority({
    commonName: "Sample CA",
    organization: "بيت الذهب",
    issuedAt,
    years,
  });
  return {
    authority: await openAuthority(created.certificatePem, await readAuthorityKey(created.privateKeyPem)),
    ...created,
  };
}

/** Returns the code of a refusal. Any other error is rethrown, so that the test shows its message. */
export async function refusalCode(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof PkiError) return error.code;
    throw error;
  }
  return "accepted";
}
