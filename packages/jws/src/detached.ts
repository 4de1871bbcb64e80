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

/** A detached JWS (RFC 7515, appendix F) whose form and protected header are right. Its signature is not verified. */
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
    requirement: "must be false: the payload is signed as it is, not as base64url (RFC 7797)",
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

/** `<protected header>..<signature>` over the payload's bytes, those of a text being its UTF-8. */
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

/** Reads the form and the protected header; throws a `JwsError` that says what is wrong with them. */
export function parseDetached(value: string): DetachedJws {
  const { header, payload, signature } = splitParts(value, MAX_CHARS);
  if (payload !== "") {
    throw new JwsError(
      "payload_embedded",
      "The signature value carries a payload. A detached one has nothing between its two dots: header..signature.",
    );
  }
  const { kid } = readHeader(header).members;
  const parsed = { protectedHeader: header, signature: readSignature(signature) };
  return kid === undefined ? parsed : { kid, ...parsed };
}

/** The key that signed these bytes; throws a `JwsError` when none of `keys` did. */
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
