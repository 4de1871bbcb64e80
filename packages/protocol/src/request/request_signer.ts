import type { canonicalRequest } from "@gold-partner/canonical";
import type { signDetached, Signer } from "@gold-partner/jws";
import type { BytePrimitives } from "./byte_primitives.ts";

/**
 * The functions that the signer needs. They are passed in, because an SDK imports them by package name and a
 * load test by path.
 */
export interface SigningParts {
  canonicalRequest: typeof canonicalRequest;
  signDetached: typeof signDetached;
  bytes: BytePrimitives;
}

/** The request as it will be sent. The caller gives a fresh time and nonce for every try. */
export interface RequestToSign {
  method: string;
  /** The service's public base URL and the request target, byte for byte. */
  url: string;
  body: Uint8Array;
  /** Unix time in whole seconds, as the header carries it. */
  timestamp: string;
  nonce: string;
}

/** The headers to add to the request. */
export interface SignatureHeaders {
  "X-Timestamp": string;
  "X-Nonce": string;
  "X-JWS-Signature": string;
}

export type SignRequest = (request: RequestToSign, signer: Signer) => Promise<SignatureHeaders>;

/**
 * Makes the function that signs requests, from the functions that the caller's runtime (Node, Deno or k6)
 * provides.
 *
 * @param parts The canonical form, the signature and the byte primitives.
 * @returns A function that signs one request. It rejects with the errors of the parts, CanonicalError and
 * JwsError.
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { canonicalRequest } from "@gold-partner/canonical";
 * import { importSigningKey, keySigner, signDetached } from "@gold-partner/jws";
 * import { hostBytes, requestSigner } from "@gold-partner/protocol";
 *
 * const signRequest = requestSigner({ canonicalRequest, signDetached, bytes: hostBytes });
 * const signer = keySigner(await importSigningKey(await readFile("signing_key.pem", "utf8")));
 * const request = {
 *   method: "POST",
 *   url: "https://localhost:8443/v1/orders",
 *   body: hostBytes.utf8('{"quote_id":"qt_01890a5d-ac96-774b-bcce-b302099a8057"}'),
 *   timestamp: `${Math.floor(Date.now() / 1000)}`,
 *   nonce: crypto.randomUUID(),
 * };
 * const headers = await signRequest(request, signer);
 * console.log(headers["X-Timestamp"] === request.timestamp); // true
 * ```
 */
export function requestSigner({ canonicalRequest, signDetached, bytes }: SigningParts): SignRequest {
  return async ({ method, url, body, timestamp, nonce }, signer) => {
    const canonical = canonicalRequest({ method, url, bodySha256: bytes.sha256Hex(body), timestamp, nonce });
    const signature = await signDetached(canonical, signer, bytes);
    return { "X-Timestamp": timestamp, "X-Nonce": nonce, "X-JWS-Signature": signature };
  };
}
