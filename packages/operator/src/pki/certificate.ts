import "reflect-metadata";
import { Buffer } from "node:buffer";
import { X509Certificate } from "@peculiar/x509";
import { findContent } from "./der.ts";
import { PkiError } from "./errors.ts";
import { readPemBlocks, writePem } from "./pem.ts";

/** The stored fields of a certificate. All hashes and the serial are lower-case hex. */
export interface CertificateRecord {
  readonly pem: string;
  /** SHA-256 of the DER, as Envoy forwards it. */
  readonly fingerprint: string;
  readonly serial: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** SHA-256 of the public key's DER. It shows that two certificates have the same key. */
  readonly spkiSha256: string;
}

const SERIAL_BYTES = 20;

/** Reads one certificate, from DER or from PEM text that holds exactly one. */
export function readCertificate(certificate: string | Uint8Array): X509Certificate {
  const der = typeof certificate === "string" ? readDer(certificate) : new Uint8Array(certificate);
  // Refuse bytes after the end. The parser ignores them, but the fingerprint would include them and name
  // another certificate.
  if (findContent(der) === null) throw malformed();
  try {
    return new X509Certificate(der);
  } catch (cause) {
    throw malformed(cause);
  }
}

/** Returns SHA-256 over the DER in lower-case hex. The whole service identifies certificates by it. */
export async function certificateFingerprint(certificate: string | Uint8Array): Promise<string> {
  return await sha256Hex(readCertificate(certificate).rawData);
}

export async function recordCertificate(certificate: X509Certificate): Promise<CertificateRecord> {
  return {
    pem: writePem("CERTIFICATE", new Uint8Array(certificate.rawData)),
    fingerprint: await sha256Hex(certificate.rawData),
    serial: certificate.serialNumber,
    notBefore: certificate.notBefore,
    notAfter: certificate.notAfter,
    spkiSha256: await sha256Hex(certificate.publicKey.rawData),
  };
}

/**
 * Draws 158 random bits in the 20 bytes that X.509 allows. Two fixed bits in the first byte keep the number
 * positive and its length constant.
 */
export function drawSerial(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SERIAL_BYTES));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString("hex");
}

function readDer(pem: string): Uint8Array<ArrayBuffer> {
  const blocks = readPemBlocks(pem).filter(({ label }) => label === "CERTIFICATE");
  const [block] = blocks;
  if (block !== undefined && blocks.length === 1) return block.der;
  throw new PkiError(
    "certificate_malformed",
    `The text holds ${blocks.length} PEM blocks "CERTIFICATE"; it must hold exactly one. Give the file of a single certificate, not a chain.`,
  );
}

function malformed(cause?: unknown): PkiError {
  return new PkiError(
    "certificate_malformed",
    "This is not an X.509 certificate. The file is truncated, has extra bytes or holds something else. Give the certificate as it was issued.",
    { cause },
  );
}

async function sha256Hex(bytes: ArrayBuffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}
