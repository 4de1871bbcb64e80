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
 * Signs a payload and returns the compact JWS `<protected header>.<payload>.<signature>`. `verifyCompact`
 * refuses a result of more than 8,192 characters. This function does not check that length.
 *
 * @param payload The bytes to sign. A string is signed as its UTF-8.
 * @param header The header's `typ` and `kid`. Without a `kid`, the signer's `kid` is used.
 * @param signer Signs the bytes. An error that it throws is passed on.
 * @param encoding Replaces the plain JavaScript encoders where a runtime has faster ones.
 * @returns The compact JWS.
 * @throws {JwsError} `key_unusable`: `signer` has no function `sign()`.
 * @throws {JwsError} `header_not_object`: `header` is not an object.
 * @throws {JwsError} `typ_invalid` or `kid_invalid`: `typ` or `kid` is not 1 to 128 visible ASCII characters.
 * @throws {JwsError} `jws_too_long`: the protected header would be longer than 512 characters.
 * @throws {JwsError} `payload_not_bytes`: the payload is neither a string nor a Uint8Array.
 * @throws {JwsError} `signature_length`, `signature_der` or `signature_out_of_range`: the signer did not
 * return an ES256 signature of 64 bytes.
 *
 * @example
 * ```ts
 * import { importSigningKey, keySigner, signCompact } from "@gold-partner/jws";
 * import { readFile } from "node:fs/promises";
 *
 * const signer = keySigner(await importSigningKey(await readFile("signing_key.pem", "utf8")), "key-1");
 * const token = await signCompact('{"sub":"bank-1"}', { typ: "at+jwt" }, signer);
 * ```
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

/**
 * Verifies a compact JWS, such as a token.
 *
 * @param token The text `<protected header>.<payload>.<signature>`, at most 8,192 characters.
 * @param keys One key, several keys, or a function from the header's `kid` to the keys that it names.
 * @param expected The `typ` that the header must have. Without it, every valid `typ` is accepted.
 * @returns The header and the payload's bytes. Claims in the payload are not checked.
 * @throws {JwsError} `jws_malformed` or `jws_too_long`: the text does not have this form, or is too long.
 * @throws {JwsError} `base64url_invalid` or `base64url_not_canonical`: a part is not strict base64url.
 * @throws {JwsError} `header_not_ascii`, `header_not_json`, `header_not_object`, `header_member_unknown`,
 * `header_member_duplicate`, `alg_invalid`, `typ_invalid` or `kid_invalid`: the protected header is not
 * allowed.
 * @throws {JwsError} `typ_mismatch`: the header's `typ` is not the expected one.
 * @throws {JwsError} `signature_length`, `signature_der` or `signature_out_of_range`: the signature is not 64
 * bytes long, or r or s is 0 or not below the order of P-256.
 * @throws {JwsError} `key_unknown`: `keys` gave no key.
 * @throws {JwsError} `key_unusable`: a value in `keys` is not a public P-256 ECDSA key.
 * @throws {JwsError} `signature_mismatch`: none of the keys made this signature over these bytes.
 *
 * @example
 * ```ts
 * import { importVerifyingKey, verifyCompact } from "@gold-partner/jws";
 * import { readFile } from "node:fs/promises";
 *
 * const key = await importVerifyingKey(await readFile("partner_public.pem", "utf8"));
 * const readToken = async (token: string): Promise<string> => {
 *   const { payload } = await verifyCompact(token, key, { typ: "at+jwt" });
 *   return new TextDecoder().decode(payload);
 * };
 * ```
 */
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
      }, but ${expected.typ} is expected: the token was made for another purpose.`,
    );
  }
  await verifySignature(signingInput(prefix, asciiBytes(parts.payload)), signature, keysOf(keys, header.kid));
  return { header, payload };
}
