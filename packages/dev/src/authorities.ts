import { readFile, writeFile } from "node:fs/promises";
import {
  createAuthority,
  issueServerCertificate,
  openAuthority,
  readAuthorityKey,
} from "@gold-partner/operator";
import type { Operator } from "./operator.ts";
import type { State } from "./state.ts";

/** PEM texts of what the gateway needs. */
export interface Authorities {
  /** Signs partners' certificates. */
  readonly partnerCa: string;
  readonly cert: string;
  readonly key: string;
}

const ORGANIZATION = "Development";
const CA_YEARS = 10;
const SERVER_DAYS = 825;

/** The partners' authority by the operator's command, and one of its own for the gateway's server certificate. */
export async function ensureAuthorities(state: State, operator: Operator): Promise<Authorities> {
  return { partnerCa: await ensurePartnerCa(state, operator), ...await ensureServerCertificate(state) };
}

async function ensurePartnerCa(state: State, operator: Operator): Promise<string> {
  const { certificates } = await operator("ca show") as { certificates: string };
  if (certificates !== "") return certificates;
  const { certificate } = await operator("ca init --key", state.path("pki", "partner_ca_key.pem"));
  return certificate as string;
}

async function ensureServerCertificate(state: State): Promise<{ cert: string; key: string }> {
  const files = {
    ca: state.path("pki", "ca.pem"),
    cert: state.path("pki", "server.pem"),
    key: state.path("pki", "server_key.pem"),
  };
  const [ca, cert, key] = await Promise.all(
    Object.values(files).map((file) => readFile(file, "utf8").catch(() => "")),
  );
  if (ca && cert && key) return { cert, key };
  const issuedAt = new Date();
  const made = await createAuthority({
    commonName: "Development server CA",
    organization: ORGANIZATION,
    issuedAt,
    years: CA_YEARS,
  });
  const server = await issueServerCertificate({
    authority: await openAuthority(made.certificatePem, await readAuthorityKey(made.privateKeyPem)),
    names: ["localhost", "127.0.0.1", "::1"],
    organization: ORGANIZATION,
    issuedAt,
    days: SERVER_DAYS,
  });
  await writeFile(files.ca, made.certificatePem);
  await writeFile(files.cert, server.pem);
  await state.writePrivate(files.key, server.privateKeyPem);
  return { cert: server.pem, key: server.privateKeyPem };
}
