import type { canonicalRequest } from "@gold-partner/canonical";
import type { signDetached, Signer } from "@gold-partner/jws";
import type { BytePrimitives } from "./byte_primitives.ts";

/** Handed in, because an SDK finds these by package name and a load test by path. */
export interface SigningParts {
  canonicalRequest: typeof canonicalRequest;
  signDetached: typeof signDetached;
  bytes: BytePrimitives;
}

/** The request as it will be sent. Time and nonce come from the caller: a retry signs anew with fresh ones. */
export interface RequestToSign {
  method: string;
  /** The service's public base URL and the request target, byte for byte. */
  url: string;
  body: Uint8Array;
  /** Unix time in whole seconds, as the header carries it. */
  timestamp: string;
  nonce: string;
}

/** What is sent beside the request. */
export interface SignatureHeaders {
  "X-Timestamp": string;
  "X-Nonce": string;
  "X-JWS-Signature": string;
}

export type SignRequest = (request: RequestToSign, signer: Signer) => Promise<SignatureHeaders>;

/** Wires the parts of one host into the function that signs its requests. */
export function requestSigner({ canonicalRequest, signDetached, bytes }: SigningParts): SignRequest {
  return async ({ method, url, body, timestamp, nonce }, signer) => {
    const canonical = canonicalRequest({ method, url, bodySha256: bytes.sha256Hex(body), timestamp, nonce });
    const signature = await signDetached(canonical, signer, bytes);
    return { "X-Timestamp": timestamp, "X-Nonce": nonce, "X-JWS-Signature": signature };
  };
}
