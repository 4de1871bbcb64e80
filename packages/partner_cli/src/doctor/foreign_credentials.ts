import type { Credentials, GoldClient } from "@gold-partner/client";
import { Fault } from "./fault.ts";

/**
 * Compares the certificates and signing keys that are registered for the partner with those that the
 * credentials file knows. It asks GET /v1/credentials, which is one request for any number of events. Unknown
 * credentials that have ended are only counted, because after a rotation they are the partner's own old ones.
 */
export async function examineCredentials(
  client: GoldClient,
  file: string,
  nowMs: number,
): Promise<{ readonly detail: string }> {
  const known = new Set(client.knownThumbprints);
  const foreign = registeredIn(await client.getCredentials()).filter(({ id }) => !known.has(id));
  const accepted = foreign.filter(({ until }) => until === null || Date.parse(until) > nowMs);
  if (accepted.length === 0) {
    const detail = "every certificate and signing key that is accepted is known; " +
      `unknown ones that have ended: ${foreign.length}, see gold-partner events.`;
    return { detail };
  }
  const listed = accepted.map(({ kind, id, from }) => `${kind} ${id}, accepted from ${from}`);
  throw new Fault(
    `registered for you, but not known to ${file}: ${listed.join("; ")}.`,
    "If it is not yours, stop trading and call the operator. If it is yours, add its id to the list " +
      `known_thumbprints in ${file}.`,
  );
}

interface Registered {
  readonly kind: "certificate" | "signing_key";
  /** The certificate's SHA-256, or the key's thumbprint. */
  readonly id: string;
  readonly from: string;
  readonly until: string | null;
}

const registeredIn = ({ certificates, signing_keys }: Credentials): readonly Registered[] => [
  ...certificates.map(({ sha256, not_before, revoked_at, expires_at }): Registered => (
    { kind: "certificate", id: sha256, from: not_before, until: revoked_at ?? expires_at }
  )),
  ...signing_keys.map(({ thumbprint, not_before, retire_at }): Registered => (
    { kind: "signing_key", id: thumbprint, from: not_before, until: retire_at }
  )),
];
