import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { Refusal } from "../../http/refusal.ts";
import { stamp, type Ticket } from "../ticket.ts";
import type { Registry } from "../registry/registry.ts";
import type { Partner } from "../registry/snapshot.ts";

/** A partner's certificate that is registered, within its validity period and not revoked. */
export type ClientCertificate = Ticket<
  "ClientCertificate",
  { readonly partner: Partner; readonly fingerprint: string }
>;

// The proxy is configured to send only the hash. The pattern rejects two hashes, such as one from the proxy
// and a forged one.
const FORWARDED_HASH = /^Hash=([0-9a-f]{64})$/;

/** Reads x-forwarded-client-cert. Undefined unless the proxy forwarded exactly one certificate. */
export const fingerprintOf = (forwarded: string | undefined): string | undefined =>
  FORWARDED_HASH.exec(forwarded ?? "")?.[1];

/**
 * Checks the client certificate. This runs at every request, because a connection can stay open after its
 * certificate was revoked.
 *
 * @param forwarded The value of x-forwarded-client-cert.
 */
export async function admitCertificate(
  forwarded: string | undefined,
  registry: Registry,
): Promise<ClientCertificate> {
  const fingerprint = fingerprintOf(forwarded);
  if (fingerprint === undefined) {
    throw new Refusal("certificate_unknown", "The proxy forwarded no client certificate, or more than one.");
  }
  const registered = registry.snapshot().certificates.get(fingerprint) ??
    (await registry.refresh()).certificates.get(fingerprint);
  if (!registered) throw new Refusal("certificate_unknown");
  if (registered.revoked) throw new Refusal("certificate_revoked");
  const nowMs = registry.now();
  if (nowMs >= registered.notAfterMs) throw new Refusal("certificate_expired");
  if (nowMs < registered.notBeforeMs) {
    throw new Refusal("certificate_expired", "The certificate is not valid yet.");
  }
  return stamp<ClientCertificate>({ partner: registered.partner, fingerprint });
}

/**
 * On loopback TCP any process of this machine could impersonate the proxy, so the proxy also sends a secret.
 */
export function admitProxy(sent: string | undefined, expected: string | undefined): void {
  if (!isProxy(sent, expected)) {
    throw new Refusal("certificate_unknown", "The request did not come through the proxy.");
  }
}

export function isProxy(sent: string | undefined, expected: string | undefined): boolean {
  if (expected === undefined) return true;
  const [given, wanted] = [Buffer.from(sent ?? ""), Buffer.from(expected)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
