import { canonicalRequest } from "@gold-partner/canonical";
import { type CryptoKey, JwsError, verifyDetached } from "@gold-partner/jws";
import { hostBytes, TIMESTAMP_WINDOW_SECONDS } from "@gold-partner/protocol";
import { Refusal } from "../../http/refusal.ts";
import { stamp, type Ticket } from "../ticket.ts";
import type { Registry } from "../registry/registry.ts";
import { isActive, type Partner } from "../registry/snapshot.ts";
import type { Counted } from "../counted.ts";
import type { Bytes } from "../body/read_body.ts";
import type { Caller } from "../token/caller.ts";
import type { SignatureForms } from "./header_forms.ts";

/**
 * A request whose caller signed exactly these bytes, at an allowed time. The database checks the nonce later.
 */
export type SignedRequest<Body extends Bytes = Bytes> = Ticket<"SignedRequest", {
  readonly partner: Partner;
  readonly timestamp: string;
  readonly nonce: string;
  /** The detached JWS, as the header carried it. */
  readonly signature: string;
  readonly body: Body;
  /** The thumbprint of the key that verified the signature. */
  readonly key: string;
}>;

interface RequestBytes<Body extends Bytes> {
  readonly method: string;
  /** The public base URL and the request target, byte for byte. */
  readonly url: string;
  readonly body: Body;
}

const OF_NO_KNOWN_KEY: readonly string[] = ["key_unknown", "signature_mismatch"];

export function checkTimestamp(timestamp: string, nowMs: number): void {
  const ahead = Number(timestamp) - nowMs / 1000;
  if (Math.abs(ahead) <= TIMESTAMP_WINDOW_SECONDS) return;
  throw new Refusal(
    "timestamp_out_of_window",
    `X-Timestamp is ${Math.ceil(Math.abs(ahead))} seconds ${
      ahead > 0 ? "ahead of" : "behind"
    } the service's clock; ` +
      `at most ${TIMESTAMP_WINDOW_SECONDS} are allowed. Set your clock by NTP.`,
  );
}

/** The keys to try: all active keys, or only the key that the protected header names. */
export function activeKeys({ signingKeys }: Partner, kid: string | undefined, nowMs: number): CryptoKey[] {
  return signingKeys
    .filter((one) => isActive(one, nowMs) && (kid === undefined || kid === one.kid || kid === one.thumbprint))
    .map(({ key }) => key);
}

/** Reads the partner from the database, because a key can be newer than the last snapshot. */
export async function rereadPartner(partner: Partner, registry: Registry): Promise<Partner> {
  return (await registry.refresh()).partners.get(partner.publicId) ?? partner;
}

/** Checks, in order: timestamp → signature. */
export async function verifySignature<Body extends Bytes>(
  { partner }: Counted<Caller>,
  { method, url, body }: RequestBytes<Body>,
  { timestamp, nonce, signature }: SignatureForms,
  registry: Registry,
): Promise<SignedRequest<Body>> {
  checkTimestamp(timestamp, registry.now());
  const canonical = canonicalRequest({
    method,
    url,
    bodySha256: hostBytes.sha256Hex(body),
    timestamp,
    nonce,
  });
  const signed = hostBytes.utf8(canonical);
  const verifyBy = async (holder: Partner): Promise<string> => {
    const found = await verifyDetached(signature, signed, (kid) => activeKeys(holder, kid, registry.now()));
    return holder.signingKeys.find(({ key }) => key === found)!.thumbprint;
  };
  try {
    const key = await verifyBy(partner).catch(async (error) => {
      if (!(error instanceof JwsError && OF_NO_KNOWN_KEY.includes(error.reason))) throw error;
      const current = await rereadPartner(partner, registry);
      if (current === partner) throw error;
      return await verifyBy(current);
    });
    // Return the partner as it was when certificate and token were checked, not the partner that was read
    // again. With a newer admission version, booking would not notice a revocation in between.
    return stamp<SignedRequest<Body>>({ partner, timestamp, nonce, signature, body, key });
  } catch (error) {
    if (error instanceof JwsError) throw new Refusal("signature_invalid", error.message);
    throw error;
  }
}
