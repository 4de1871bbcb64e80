/**
 * Strict ES256 over Web Crypto: detached JWS with an unencoded payload (RFC 7515, RFC 7797) and compact JWS.
 *
 * @module
 */
export { type CompactHeader, type CompactJws, signCompact, verifyCompact } from "./compact.ts";
export { type DetachedJws, parseDetached, signDetached, verifyDetached } from "./detached.ts";
export { decodeBase64url, type TextEncoding, textEncoding } from "./encoding.ts";
export { JwsError, type JwsReason } from "./errors.ts";
export type { CryptoKey, KeySource } from "./es256.ts";
export { exportPublicJwk, type Jwk, type PublicJwk } from "./jwk.ts";
export { importSigningKey, importVerifyingKey } from "./keys.ts";
export { signatureFromDer } from "./signature.ts";
export { keySigner, type Signer } from "./signer.ts";
export { jwkThumbprint } from "./thumbprint.ts";
