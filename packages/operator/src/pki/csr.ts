import "reflect-metadata";
import { Pkcs10CertificateRequest } from "@peculiar/x509";
import { encodeElement, encodeSequence, equalBytes, findContent, readEcdsaSignature } from "./der.ts";
import { PkiError } from "./errors.ts";
import { ECDSA_SHA256, importPublicKey } from "./key_pair.ts";
import { readPemBlocks } from "./pem.ts";
import { readSubject, type Subject } from "./subject.ts";

declare const verified: unique symbol;

/** A request whose sender has proved that it holds the key. Only readCsr() makes one. */
export interface CertificateRequest {
  readonly [verified]: true;
  /** The subject as requested. It is compared with the registered one and never copied. */
  readonly subject: Subject;
  readonly publicKeySpki: Uint8Array<ArrayBuffer>;
}

interface Signed {
  readonly tbs: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
}

interface SignatureAlgorithm {
  readonly name: string;
  readonly hash?: { readonly name: string };
}

const TAG_BIT_STRING = 0x03;
const ECDSA_WITH_SHA256 = Uint8Array.of(
  0x30,
  0x0a,
  0x06,
  0x08,
  0x2a,
  0x86,
  0x48,
  0xce,
  0x3d,
  0x04,
  0x03,
  0x02,
);
// Windows' certreq and openssl's -newhdr write the second label.
const LABELS: readonly string[] = ["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"];
const HOW_TO = "openssl req -new -utf8 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -sha256";

/** Reads a PKCS#10 request: its key, its proof of possession and its subject. It ignores everything else. */
export async function readCsr(pem: string): Promise<CertificateRequest> {
  const der = readDer(pem);
  const csr = parseCsr(der);
  const publicKeySpki = new Uint8Array(csr.publicKey.rawData);
  const publicKey = await importPublicKey(publicKeySpki);
  if (publicKey === null) {
    throw new PkiError(
      "csr_key_unsupported",
      `The request's key is ${
        describeKey(csr)
      }; only EC on P-256 with a named curve and an uncompressed point is accepted. Make a new key and request: ${HOW_TO}.`,
    );
  }
  // Cast the algorithm. The library's type refers to the DOM's Algorithm, and this project's types do not
  // include the DOM.
  const { name, hash } = csr.signatureAlgorithm as unknown as SignatureAlgorithm;
  if (name !== "ECDSA" || hash?.name !== "SHA-256") {
    throw new PkiError(
      "csr_signature_unsupported",
      `The request is signed by ${name} with ${
        hash?.name ?? "no hash"
      }; only ECDSA with SHA-256 is accepted. Make it again: ${HOW_TO}.`,
    );
  }
  const signed = splitSigned(csr, der);
  if (signed === null || !await crypto.subtle.verify(ECDSA_SHA256, publicKey, signed.signature, signed.tbs)) {
    throw new PkiError(
      "csr_signature_invalid",
      "The request is not strict DER, or its signature does not verify with its own key: the file was changed, its tool wrote a non-standard encoding, or the sender does not hold the key. Ask the partner to make it again and to send the file unchanged.",
    );
  }
  const subject = readSubject(csr.subjectName);
  return { subject, publicKeySpki } as CertificateRequest;
}

function readDer(pem: string): Uint8Array<ArrayBuffer> {
  if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(pem)) {
    throw new PkiError(
      "csr_private_key_included",
      "The file holds a private key. A private key never leaves its owner: treat this one as exposed, have the partner make a new key, and send the request alone.",
    );
  }
  const requests = readPemBlocks(pem).filter(({ label }) => LABELS.includes(label));
  const [request] = requests;
  if (request !== undefined && requests.length === 1) return request.der;
  throw new PkiError(
    "csr_malformed",
    `The file holds ${requests.length} PEM blocks "CERTIFICATE REQUEST"; it must hold exactly one. Make it with: ${HOW_TO}.`,
  );
}

function parseCsr(der: Uint8Array<ArrayBuffer>): Pkcs10CertificateRequest {
  try {
    const csr = new Pkcs10CertificateRequest(der);
    // Read the key now, so that a malformed key is refused now. The library parses the key only when it is
    // first read.
    void csr.publicKey;
    return csr;
  } catch (cause) {
    throw new PkiError(
      "csr_malformed",
      `The PEM block is not a PKCS#10 certificate request. The file is truncated or holds something else. Make it again: ${HOW_TO}.`,
      { cause },
    );
  }
}

/**
 * Returns the signed bytes, and the signature as r‖s. Returns null if the outer structure or the signature is
 * not strict DER. Strict DER allows exactly one encoding, so the function builds the outer structure again
 * and compares the bytes. It does not check the content of `tbs`.
 */
function splitSigned(csr: Pkcs10CertificateRequest, der: Uint8Array<ArrayBuffer>): Signed | null {
  const signatureDer = new Uint8Array(csr.signature);
  const bits = encodeElement(TAG_BIT_STRING, Uint8Array.of(0), signatureDer);
  const tbs = der.slice(findContent(der) ?? 0, der.length - ECDSA_WITH_SHA256.length - bits.length);
  const signature = readEcdsaSignature(signatureDer);
  const isCanonical = equalBytes(encodeSequence(tbs, ECDSA_WITH_SHA256, bits), der);
  return isCanonical && signature !== null ? { tbs, signature } : null;
}

function describeKey(csr: Pkcs10CertificateRequest): string {
  const algorithm: { name: string; namedCurve?: string; modulusLength?: number } = csr.publicKey.algorithm;
  if (algorithm.modulusLength !== undefined) return `RSA with ${algorithm.modulusLength} bits`;
  if (algorithm.namedCurve !== undefined) {
    const odd = algorithm.namedCurve === "P-256"
      ? " whose point is compressed, hybrid or not on the curve"
      : "";
    return `EC on ${algorithm.namedCurve}${odd}`;
  }
  return algorithm.name === "1.2.840.10045.2.1" ? "EC with explicit parameters" : algorithm.name;
}
