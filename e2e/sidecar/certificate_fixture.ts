import "reflect-metadata";
import { createHash, webcrypto } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as x509 from "@peculiar/x509";
import type { Caller, Certificate } from "../contract/caller_fixture.ts";
import type { Stack } from "../contract/stack_fixture.ts";

/** Makes certificates that `gold` never issues, signed by any key that an attacker could have. */

type KeyKind = "P-256" | "P-384" | "RSA";

interface Wish {
  readonly subject?: string;
  readonly beginsSeconds?: number;
  readonly endsSeconds?: number;
  /** The purposes in the extended key usage. An empty list leaves the extension out. */
  readonly purposes?: readonly string[];
  readonly key?: KeyKind;
  readonly isAuthority?: boolean;
}

export interface Forged extends Certificate {
  readonly serial: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Signs with the certificate's key, even if the certificate does not allow that. */
  readonly signer: Signer;
}

export interface Signer {
  readonly name: x509.Name;
  readonly key: webcrypto.CryptoKey;
}

const ECDSA_SHA256 = { name: "ECDSA", hash: "SHA-256" };
const RSA_SHA256 = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 2048,
  publicExponent: Uint8Array.of(1, 0, 1),
};

/** Returns a signer with the operator's own CA key. It signs as a thief of that key would. */
export async function stackSigner({ running: { state }, operator }: Stack): Promise<Signer> {
  const { certificates } = await operator("ca show") as { certificates: string };
  const key = x509.PemConverter.decodeFirst(await readFile(state.path("pki", "partner_ca_key.pem"), "utf8"));
  return {
    name: new x509.X509Certificate(certificates).subjectName,
    key: await webcrypto.subtle.importKey("pkcs8", key, { name: "ECDSA", namedCurve: "P-256" }, false, [
      "sign",
    ]),
  };
}

/** Returns a signer with a new CA key and the given name. */
export async function foreignSigner(name: string | x509.Name): Promise<Signer> {
  const { privateKey } = await newKeys("P-256");
  return { name: typeof name === "string" ? new x509.Name(name) : name, key: privateKey };
}

/** Issues a certificate. Without a signer it is self-signed. */
export async function certify(signer: Signer | undefined, wish: Wish = {}): Promise<Forged> {
  const { subject = "O=Example Bank, CN=sbx_forged", key = "P-256" } = wish;
  const { beginsSeconds = -60, endsSeconds = 3600 } = wish;
  const { purposes = [x509.ExtendedKeyUsage.clientAuth], isAuthority = false } = wish;
  const keys = await newKeys(key);
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: signer?.name ?? subject,
    publicKey: keys.publicKey,
    signingKey: signer?.key ?? keys.privateKey,
    signingAlgorithm: ECDSA_SHA256,
    notBefore: new Date(Date.now() + beginsSeconds * 1000),
    notAfter: new Date(Date.now() + endsSeconds * 1000),
    extensions: [
      new x509.BasicConstraintsExtension(isAuthority, undefined, true),
      new x509.KeyUsagesExtension(
        isAuthority ? x509.KeyUsageFlags.keyCertSign : x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      ...(purposes.length > 0 ? [new x509.ExtendedKeyUsageExtension([...purposes])] : []),
    ],
  });
  const { notBefore, notAfter, serialNumber: serial } = certificate;
  return {
    cert: certificate.toString("pem"),
    key: x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY"),
    serial,
    notBefore,
    notAfter,
    signer: { name: certificate.subjectName, key: keys.privateKey },
  };
}

/** Registers a certificate that `gold cert issue` would not sign. A superuser adds its row. */
export async function register(stack: Stack, { credentials }: Caller, forged: Forged): Promise<void> {
  const { serial, notBefore, notAfter } = forged;
  await stack.sql`
    insert into gold.certificate (fingerprint, partner_id, serial, not_before, not_after)
    select ${fingerprintOf(forged)}, id, ${serial}, ${notBefore}::timestamptz, ${notAfter}::timestamptz
    from gold.partner where public_id = ${credentials.client_id}`;
  await stack.adopt();
}

/** Returns the certificate that the partner was onboarded with. */
export async function certificateOf({ credentials }: Caller): Promise<Certificate> {
  return { cert: await readFile(credentials.cert, "utf8"), key: await readFile(credentials.key, "utf8") };
}

/** Returns the certificate's SHA-256 in hexadecimal, as Envoy forwards it. */
export const fingerprintOf = ({ cert }: Certificate): string =>
  createHash("sha256").update(new Uint8Array(x509.PemConverter.decodeFirst(cert))).digest("hex");

async function newKeys(kind: KeyKind): Promise<webcrypto.CryptoKeyPair> {
  const algorithm = kind === "RSA" ? RSA_SHA256 : { name: "ECDSA", namedCurve: kind };
  return await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as webcrypto.CryptoKeyPair;
}
