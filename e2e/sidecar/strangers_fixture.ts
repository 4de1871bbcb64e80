import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ExtendedKeyUsage } from "@peculiar/x509";
import type { Certificate } from "../contract/caller_fixture.ts";
import { issueCertificate } from "../contract/certificates_fixture.ts";
import type { Stack } from "../contract/stack_fixture.ts";
import { asOperator, onboard } from "@gold-partner/dev";
import { byTwo } from "../../tools/testing/by_two.ts";
import { registerOperatorKeys } from "../../tools/testing/operator_keys.ts";
import { certify, foreignSigner, register, stackSigner } from "./certificate_fixture.ts";
import { visit } from "./visit_fixture.ts";

/** A client that Envoy must refuse. */
export interface Stranger {
  readonly what: string;
  readonly presents: Certificate | undefined;
  /** Further certificates that the client presents with the first one. */
  readonly chain?: string;
  /** The TLS alert that the client receives. */
  readonly alert: string;
  /** The alert under TLS 1.2, if that version does not have `alert`. */
  readonly olderAlert?: string;
  /** The reason in Envoy's log. */
  readonly reason: string;
}

const NOTHING_SHOWN = {
  alert: "certificate_required",
  olderAlert: "handshake_failure",
  reason: "peer_did_not_provide_required_client_certificate",
};
const NO_ISSUER = { alert: "unknown_ca", reason: "unable_to_get_local_issuer_certificate" };
/** The result for an issuer that has the CA's name, but not its key. */
const NO_SIGNATURE = { alert: "decrypt_error", reason: "certificate_signature_failure" };
const EXPIRED = { alert: "certificate_expired", reason: "certificate_has_expired" };
const NOT_YET = { alert: "certificate_expired", reason: "certificate_is_not_yet_valid" };
const NO_CLIENT = { alert: "unsupported_certificate", reason: "unsupported_certificate_purpose" };
const REVOKED = { alert: "certificate_revoked", reason: "certificate_revoked" };
const REVOCATION_MS = 30_000;
const ANY_PURPOSE = "2.5.29.37.0";

export async function strangersOf(stack: Stack): Promise<Stranger[]> {
  const own = await stackSigner(stack);
  return [
    { what: "no certificate", presents: undefined, ...NOTHING_SHOWN },
    // With an RSA key, the client presents no certificate, because Envoy accepts no RSA signature.
    { what: "an RSA key", presents: await certify(own, { key: "RSA" }), ...NOTHING_SHOWN },
    {
      what: "a server certificate",
      presents: await certify(own, { purposes: [ExtendedKeyUsage.serverAuth] }),
      ...NO_CLIENT,
    },
    {
      what: "a certificate for any purpose",
      presents: await certify(own, { purposes: [ANY_PURPOSE] }),
      ...NO_CLIENT,
    },
    { what: "a revoked certificate", presents: await revokedCertificate(stack), ...REVOKED },
    ...await ofOtherIssuers(stack),
    ...await outOfTime(stack),
  ];
}

async function ofOtherIssuers(stack: Stack): Promise<Stranger[]> {
  const own = await stackSigner(stack);
  const other = await foreignSigner("CN=Other Authority");
  const namesake = await foreignSigner(own.name);
  const [foreignLink, ownLink] = [
    await certify(namesake, { isAuthority: true }),
    await certify(own, { isAuthority: true }),
  ];
  const partner = await certify(own);
  return [
    { what: "another CA's certificate", presents: await certify(other), ...NO_ISSUER },
    { what: "a production certificate", presents: await productionCertificate(stack), ...NO_ISSUER },
    { what: "a certificate of a CA with the same name", presents: await certify(namesake), ...NO_SIGNATURE },
    { what: "a self-signed certificate", presents: await certify(undefined), ...NO_ISSUER },
    {
      what: "a certificate below a foreign intermediate",
      presents: await certify(foreignLink.signer),
      chain: foreignLink.cert,
      ...NO_ISSUER,
    },
    {
      what: "a certificate below an intermediate of the own CA",
      presents: await certify(ownLink.signer),
      chain: ownLink.cert,
      ...NO_ISSUER,
    },
    {
      what: "a certificate signed by a partner",
      presents: await certify(partner.signer),
      chain: partner.cert,
      ...NO_ISSUER,
    },
  ];
}

/**
 * Returns certificates that have expired or are not valid yet. Registration makes no difference, because TLS
 * checks only the certificate.
 */
async function outOfTime(stack: Stack): Promise<Stranger[]> {
  const own = await stackSigner(stack);
  const ended = () => certify(own, { beginsSeconds: -7200, endsSeconds: -5 });
  const begins = () => certify(own, { beginsSeconds: 3600, endsSeconds: 7200 });
  const [known, early] = [await ended(), await begins()];
  for (const certificate of [known, early]) await register(stack, stack.partner, certificate);
  return [
    { what: "an expired certificate", presents: await ended(), ...EXPIRED },
    { what: "an expired certificate that is registered", presents: known, ...EXPIRED },
    { what: "a certificate that is not valid yet", presents: await begins(), ...NOT_YET },
    { what: "a registered certificate that is not valid yet", presents: early, ...NOT_YET },
  ];
}

/** Returns a revoked certificate, once Envoy knows of the revocation. */
async function revokedCertificate(stack: Stack): Promise<Certificate> {
  const certificate = await issueCertificate(stack, stack.partner);
  await stack.operator("cert revoke", certificate.fingerprint);
  const endMs = performance.now() + REVOCATION_MS;
  while (performance.now() < endMs) {
    if ((await visit(stack, certificate, { timeoutMs: 1000 })).alert !== undefined) return certificate;
  }
  throw new Error(`Envoy did not apply a revocation within ${REVOCATION_MS / 1000} s.`);
}

/**
 * Creates a second deployment with `--env production`, its own database and its own CA. Issues a partner
 * certificate from that CA.
 */
async function productionCertificate({ running: { state }, sql }: Stack): Promise<Certificate> {
  const file = (name: string) => `file:${state.path("keys", name)}`;
  const url = new URL((await readFile(state.path("keys", "migration_database_url"), "utf8")).trim());
  url.pathname = "/production";
  await sql`create database production owner gold_migration`;
  const keyFile = state.path("production_keys.json");
  const run = JSON.parse(await readFile(state.path("run.json"), "utf8")) as { second_database_url: string };
  const other = new URL(run.second_database_url);
  other.pathname = url.pathname;
  const people = state.path("production_people");
  await mkdir(people);
  const as = ({ href, username }: URL) =>
    asOperator(href, undefined, keyFile, {
      GOLD_SSH_KEY: join(people, username),
      OPERATOR_KEYS: join(people, "operator_keys"),
    });
  const first = as(url);
  const baseUrl = "https://api.example";
  const keys = ["--pepper", file("pepper"), "--sealing-key", file("sealing_key")];
  await first(`db migrate --env production --base-url ${baseUrl}`, ...keys);
  await first(`operator add ${other.username} --roles treasury,credentials,pricing,keys`);
  await registerOperatorKeys(first, people, [url.username, other.username, "third"]);
  const operator = byTwo(first, as(other));
  await operator("ca init --key", state.path("pki", "production_ca_key.pem"));
  const plan = {
    name: "Example Bank",
    iban: "SA0380000000608010167519",
    baseUrl,
    webhook: "https://bank.example/webhooks",
  };
  const { cert, key } = await onboard(state, operator, plan);
  return { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
}
