import { BoundedCache } from "./cache.ts";
import { type TextEncoding, textEncoding } from "./encoding.ts";
import { type CryptoKey, keysOf, type KeySource, verifySignature } from "./es256.ts";
import { JwsError } from "./errors.ts";
import {
  ALG_RULE,
  headerReader,
  type HeaderRules,
  KID_RULE,
  MAX_HEADER_CHARS,
  type ProtectedHeader,
  REMEMBERED_HEADERS,
  signingInput,
  writeHeader,
} from "./header.ts";
import { readSignature, splitParts } from "./serialization.ts";
import { checkSignature } from "./signature.ts";
import { checkSigner, type Signer } from "./signer.ts";

/** A detached JWS (RFC 7515, appendix F) whose form and header are valid. Its signature is not verified. */
export interface DetachedJws {
  readonly kid?: string;
  /** The protected header's base64url text. */
  readonly protectedHeader: string;
  readonly signature: Uint8Array;
}

interface DetachedHeader {
  readonly alg: "ES256";
  readonly b64: false;
  readonly crit: readonly ["b64"];
  readonly kid?: string;
}

const MAX_CHARS = MAX_HEADER_CHARS + "..".length + 86;

const RULES: HeaderRules<DetachedHeader> = {
  alg: ALG_RULE,
  b64: {
    reason: "b64_invalid",
    requirement: "must be false, because the raw payload is signed, not its base64url (RFC 7797)",
    accepts: (value) => value === false,
  },
  crit: {
    reason: "crit_invalid",
    requirement: 'must be ["b64"]',
    accepts: (value) => Array.isArray(value) && value.length === 1 && value[0] === "b64",
  },
  kid: KID_RULE,
};

const readHeader = headerReader<DetachedHeader>(RULES);
const headersByKid = new BoundedCache<string | undefined, ProtectedHeader<DetachedHeader>>(
  REMEMBERED_HEADERS,
);

/**
 * Signs a payload and returns the detached JWS `<protected header>..<signature>`.
 *
 * @param payload The bytes to sign. A string is signed as its UTF-8.
 * @param signer Signs, and names its key with `kid`. An error that it throws is passed on.
 * @param encoding Replaces the plain JavaScript encoders where a runtime has faster ones.
 * @returns The value of the header X-JWS-Signature.
 * @throws {JwsError} `key_unusable`: `signer` has no function `sign()`.
 * @throws {JwsError} `kid_invalid`: the signer's `kid` is not 1 to 128 visible ASCII characters.
 * @throws {JwsError} `payload_not_bytes`: the payload is neither a string nor a Uint8Array.
 * @throws {JwsError} `signature_length`, `signature_der` or `signature_out_of_range`: the signer did not
 * return an ES256 signature of 64 bytes.
 *
 * @example
 * ```ts
 * import { importSigningKey, keySigner, signDetached } from "@gold-partner/jws";
 * import { readFile } from "node:fs/promises";
 *
 * const signer = keySigner(await importSigningKey(await readFile("signing_key.pem", "utf8")), "key-1");
 * const jws = await signDetached("the canonical request", signer);
 * ```
 */
export async function signDetached(
  payload: string | Uint8Array,
  signer: Signer,
  encoding: TextEncoding = textEncoding,
): Promise<string> {
  checkSigner(signer);
  const { text, prefix } = headersByKid.get(signer.kid) ??
    headersByKid.set(signer.kid, writeDetachedHeader(signer.kid, encoding));
  const input = typeof payload === "string"
    ? encoding.utf8(`${text}.${payload}`)
    : signingInput(prefix, payload);
  const signature = checkSignature(await signer.sign(input));
  return `${text}..${encoding.base64url(signature)}`;
}

/**
 * Reads a detached JWS and checks its form and protected header. It does not verify the signature.
 *
 * @param value The text `<protected header>..<signature>`.
 * @returns The parsed value, which `verifyDetached` accepts.
 * @throws {JwsError} `jws_malformed`, `jws_too_long` or `payload_embedded`: the text does not have this form,
 * or is longer than 600 characters.
 * @throws {JwsError} `base64url_invalid` or `base64url_not_canonical`: a part is not strict base64url.
 * @throws {JwsError} `header_not_ascii`, `header_not_json`, `header_not_object`, `header_member_unknown`,
 * `header_member_duplicate`, `alg_invalid`, `b64_invalid`, `crit_invalid` or `kid_invalid`: the protected
 * header is not allowed.
 * @throws {JwsError} `signature_length` or `signature_der`: the signature is not 64 bytes long.
 *
 * @example
 * ```ts
 * import { parseDetached } from "@gold-partner/jws";
 *
 * const kidOf = (jws: string): string | undefined => parseDetached(jws).kid;
 * ```
 */
export function parseDetached(value: string): DetachedJws {
  const { header, payload, signature } = splitParts(value, MAX_CHARS);
  if (payload !== "") {
    throw new JwsError(
      "payload_embedded",
      "The signature value contains a payload. A detached signature has nothing between its two dots: " +
        "header..signature.",
    );
  }
  const { kid } = readHeader(header).members;
  const parsed = { protectedHeader: header, signature: readSignature(signature) };
  return kid === undefined ? parsed : { kid, ...parsed };
}

/**
 * Verifies a detached JWS over a payload.
 *
 * @param jws The text `<protected header>..<signature>`, or the result of `parseDetached`.
 * @param payload The bytes that were signed.
 * @param keys One key, several keys, or a function from the header's `kid` to the keys that it names.
 * @returns The key that verified the signature.
 * @throws {JwsError} For every reason of `parseDetached`.
 * @throws {JwsError} `payload_not_bytes`: the payload is not a Uint8Array.
 * @throws {JwsError} `signature_out_of_range`: r or s is 0, or not below the order of P-256.
 * @throws {JwsError} `key_unknown`: `keys` gave no key.
 * @throws {JwsError} `key_unusable`: a value in `keys` is not a public P-256 ECDSA key.
 * @throws {JwsError} `signature_mismatch`: none of the keys made this signature over these bytes.
 *
 * @example
 * ```ts
 * import { generateKeyPairSync } from "node:crypto";
 * import {
 *   importSigningKey,
 *   importVerifyingKey,
 *   keySigner,
 *   signDetached,
 *   verifyDetached,
 * } from "@gold-partner/jws";
 *
 * const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
 * const privatePem = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
 * const publicPem = pair.publicKey.export({ type: "spki", format: "pem" }).toString();
 * const payload = new TextEncoder().encode("the canonical request");
 *
 * const jws = await signDetached(payload, keySigner(await importSigningKey(privatePem)));
 * const key = await importVerifyingKey(publicPem);
 * console.log(await verifyDetached(jws, payload, key) === key); // true
 * ```
 */
export async function verifyDetached(
  jws: string | DetachedJws,
  payload: Uint8Array,
  keys: KeySource,
): Promise<CryptoKey> {
  const { protectedHeader, signature } = typeof jws === "object" && jws !== null ? jws : parseDetached(jws);
  const { members, prefix } = readHeader(protectedHeader);
  return verifySignature(signingInput(prefix, payload), signature, keysOf(keys, members.kid));
}

function writeDetachedHeader(
  kid: string | undefined,
  encoding: TextEncoding,
): ProtectedHeader<DetachedHeader> {
  const header: DetachedHeader = { alg: "ES256", b64: false, crit: ["b64"] };
  return writeHeader(kid === undefined ? header : { ...header, kid }, RULES, encoding);
}
