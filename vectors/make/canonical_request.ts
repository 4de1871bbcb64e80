import { createHash } from "node:crypto";
import type { CanonicalReason } from "@gold-partner/canonical";
import type { VectorFile } from "./vector_file.ts";

/** A request as sent. The body is text, or hex if it is not text. */
interface Request {
  readonly method: string;
  readonly url: string;
  readonly body_utf8?: string;
  readonly body_hex?: string;
  readonly timestamp: string;
  readonly nonce: string;
}

const ORDER: Request = {
  method: "POST",
  url: "https://api.gold.example/v1/orders",
  body_utf8: '{"quote_id":"qt_01890a5d-ac96-774b-bcce-b302099a8057"}',
  timestamp: "1700000000",
  nonce: "5f0c2a9be1d84736",
};

const EMPTY_BODY: Partial<Request> = { body_utf8: "" };

/** Every visible ASCII character except the comma, which joins repeated headers. */
const VISIBLE_ASCII = Array.from({ length: 0x7f - 0x21 }, (_, index) => String.fromCharCode(0x21 + index))
  .filter((character) => character !== ",").join("");

const ACCEPTED: Record<string, Partial<Request>> = {
  "an order": {},
  "the method as sent: GET, and an empty body": { method: "GET", url: `${ORDER.url}/ord_1`, ...EMPTY_BODY },
  "the method as sent: DELETE": { method: "DELETE", ...EMPTY_BODY },
  "the method as sent: PATCH": { method: "PATCH" },
  "the method as sent: lower case stays lower case": { method: "post" },
  "a body with different white space": {
    body_utf8: '{ "quote_id": "qt_01890a5d-ac96-774b-bcce-b302099a8057" }',
  },
  "a body that ends in a line feed": { body_utf8: '{"amount_sar":1}\n' },
  "a body with CRLF": { body_utf8: '{\r\n  "amount_sar": 1\r\n}' },
  "a body beyond ASCII": { body_utf8: '{"amount_sar":1.5,"reference":"ذهب 🪙"}' },
  "a body that is not UTF-8": { body_hex: "00ff80c0af0d0a1a" },
  "a query string": { method: "GET", url: `${ORDER.url}?limit=20&cursor=b3Jk`, ...EMPTY_BODY },
  "a query string is not sorted": { method: "GET", url: `${ORDER.url}?z=1&a=2&z=0`, ...EMPTY_BODY },
  "an empty query string keeps its question mark": { method: "GET", url: `${ORDER.url}?`, ...EMPTY_BODY },
  "percent-encodings are kept: %2F and %2f differ": { url: "https://api.gold.example/v1/a%2Fb%2fc" },
  "percent-encodings are kept: unnecessary encodings stay": {
    url: "https://api.gold.example/v1/%6frders?x=%7E",
  },
  "percent-encodings are kept: %20 and + differ": { url: `${ORDER.url}?x=a%20b+c%2Bd` },
  "percent-encodings are kept: UTF-8": { url: `${ORDER.url}?x=%D8%B0%D9%87%D8%A8` },
  "dot segments and double slashes are kept": { url: "https://api.gold.example/v1/./x/..//orders" },
  "a trailing slash is kept": { url: `${ORDER.url}/` },
  "a port": { url: "https://localhost:8443/v1/orders" },
  "an IPv4 address and a port": { url: "https://127.0.0.1:8443/v1/orders" },
  "an IPv6 address": { url: "https://[2001:db8::7]/v1/orders" },
  "an IPv6 address and a port": { url: "https://[::1]:8443/v1/orders?x=[y]" },
  "the smallest timestamp": { timestamp: "1000000000" },
  "the largest timestamp": { timestamp: "9999999999" },
  "a nonce of 16 characters": { nonce: "0123456789abcdef" },
  "a nonce of 128 characters": { nonce: VISIBLE_ASCII.padEnd(128, "0") },
  "a nonce that looks like the end of a shell command": { nonce: "$(id);`id`&&'x'\"" },
};

const REFUSED: Record<string, readonly [CanonicalReason, Partial<Request> & { body_sha256?: string }]> = {
  "an empty method": ["invalid_part", { method: "" }],
  "a method with a line feed, which would move the URL": ["invalid_part", {
    method: "POST\nhttps://x.example/",
  }],
  "an empty URL": ["invalid_part", { url: "" }],
  "a URL with a space": ["invalid_part", { url: "https://api.gold.example/v1/orders?x=a b" }],
  "a URL with a line feed": ["invalid_part", { url: "https://api.gold.example/v1/orders\n" }],
  "a URL with a carriage return": ["invalid_part", { url: "https://api.gold.example/v1/orders\r" }],
  "a URL with a tab": ["invalid_part", { url: "https://api.gold.example/v1/orders?\t" }],
  "a URL with a NUL": ["invalid_part", { url: "https://api.gold.example/v1/orders\0" }],
  "a URL with a DEL": ["invalid_part", { url: "https://api.gold.example/v1/orders\x7f" }],
  "a URL with a C1 control character": ["invalid_part", { url: "https://api.gold.example/\x85" }],
  "a URL with a line separator": ["invalid_part", { url: "https://api.gold.example/\u2028" }],
  "a URL beyond ASCII": ["invalid_part", { url: "https://api.gold.example/ذهب" }],
  "an empty timestamp": ["invalid_part", { timestamp: "" }],
  "a timestamp with CRLF": ["invalid_part", { timestamp: "1700000000\r\n" }],
  "a timestamp followed by a line feed and a nonce": ["invalid_part", {
    timestamp: "1700000000\nabcdefghijklmnop",
  }],
  "an empty nonce": ["invalid_part", { nonce: "" }],
  "a nonce that ends in a line feed": ["invalid_part", { nonce: "0123456789abcdef\n" }],
  "a nonce with a space": ["invalid_part", { nonce: "0123456789 abcdef" }],
  "a body hash in upper case": ["invalid_body_hash", { body_sha256: sha256("").toUpperCase() }],
  "a body hash of 63 digits": ["invalid_body_hash", { body_sha256: "a".repeat(63) }],
  "a body hash of 65 digits": ["invalid_body_hash", { body_sha256: "a".repeat(65) }],
  "a body hash with a letter beyond f": ["invalid_body_hash", { body_sha256: "g".repeat(64) }],
  "a body hash in base64url": ["invalid_body_hash", {
    body_sha256: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
  }],
  "a body hash with a line feed": ["invalid_body_hash", { body_sha256: "a".repeat(64) + "\n" }],
  "an empty body hash": ["invalid_body_hash", { body_sha256: "" }],
};

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

function bodyOf(request: Request): Uint8Array {
  if (request.body_hex !== undefined) return Buffer.from(request.body_hex, "hex");
  return Buffer.from(request.body_utf8 ?? "", "utf8");
}

function complete(change: Partial<Request>): Request {
  const { body_utf8: _, ...rest } = ORDER;
  return change.body_hex === undefined ? { ...ORDER, ...change } : { ...rest, ...change };
}

/**
 * The expected texts are joined here, without the package's
 * code, so that the vectors are an independent check of it.
 */
export default function make(): VectorFile {
  const accepted = Object.entries(ACCEPTED).map(([name, change]) => {
    const request = complete(change);
    const bodySha256 = sha256(bodyOf(request));
    const canonical = [request.method, request.url, bodySha256, request.timestamp, request.nonce].join("\n");
    return { name, ...request, body_sha256: bodySha256, canonical, canonical_sha256: sha256(canonical) };
  });
  const refused = Object.entries(REFUSED).map(([name, [reason, change]]) => {
    const request = complete(change);
    return { name, ...request, body_sha256: change.body_sha256 ?? sha256(bodyOf(request)), reason };
  });
  return {
    description:
      "The text that is signed for a request: method, url, SHA-256 of the body in lower-case hex, timestamp and nonce, " +
      "joined by line feeds, without a line feed at the end. Each case gives the body as body_utf8 or body_hex, and " +
      "either canonical and the SHA-256 of its bytes, or the reason why the request is refused.",
    origin: "Written for this project.",
    cases: [...accepted, ...refused],
  };
}
