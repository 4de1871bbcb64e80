import "reflect-metadata";
import type { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type Name,
  PublicKey,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { type AuthorityKey, readAuthorityKey } from "./authority_key.ts";
import { drawSerial, readCertificate } from "./certificate.ts";
import { PkiError } from "./errors.ts";
import { ECDSA_SHA256, generateKeyPair, importPublicKey } from "./key_pair.ts";
import { readPemBlocks, writePem } from "./pem.ts";
import { writeSubject } from "./subject.ts";
import { type Validity, yearsFrom } from "./validity.ts";

/** One environment's certificate authority, ready to sign. */
export interface Authority {
  readonly name: Name;
  /** The subject key identifier in hex. Every certificate and revocation list refers to it. */
  readonly keyId: string;
  readonly validity: Validity;
  readonly signing: Signing;
}

/**
 * The arguments of the generators of @peculiar/x509. `signingKey` is the public key, which only names the
 * algorithm. `provider` signs.
 */
interface Signing {
  readonly signingKey: webcrypto.CryptoKey;
  readonly signingAlgorithm: typeof ECDSA_SHA256;
  readonly provider: webcrypto.Crypto;
}

export interface NewAuthority {
  readonly commonName: string;
  readonly organization: string;
  readonly issuedAt: Date;
  readonly years: number;
}

const CA_KEY_USAGE = KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign;

/** Makes a new key and its self-signed certificate, for a key that is kept in a file. */
export async function createAuthority(
  authority: NewAuthority,
): Promise<{ certificatePem: string; privateKeyPem: string }> {
  const { publicKeySpki, privateKeyPem } = await generateKeyPair();
  const key = await readAuthorityKey(privateKeyPem);
  const publicKeyPem = writePem("PUBLIC KEY", publicKeySpki);
  return { certificatePem: await certifyAuthority({ ...authority, publicKeyPem, key }), privateKeyPem };
}

/** Makes the self-signed certificate for an existing key behind a signing command. */
export async function certifyAuthority(
  authority: NewAuthority & { readonly publicKeyPem: string; readonly key: AuthorityKey },
): Promise<string> {
  const [block] = readPemBlocks(authority.publicKeyPem);
  if (block?.label !== "PUBLIC KEY") {
    throw new PkiError(
      "authority_key_invalid",
      'The CA\'s public key must be a PEM block "PUBLIC KEY". Export it: openssl pkey -pubout.',
    );
  }
  const signing = await connectKey(block.der, authority.key);
  const publicKey = new PublicKey(block.der);
  const name = writeSubject(authority);
  const extensions: Extension[] = [
    // Path length 0: the authority signs certificates of partners and servers, never another authority.
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(CA_KEY_USAGE, true),
    await SubjectKeyIdentifierExtension.create(publicKey, false, crypto),
  ];
  const certificate = await X509CertificateGenerator.create({
    serialNumber: drawSerial(),
    subject: name,
    issuer: name,
    ...yearsFrom(authority.issuedAt, authority.years),
    publicKey,
    extensions,
    ...signing,
  }, signing.provider);
  return writePem("CERTIFICATE", new Uint8Array(certificate.rawData));
}

/**
 * Combines the CA's certificate with the CA's key. Every signature is verified with the certificate, so a key
 * that does not belong to the certificate is refused when it signs.
 */
export async function openAuthority(certificatePem: string, key: AuthorityKey): Promise<Authority> {
  const certificate = readCertificate(certificatePem);
  const keyId = certificate.getExtension(SubjectKeyIdentifierExtension)?.keyId;
  if (keyId === undefined || !maySign(certificate)) {
    throw new PkiError(
      "authority_certificate_invalid",
      `The certificate of "${certificate.subject}" may not sign certificates and revocation lists: it needs CA:TRUE, the key usages keyCertSign and cRLSign, and a subject key identifier. Give the CA's own certificate, as gold ca init printed it.`,
    );
  }
  return {
    name: certificate.subjectName,
    keyId,
    validity: { notBefore: certificate.notBefore, notAfter: certificate.notAfter },
    signing: await connectKey(new Uint8Array(certificate.publicKey.rawData), key),
  };
}

function maySign(certificate: X509Certificate): boolean {
  const usages = certificate.getExtension(KeyUsagesExtension)?.usages ?? 0;
  return certificate.getExtension(BasicConstraintsExtension)?.ca === true &&
    (usages & CA_KEY_USAGE) === CA_KEY_USAGE;
}

async function connectKey(publicKeySpki: Uint8Array<ArrayBuffer>, key: AuthorityKey): Promise<Signing> {
  const publicKey = await importPublicKey(publicKeySpki);
  if (publicKey === null) {
    throw new PkiError(
      "authority_certificate_invalid",
      "The CA's public key is not an EC key on P-256 (prime256v1) with a named curve. Make a CA with such a key: gold ca init.",
    );
  }
  const sign = async (_algorithm: unknown, _key: unknown, tbs: ArrayBuffer): Promise<ArrayBuffer> => {
    const bytes = new Uint8Array(tbs);
    const signature = await key.sign(bytes);
    // Verify each signature. A wrong key signs without an error. Without this check, the fault would only
    // show when a partner is refused.
    if (await crypto.subtle.verify(ECDSA_SHA256, publicKey, signature, bytes)) return signature.buffer;
    throw new PkiError(
      "authority_signature_invalid",
      "The CA's key made a signature that the CA's certificate does not verify; nothing was issued. The key belongs to another certificate, or the signing command signed something other than the bytes it was given. Check where the CA key and certificate are configured.",
    );
  };
  // Only `sign` is needed, because the generators use nothing else of the provider.
  const provider = { subtle: { sign } } as unknown as webcrypto.Crypto;
  return { signingKey: publicKey, signingAlgorithm: ECDSA_SHA256, provider };
}
