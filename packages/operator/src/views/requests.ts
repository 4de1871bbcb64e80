import { createHash } from "node:crypto";
import { readRequest, type RequestParts } from "@gold-partner/audit";
import { canonicalRequest } from "@gold-partner/canonical";
import { importVerifyingKey, type PublicJwk, verifyDetached } from "@gold-partner/jws";
import { ID_PREFIX } from "@gold-partner/protocol";
import type { Invocation, Row } from "../command.ts";
import { uuidOf } from "../values.ts";

/** A request that is bound to an idempotency key, as gold.describe_request returns it. */
export interface KeptRequest {
  readonly request_id: string;
  readonly client_id: string;
  readonly name: string;
  readonly idempotency_key: string;
  readonly status: number;
  readonly answered_at: string;
  readonly kind: string;
  readonly result: string;
  readonly problem: Readonly<Record<string, string>> | null;
  /** In hex. Null for a request that needs no signature. */
  readonly signed_request: string | null;
  readonly signing_key: string | null;
  readonly public_jwk: PublicJwk | null;
  /** The base URLs that the service has had. A partner signed one of them. */
  readonly base_urls: readonly string[];
}

export async function findRequest(query: Invocation["query"], id: string): Promise<KeptRequest | null> {
  const [row] = await query`select gold.find_request(${uuidOf("request", "req_", id)}::uuid) as found`;
  return row!.found;
}

/** The id of what a request wrote, with its prefix. */
export function resultOf({ kind, result }: KeptRequest): string | null {
  const prefix = Object.entries(ID_PREFIX).find(([name]) => name === kind)?.[1];
  return prefix === undefined ? null : prefix + result;
}

/** Describes a request as it was sent, and verifies its signature. */
export async function describeRequest(kept: KeptRequest): Promise<Row> {
  const { request_id, idempotency_key, answered_at, status, signing_key } = kept;
  const row = { request_id, idempotency_key, answered_at, status };
  if (kept.signed_request === null) return row;
  const parts = readParts(kept.signed_request);
  if (parts === undefined) return { ...row, signature: NOT_VALID, signing_key };
  return {
    ...row,
    request: `${parts.method} ${parts.target}`,
    body: parts.body.toString(),
    signature: await isSigned(parts, kept) ? "verified" : NOT_VALID,
    signing_key,
  };
}

const NOT_VALID = "NOT VALID";

/** Undefined if somebody changed the row, so that it is no request any more. */
function readParts(hex: string): RequestParts | undefined {
  try {
    return readRequest(hex);
  } catch {
    return undefined;
  }
}

async function isSigned(parts: RequestParts, { public_jwk, base_urls }: KeptRequest): Promise<boolean> {
  if (public_jwk === null) return false;
  const { method, target, timestamp, nonce, signature, body } = parts;
  const bodySha256 = createHash("sha256").update(body).digest("hex");
  const key = await importVerifyingKey(public_jwk);
  const checks = await Promise.allSettled(base_urls.map((url) => {
    const text = canonicalRequest({ method, url: url + target, bodySha256, timestamp, nonce });
    return verifyDetached(signature, Buffer.from(text), [key]);
  }));
  return checks.some(({ status }) => status === "fulfilled");
}
