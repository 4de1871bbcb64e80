import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import {
  createAuthority,
  issueServerCertificate,
  openAuthority,
  readAuthorityKey,
} from "@gold-partner/operator";
import type { Operator } from "./operator.ts";
import { partnerCaKey, type State } from "./state.ts";

/** PEM texts of whom is trusted here, and of who shows what. */
export interface Authorities extends ServerCertificate {
  /** Signs partners' certificates. */
  readonly partnerCa: string;
  /** Signs the gateway's certificate, and that of a webhook receiver on this machine. */
  readonly serverCa: string;
  readonly receiver: ServerCertificate;
}

/** PEM texts. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

const ORGANIZATION = "Development";
const CA_YEARS = 10;
const SERVER_DAYS = 825;
const DAY_MS = 86_400_000;

/** The partners' authority, and those that servers on this machine show. */
export async function ensureAuthorities(state: State, operator: Operator): Promise<Authorities> {
  return { partnerCa: await ensurePartnerCa(state, operator), ...await ensureServerCertificates(state) };
}

/** By the operator's own command. */
export async function ensurePartnerCa(state: State, operator: Operator): Promise<string> {
  const { certificates } = await operator("ca show") as { certificates: string };
  if (certificates !== "") return certificates;
  // Of a start that was killed: no database knows its certificate.
  await rm(partnerCaKey(state), { force: true });
  const { certificate } = await operator("ca init --key", partnerCaKey(state));
  return certificate as string;
}

/** Certificates for servers of this machine, by an authority of its own: those of an earlier start, while they are whole and valid. */
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

/** A new authority for servers of this machine. Its key is kept nowhere: nobody signs by it later. */
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
