import "reflect-metadata";
import type { webcrypto } from "node:crypto";
import { Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import { ECDSA_SHA256 } from "./key_pair.ts";
import { type Subject, writeSubject } from "./subject.ts";

/**
 * Makes a certificate request, as openssl would. `npm start`, `gold loadtest prepare`, the end-to-end tests
 * and the proofs use it for the partners that they create.
 */
export async function writeCsr(
  { publicKey, privateKey }: Pick<webcrypto.CryptoKeyPair, "publicKey" | "privateKey">,
  subject: Subject,
): Promise<string> {
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: writeSubject(subject),
    keys: { publicKey, privateKey },
    signingAlgorithm: ECDSA_SHA256,
  });
  return request.toString("pem");
}
