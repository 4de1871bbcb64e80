import { decodeBase64url, type TextEncoding, textEncoding } from "./encoding.ts";
import { keysOf, type KeySource, verifySignature } from "./es256.ts";
import { JwsError } from "./errors.ts";
import {
  ALG_RULE,
  asciiBytes,
  checkPayload,
  headerReader,
  type HeaderRules,
  KID_RULE,
  signingInput,
  TYP_RULE,
  writeHeader,
} from "./header.ts";
import { readSignature, splitParts } from "./serialization.ts";
import { checkSignature } from "./signature.ts";
import { checkSigner, type Signer } from "./signer.ts";

/** The protected header of a compact JWS, such as a token. */
export interface CompactHeader {
  readonly alg: "ES256";
  readonly typ?: string;
  readonly kid?: string;
}

/** A compact JWS whose signature was verified. */
export interface CompactJws {
  readonly header: CompactHeader;
  readonly payload: Uint8Array;
}

const MAX_CHARS = 8192;

const RULES: HeaderRules<CompactHeader> = { alg: ALG_RULE, typ: TYP_RULE, kid: KID_RULE };

const readHeader = headerReader<CompactHeader>(RULES);

/**
 * `<protected header>.<payload>.<signature>`, a text's bytes being its UTF-8. The header's `kid` is the signer's unless
 * another is given.
 */
export async function signCompact(
  payload: string | Uint8Array,
  header: { readonly typ?: string; readonly kid?: string },
  signer: Signer,
  encoding: TextEncoding = textEncoding,
): Promise<string> {
  checkSigner(signer);
  if (typeof header !== "object" || header === null) {
    throw new JwsError(
      "header_not_object",
      'The header must be an object, such as { typ: "at+jwt" }, or {}.',
    );
  }
  const { typ, kid = signer.kid } = header;
  const members: CompactHeader = {
    alg: "ES256",
    ...(typ === undefined ? {} : { typ }),
    ...(kid === undefined ? {} : { kid }),
  };
  const { text, prefix } = writeHeader(members, RULES, encoding);
  const bytes = typeof payload === "string" ? encoding.utf8(payload) : payload;
  checkPayload(bytes);
  const payloadText = encoding.base64url(bytes);
  const signature = checkSignature(await signer.sign(signingInput(prefix, encoding.utf8(payloadText))));
  return `${text}.${payloadText}.${encoding.base64url(signature)}`;
}

/** The header and payload of a token that one of `keys` signed; throws a `JwsError` otherwise. */
export async function verifyCompact(
  token: string,
  keys: KeySource,
  expected: { readonly typ?: string } = {},
): Promise<CompactJws> {
  const parts = splitParts(token, MAX_CHARS);
  const { members: header, prefix } = readHeader(parts.header);
  const payload = decodeBase64url(parts.payload, "payload");
  const signature = readSignature(parts.signature);
  if (expected?.typ !== undefined && header.typ !== expected.typ) {
    throw new JwsError(
      "typ_mismatch",
      `The token's typ is ${
        header.typ ?? "missing"
      }, and ${expected.typ} is expected: it was made for another purpose.`,
    );
  }
  await verifySignature(signingInput(prefix, asciiBytes(parts.payload)), signature, keysOf(keys, header.kid));
  return { header, payload };
}
