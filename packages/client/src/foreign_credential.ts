import { X509Certificate } from "node:crypto";
import { exportPublicJwk, importSigningKey, jwkThumbprint } from "@gold-partner/jws";
import type { AccountEvent, WebhookEvent } from "./api_types.ts";
import type { GoldClientOptions } from "./options.ts";

/** A certificate or signing key that was registered for you and whose thumbprint you do not know. */
export interface ForeignCredential {
  readonly code: "foreign_credential";
  readonly kind: "certificate" | "signing_key";
  /** The certificate's SHA-256 in hexadecimal, or the key's RFC 7638 thumbprint. */
  readonly id: string;
  /** The operator's login that registered it; null if that happened before version 0.4.0. */
  readonly changed_by: string | null;
  /** The number of the event that reports it. */
  readonly sequence: number;
}

/**
 * Returns the certificate or signing key that an event reports, if you do not know it. Nobody can register
 * one in your name without such an event. If you did not ask for it, call the operator at once.
 *
 * @param event An event of listEvents(), getEvent() or verifyWebhook().
 * @param knownThumbprints The thumbprints of all certificates and signing keys that you have or had. A client
 * has those of its own credentials in `knownThumbprints`.
 * @returns The credential, or undefined if the event reports none or you know it.
 * @example
 * ```ts
 * import { findForeignCredential, GoldClient } from "@gold-partner/client";
 *
 * const client = await GoldClient.fromEnv();
 * for await (const event of client.listEvents()) {
 *   const foreign = findForeignCredential(event, client.knownThumbprints);
 *   if (foreign) console.error(`${foreign.code}: ${foreign.kind} ${foreign.id}, event ${foreign.sequence}`);
 * }
 * ```
 */
export function findForeignCredential(
  event: WebhookEvent | AccountEvent,
  knownThumbprints: readonly string[],
): ForeignCredential | undefined {
  if (event.type !== "credential.added") return undefined;
  const { id, changed_by } = event.data.credential;
  const kind = (["certificate", "signing_key"] as const).find((one) => one === event.data.credential.kind);
  if (kind === undefined || knownThumbprints.includes(id)) return undefined;
  return { code: "foreign_credential", kind, id, changed_by, sequence: event.sequence };
}

/** The thumbprints of a client's own credentials, and those that its options add. */
export async function readThumbprints(
  { cert, signingKey, knownThumbprints = [] }: GoldClientOptions,
): Promise<readonly string[]> {
  const own: string[] = [];
  if (cert !== undefined) {
    own.push(new X509Certificate(cert).fingerprint256.replaceAll(":", "").toLowerCase());
  }
  if (signingKey !== undefined) {
    own.push(
      await jwkThumbprint(await exportPublicJwk(await importSigningKey(signingKey, { extractable: true }))),
    );
  }
  return [...own, ...knownThumbprints];
}
