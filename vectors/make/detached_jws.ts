import { Buffer } from "node:buffer";
import { p256 } from "@noble/curves/nist.js";
import type { JwsReason } from "@gold-partner/jws";
import type { VectorFile } from "./vector_file.ts";

/**
 * This key is public on purpose: RFC 6979 prints it in A.2.5. The signatures are
 * deterministic (RFC 6979), so anyone can reproduce them. A signer that uses a
 * random number for each signature makes other signatures, which are also valid.
 */
const PRIVATE_KEY = Buffer.from("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721", "hex");
const OTHER_PRIVATE_KEY = Buffer.alloc(32, 1);
const ORDER = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");
const ORDER_AND_1 = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552", "hex");

const HEADER = '{"alg":"ES256","b64":false,"crit":["b64"]}';
const WITH_KID = HEADER.replace("}", ',"kid":"k1"}');
const PAYLOAD = Buffer.from("POST\nhttps://api.gold.example/v1/orders");

interface Case {
  readonly payload?: Uint8Array;
  readonly jws: string;
}

const base64url = (data: string | Uint8Array): string => Buffer.from(data).toString("base64url");

function signatureOf(
  headerText: string,
  payload: Uint8Array,
  privateKey: Uint8Array = PRIVATE_KEY,
): Uint8Array {
  return p256.sign(Buffer.concat([Buffer.from(`${headerText}.`), payload]), privateKey, { lowS: false });
}

/** Signs any header correctly, so that only the header can be the reason to refuse. */
function sign(header: string | Uint8Array, payload: Uint8Array = PAYLOAD): Case {
  const text = base64url(header);
  return { payload, jws: `${text}..${base64url(signatureOf(text, payload))}` };
}

const VALID = sign(HEADER).jws;
const [HEADER_TEXT = "", SIGNATURE_TEXT = ""] = VALID.split("..");
const SIGNATURE = Buffer.from(SIGNATURE_TEXT, "base64url");
const [R, S] = [SIGNATURE.subarray(0, 32), SIGNATURE.subarray(32)];

const withSignature = (...parts: readonly Uint8Array[]): Case => ({
  jws: `${HEADER_TEXT}..${base64url(Buffer.concat(parts))}`,
});
const withMember = (member: string): Case => sign(HEADER.replace("}", `,${member}}`));
const replaced = (from: string, to: string): Case => sign(HEADER.replace(from, to));

/** Returns n - s, where n is ORDER. A signature with n - s is as valid as a signature with s. */
function negated(s: Uint8Array): Uint8Array {
  const negative = BigInt(`0x${ORDER.toString("hex")}`) - BigInt(`0x${Buffer.from(s).toString("hex")}`);
  return Buffer.from(negative.toString(16).padStart(64, "0"), "hex");
}

const ACCEPTED: Record<string, Case> = {
  "a text": { jws: VALID },
  "an empty payload": sign(HEADER, Buffer.alloc(0)),
  "every byte value": sign(HEADER, Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))),
  "a payload beyond ASCII": sign(HEADER, Buffer.from('{"note":"ذهب 🪙"}')),
  "a payload with dots": sign(HEADER, Buffer.from("..a.b..")),
  "a kid": sign(WITH_KID),
  "a kid of 128 characters": withMember(`"kid":"${"k".repeat(128)}"`),
  "a kid that looks like a header": withMember('"kid":"},\\"alg\\":\\"none\\""'),
  "members in another order": sign('{"kid":"k1","crit":["b64"],"b64":false,"alg":"ES256"}'),
  "white space between tokens": sign(' {\n\t"alg" : "ES256" , "b64" : false ,\r\n"crit" : [ "b64" ] } '),
  "escapes in names and values": sign(
    '{"\\u0061lg":"ES\\u003256","b64":false,"crit":["\\u0062\\u0036\\u0034"]}',
  ),
  "the complementary s: n - s": withSignature(R, negated(S)),
};

const REFUSED: Record<string, readonly [JwsReason, Case]> = {
  "alg none": ["alg_invalid", replaced("ES256", "none")],
  "alg HS256": ["alg_invalid", replaced("ES256", "HS256")],
  "alg in lower case": ["alg_invalid", replaced("ES256", "es256")],
  "no alg": ["alg_invalid", replaced('"alg":"ES256",', "")],
  "b64 true": ["b64_invalid", replaced("false", "true")],
  "b64 as a string": ["b64_invalid", replaced("false", '"false"')],
  "no b64": ["b64_invalid", replaced('"b64":false,', "")],
  "no crit": ["crit_invalid", replaced(',"crit":["b64"]', "")],
  "an empty crit": ["crit_invalid", replaced('["b64"]', "[]")],
  "crit as a string": ["crit_invalid", replaced('["b64"]', '"b64"')],
  "crit names b64 twice": ["crit_invalid", replaced('["b64"]', '["b64","b64"]')],
  "crit names another extension": ["crit_invalid", replaced('["b64"]', '["b64","exp"]')],
  "an empty kid": ["kid_invalid", withMember('"kid":""')],
  "a kid that is a number": ["kid_invalid", withMember('"kid":1')],
  "a kid with a space": ["kid_invalid", withMember('"kid":"a b"')],
  "a kid with an escaped line feed": ["kid_invalid", withMember('"kid":"a\\n"')],
  "a kid of 129 characters": ["kid_invalid", withMember(`"kid":"${"k".repeat(129)}"`)],
  "an embedded jwk": ["header_member_unknown", withMember('"jwk":{"kty":"EC"}')],
  "a jku": ["header_member_unknown", withMember('"jku":"https://attacker.example/jwks.json"')],
  "an x5u": ["header_member_unknown", withMember('"x5u":"https://attacker.example/cert.pem"')],
  "an x5c": ["header_member_unknown", withMember('"x5c":[]')],
  "a typ": ["header_member_unknown", withMember('"typ":"JOSE"')],
  "a member named __proto__": ["header_member_unknown", withMember('"__proto__":{}')],
  "alg twice": ["header_member_duplicate", sign(HEADER.replace("{", '{"alg":"none",'))],
  "alg twice, the same": ["header_member_duplicate", withMember('"alg":"ES256"')],
  "alg twice, once escaped": ["header_member_duplicate", withMember('"\\u0061lg":"ES256"')],
  "kid twice": ["header_member_duplicate", sign(WITH_KID.replace("{", '{"kid":"k2",'))],
  "a header that is a list": ["header_not_object", sign(`[${HEADER}]`)],
  "a header that is null": ["header_not_object", sign("null")],
  "a truncated header": ["header_not_json", sign(HEADER.slice(0, -1))],
  "a header followed by other text": ["header_not_json", sign(`${HEADER}x`)],
  "a header with a trailing comma": ["header_not_json", replaced("}", ",}")],
  "a byte order mark": ["header_not_ascii", sign(`\ufeff${HEADER}`)],
  "a kid beyond ASCII": ["header_not_ascii", withMember('"kid":"é"')],
  "invalid UTF-8": ["header_not_ascii", sign(Buffer.from(WITH_KID.replace("k1", "\xff"), "latin1"))],
  "no header": ["jws_malformed", { jws: `..${SIGNATURE_TEXT}` }],
  "one dot": ["jws_malformed", { jws: `${HEADER_TEXT}.${SIGNATURE_TEXT}` }],
  "three dots": ["jws_malformed", { jws: `${HEADER_TEXT}...${SIGNATURE_TEXT}` }],
  "an empty value": ["jws_malformed", { jws: "" }],
  "the payload embedded": ["payload_embedded", { jws: VALID.replace("..", `.${base64url(PAYLOAD)}.`) }],
  "a header of 513 characters": ["jws_too_long", sign(HEADER.padEnd(385, " "))],
  "padding after the signature": ["base64url_invalid", { jws: `${VALID}==` }],
  "a line feed at the end": ["base64url_invalid", { jws: `${VALID}\n` }],
  "a space in front": ["base64url_invalid", { jws: ` ${VALID}` }],
  "the plain base64 alphabet": ["base64url_invalid", { jws: `${HEADER_TEXT}..+/${SIGNATURE_TEXT.slice(2)}` }],
  "trailing bits in the signature": ["base64url_not_canonical", { jws: nextLetter(VALID) }],
  "trailing bits in the header": ["base64url_not_canonical", looseHeader()],
  "no signature": ["signature_length", { jws: `${HEADER_TEXT}..` }],
  "63 bytes": ["signature_length", withSignature(SIGNATURE.subarray(1))],
  "65 bytes": ["signature_length", withSignature(Buffer.alloc(1), SIGNATURE)],
  "DER": ["signature_der", withSignature(p256.Signature.fromBytes(SIGNATURE).toBytes("der"))],
  "r is 0": ["signature_out_of_range", withSignature(Buffer.alloc(32), S)],
  "s is 0": ["signature_out_of_range", withSignature(R, Buffer.alloc(32))],
  "r is n": ["signature_out_of_range", withSignature(ORDER, S)],
  "s is n": ["signature_out_of_range", withSignature(R, ORDER)],
  "s is n + 1": ["signature_out_of_range", withSignature(R, ORDER_AND_1)],
  "r is 2^256 - 1": ["signature_out_of_range", withSignature(Buffer.alloc(32, 0xff), S)],
  "r and s swapped": ["signature_mismatch", withSignature(S, R)],
  "another payload": ["signature_mismatch", { jws: VALID, payload: Buffer.from(`${PAYLOAD}\n`) }],
  "the payload was signed as base64url": ["signature_mismatch", {
    jws: sign(HEADER, Buffer.from(base64url(PAYLOAD))).jws,
  }],
  "another header than the signed one": ["signature_mismatch", {
    jws: VALID.replace(HEADER_TEXT, base64url(WITH_KID)),
  }],
  "another key": ["signature_mismatch", {
    jws: `${HEADER_TEXT}..${base64url(signatureOf(HEADER_TEXT, PAYLOAD, OTHER_PRIVATE_KEY))}`,
  }],
};

/**
 * Raises the last letter by one. The decoded bytes stay the same:
 * the change is in bits that belong to no byte.
 */
function nextLetter(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1)!) + 1];
}

function looseHeader(): Case {
  const text = nextLetter(base64url(`${HEADER} `));
  return { jws: `${text}..${base64url(signatureOf(text, PAYLOAD))}` };
}

/**
 * The signer is @noble/curves, an independent implementation, so that the vectors check the package from
 * outside.
 */
export default function make(): VectorFile {
  const [x, y] = [1, 33].map((start) =>
    base64url(p256.getPublicKey(PRIVATE_KEY, false).slice(start, start + 32))
  );
  const jwk = { kty: "EC", crv: "P-256", x, y };
  const write = (name: string, { payload = PAYLOAD, jws }: Case) => ({
    name,
    jwk,
    payload_hex: Buffer.from(payload).toString("hex"),
    jws,
  });
  return {
    description:
      "Detached JWS with an unencoded payload: header..signature over ASCII(header) || '.' || payload (RFC 7515, " +
      "appendix F; RFC 7797), strict ES256. Each case gives the public key, the payload as hex, the JWS and whether it is " +
      "valid, and the reason if it is not. If the header is the reason, the signature itself is correct.",
    origin:
      "Written for this project; signed by @noble/curves with the public example key of RFC 6979, A.2.5.",
    cases: [
      ...Object.entries(ACCEPTED).map(([name, one]) => ({ ...write(name, one), valid: true })),
      ...Object.entries(REFUSED).map(([name, [reason, one]]) => ({
        ...write(name, one),
        valid: false,
        reason,
      })),
    ],
  };
}
