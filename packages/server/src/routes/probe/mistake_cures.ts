import type { ProbeMistake } from "@gold-partner/protocol";

/** Describes each mistake and its fix. The text follows the failed step's own detail. */
export const MISTAKE_CURES: Readonly<Record<ProbeMistake, string>> = {
  path_not_url:
    "You signed a part of the URL only: sign all of it, scheme, host, path and query, as the second line of canonical_string shows.",
  wrong_host:
    "You signed another scheme, host or port: sign the base URL of this environment, even if you connect through another name or a tunnel.",
  explicit_port:
    "You signed the URL with port 443 written out: sign the base URL as it is in the second line of canonical_string.",
  upper_case_hex: "You signed the body's SHA-256 in upper-case hex: write it in lower case.",
  upper_case_host: "You signed the scheme or host with capital letters: write both in lower case.",
  crlf: "You joined the lines with CR LF: join them with LF only.",
  trailing_newline: "You signed a line break after the last line: the text must end with the nonce.",
  payload_base64url:
    'You signed the base64url of canonical_string, as an ordinary JWS does: sign its bytes directly, with "b64":false and "crit":["b64"] in the protected header (RFC 7797).',
  der_signature:
    'The signature itself is correct, but your library encodes it in DER: make the library write r || s (Java: SHA256withECDSAinP1363Format; node:crypto: dsaEncoding "ieee-p1363"), or convert it.',
  milliseconds: "You sent milliseconds. Send and sign whole seconds: divide by 1000 and drop the fraction.",
  body_reserialised:
    "You signed another spelling of the same body (spaces, line breaks, order or escapes): write the body once, then hash and send exactly these bytes.",
};
