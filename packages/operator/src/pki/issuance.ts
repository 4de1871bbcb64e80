import "reflect-metadata";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PublicKey,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import type { Authority } from "./authority.ts";
import { type CertificateRecord, drawSerial, recordCertificate } from "./certificate.ts";
import type { CertificateRequest } from "./csr.ts";
import { PkiError } from "./errors.ts";
import { generateKeyPair } from "./key_pair.ts";
import { isSameText, type Subject, writeSubject } from "./subject.ts";
import { daysFrom, type Validity } from "./validity.ts";

export interface ClientIssuance {
  readonly csr: CertificateRequest;
  readonly authority: Authority;
  /** The partner's registered values. The request must have them, and the certificate will have them. */
  readonly clientId: string;
  readonly organization: string;
  readonly issuedAt: Date;
  readonly days?: number;
}

export interface ServerIssuance {
  readonly authority: Authority;
  /** Host names and IP addresses. The first one is the common name. */
  readonly names: readonly string[];
  readonly organization: string;
  readonly issuedAt: Date;
  readonly days?: number;
}

const YEAR_DAYS = 365;
const HOST_NAME = /^(?=.{1,64}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * Issues a partner's certificate for the request's key. The request must have the registered names. Anything
 * else in the request, such as extensions, is ignored.
 */
export async function issueClientCertificate(order: ClientIssuance): Promise<CertificateRecord> {
  const { csr, authority, clientId, organization, issuedAt, days = YEAR_DAYS } = order;
  checkRequestedSubject(csr.subject, { organization, commonName: clientId });
  return await issue(authority, daysFrom(issuedAt, days), {
    subject: { organization, commonName: clientId },
    publicKeySpki: csr.publicKeySpki,
    purpose: ExtendedKeyUsage.clientAuth,
    extensions: [],
  });
}

/** Issues a server's certificate with a new key. For development and tests only. */
export async function issueServerCertificate(
  order: ServerIssuance,
): Promise<CertificateRecord & { readonly privateKeyPem: string }> {
  const { authority, names, organization, issuedAt, days = YEAR_DAYS } = order;
  const [commonName = "", ...others] = names;
  const alternatives = [commonName, ...others].map(readServerName);
  const { publicKeySpki, privateKeyPem } = await generateKeyPair();
  const certificate = await issue(authority, daysFrom(issuedAt, days), {
    subject: { organization, commonName },
    publicKeySpki,
    purpose: ExtendedKeyUsage.serverAuth,
    extensions: [new SubjectAlternativeNameExtension(alternatives)],
  });
  return { ...certificate, privateKeyPem };
}

interface Leaf {
  readonly subject: Subject;
  readonly publicKeySpki: Uint8Array<ArrayBuffer>;
  readonly purpose: ExtendedKeyUsage;
  readonly extensions: readonly Extension[];
}

async function issue(authority: Authority, wanted: Validity, leaf: Leaf): Promise<CertificateRecord> {
  const publicKey = new PublicKey(leaf.publicKeySpki);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: drawSerial(),
    subject: writeSubject(leaf.subject),
    issuer: authority.name,
    ...nestValidity(wanted, authority.validity),
    publicKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([leaf.purpose]),
      ...leaf.extensions,
      await SubjectKeyIdentifierExtension.create(publicKey, false, crypto),
      new AuthorityKeyIdentifierExtension(authority.keyId),
    ],
    ...authority.signing,
  }, authority.signing.provider);
  return await recordCertificate(certificate);
}

/**
 * Returns the certificate's validity. Refuses an end after the authority's end instead of moving it, because
 * a partner plans its renewal by the promised end. An earlier start than the authority's becomes the
 * authority's start.
 */
function nestValidity(wanted: Validity, authority: Validity): Validity {
  if (wanted.notAfter > authority.notAfter) {
    throw new PkiError(
      "authority_validity_exceeded",
      `The certificate would be valid until ${wanted.notAfter.toISOString()}, but its authority expires at ${authority.notAfter.toISOString()}. Rotate the CA first (gold key rotate ca).`,
    );
  }
  if (wanted.notAfter <= authority.notBefore) {
    throw new PkiError(
      "authority_validity_exceeded",
      `The certificate would expire before its authority becomes valid at ${authority.notBefore.toISOString()}. Check the clock.`,
    );
  }
  const notBefore = wanted.notBefore < authority.notBefore ? authority.notBefore : wanted.notBefore;
  return { notBefore, notAfter: wanted.notAfter };
}

function checkRequestedSubject(requested: Subject, registered: Subject): void {
  if (!isSameText(requested.commonName, registered.commonName)) {
    throw new PkiError(
      "csr_client_id_mismatch",
      `The request's CN is ${JSON.stringify(requested.commonName)}, but the certificate is for ${
        JSON.stringify(registered.commonName)
      }. Check that the file is this partner's; the CN must be its client_id.`,
    );
  }
  if (!isSameText(requested.organization, registered.organization)) {
    throw new PkiError(
      "csr_organization_mismatch",
      `The request's O is ${JSON.stringify(requested.organization)}, but the partner is registered as ${
        JSON.stringify(registered.organization)
      }. Make the request with the registered name, letter for letter (openssl needs -utf8 for letters beyond ASCII), or correct the registration.`,
    );
  }
}

function readServerName(name: string): { type: "dns" | "ip"; value: string } {
  if (isIP(name) !== 0) return { type: "ip", value: name };
  if (HOST_NAME.test(name)) return { type: "dns", value: name };
  throw new PkiError(
    "server_name_invalid",
    `${
      JSON.stringify(name)
    } is neither an IP address nor a lower-case host name of at most 64 characters. Give names such as localhost, 127.0.0.1 or ::1, without scheme, port or brackets.`,
  );
}
