import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import {
  createAuthority,
  issueServerCertificate,
  openAuthority,
  readAuthorityKey,
} from "@gold-partner/operator";
import { recordPartnerCa } from "./key_file.ts";
import type { Operator } from "./operator.ts";
import { partnerCaKey, type State } from "./state.ts";

/**
 * The CA certificates, and the certificates of the gateway (`cert`, `key`) and the webhook receiver. All are
 * PEM.
 */
export interface Authorities extends ServerCertificate {
  /** Signs partners' certificates. */
  readonly partnerCa: string;
  /** Signs the certificates of the gateway and of a webhook receiver on this machine. */
  readonly serverCa: string;
  readonly receiver: ServerCertificate;
}

/** A certificate and its private key, as PEM. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

const ORGANIZATION = "Development";
const CA_YEARS = 10;
const SERVER_DAYS = 825;
const DAY_MS = 86_400_000;

/** Returns the partner CA and the server certificates. Creates what is missing. */
export async function ensureAuthorities(state: State, operator: Operator): Promise<Authorities> {
  return { partnerCa: await ensurePartnerCa(state, operator), ...await ensureServerCertificates(state) };
}

/**
 * Returns the partner CA's certificates. If the database has no CA, creates one with `gold ca init`, as an
 * operator does.
 */
export async function ensurePartnerCa(state: State, operator: Operator): Promise<string> {
  const { certificates } = await operator("ca show") as { certificates: string };
  if (certificates !== "") {
    await recordPartnerCa(state, certificates);
    return certificates;
  }
  // Remove the key that a killed start may have left, because `gold ca init` does not overwrite a key file.
  // No database has a certificate for that key.
  await rm(partnerCaKey(state), { force: true });
  const { certificate } = await operator("ca init --key", partnerCaKey(state));
  return certificate as string;
}

/**
 * Returns the certificates for servers on this machine. A separate CA signs them. Certificates of an earlier
 * start are reused if they match their key and their CA and are valid for at least one more day.
 */
export async function ensureServerCertificates(state: State): Promise<Omit<Authorities, "partnerCa">> {
  const file = (name: string) => state.path("pki", name);
  const read = (name: string) => readFile(file(name), "utf8").catch(() => "");
  const [serverCa, cert, key, receiverCert, receiverKey] = await Promise.all([
    read("ca.pem"),
    read("server.pem"),
    read("server_key.pem"),
    read("receiver.pem"),
    read("receiver_key.pem"),
  ]);
  if (fits(serverCa, cert, key) && fits(serverCa, receiverCert, receiverKey)) {
    return { serverCa, cert, key, receiver: { cert: receiverCert, key: receiverKey } };
  }
  const { ca, issue } = await newServerAuthority();
  const [server, receiver] = [await issue(), await issue()];
  await writeFile(file("ca.pem"), ca);
  await writeFile(file("server.pem"), server.cert);
  await state.writePrivate(file("server_key.pem"), server.key);
  await writeFile(file("receiver.pem"), receiver.cert);
  await state.writePrivate(file("receiver_key.pem"), receiver.key);
  return { serverCa: ca, ...server, receiver };
}

function fits(caPem: string, certPem: string, keyPem: string): boolean {
  try {
    const [ca, cert] = [new X509Certificate(caPem), new X509Certificate(certPem)];
    return cert.verify(ca.publicKey) && cert.checkPrivateKey(createPrivateKey(keyPem)) &&
      Date.parse(cert.validTo) > Date.now() + DAY_MS;
  } catch {
    return false;
  }
}

/**
 * Creates a CA for servers on this machine. Its private key is not stored, so nothing can be signed with it
 * later.
 */
export async function newServerAuthority(): Promise<
  { readonly ca: string; issue(): Promise<ServerCertificate> }
> {
  const issuedAt = new Date();
  const made = await createAuthority({
    commonName: "Development server CA",
    organization: ORGANIZATION,
    issuedAt,
    years: CA_YEARS,
  });
  const authority = await openAuthority(made.certificatePem, await readAuthorityKey(made.privateKeyPem));
  return {
    ca: made.certificatePem,
    async issue() {
      const names = ["localhost", "127.0.0.1", "::1"];
      const { pem: cert, privateKeyPem: key } = await issueServerCertificate({
        authority,
        names,
        organization: ORGANIZATION,
        issuedAt,
        days: SERVER_DAYS,
      });
      return { cert, key };
    },
  };
}
