import { CanonicalError } from "./errors.ts";

/** The parts of a request that its signature covers, in the order in which they are signed. */
export interface CanonicalRequestParts {
  /** The method as sent, such as `POST`. */
  readonly method: string;
  /** The public base URL followed by the request target, byte for byte as sent. */
  readonly url: string;
  /** SHA-256 of the raw body in lower-case hex. An empty body is hashed too. */
  readonly bodySha256: string;
  /** The X-Timestamp header. */
  readonly timestamp: string;
  /** The X-Nonce header. */
  readonly nonce: string;
}

/** Checks all parts at once. No part can hold the line feed that joins them, so the text is unambiguous. */
const CONFORMING = /^[!-~]+\n[!-~]+\n[0-9a-f]{64}\n[!-~]+\n[!-~]+$/;

/**
 * Builds the text that is signed for a request: one part per line, without a line feed at the end. Nothing is
 * normalised, so pass each part exactly as it is sent.
 *
 * @param parts The method, URL, body hash, timestamp and nonce.
 * @returns The text. The signature covers its bytes.
 * @throws {CanonicalError} `invalid_part`: `parts` is not an object, or a part other than the hash is empty
 * or holds anything but visible ASCII.
 * @throws {CanonicalError} `invalid_body_hash`: `bodySha256` is not 64 lower-case hex digits.
 *
 * @example
 * ```ts
 * import { canonicalRequest } from "@gold-partner/canonical";
 * import { createHash } from "node:crypto";
 *
 * const text = canonicalRequest({
 *   method: "POST",
 *   url: "https://api.gold.example/v1/quotes",
 *   bodySha256: createHash("sha256").update('{"side":"buy","gold_grams":1.50}').digest("hex"),
 *   timestamp: "1700000000",
 *   nonce: "5f0c2a9be1d84736",
 * });
 * console.log(text.split("\n").length); // 5
 * ```
 */
export function canonicalRequest(parts: CanonicalRequestParts): string {
  if (typeof parts !== "object" || parts === null) throw noParts();
  const { method, url, bodySha256, timestamp, nonce } = parts;
  const text = [method, url, bodySha256, timestamp, nonce].join("\n");
  if (!CONFORMING.test(text)) throw refusal(parts);
  return text;
}

function noParts(): CanonicalError {
  return new CanonicalError(
    "invalid_part",
    "The parts must be an object; pass { method, url, bodySha256, timestamp, nonce }.",
  );
}

/** Finds the invalid part. It runs only after CONFORMING has failed, so valid requests do not pay for it. */
function refusal(parts: CanonicalRequestParts): CanonicalError {
  const { method, url, timestamp, nonce } = parts;
  for (const [name, part] of Object.entries({ method, url, timestamp, nonce })) {
    // A missing part becomes an empty text, because a JavaScript caller may have left it out.
    if (!/^[!-~]+$/.test(part ?? "")) {
      return new CanonicalError(
        "invalid_part",
        `The ${name} is empty or contains a character that is not visible ASCII (such as a space, a control ` +
          `character or a non-ASCII letter); pass it exactly as the request sends it. A URL must be percent-encoded.`,
      );
    }
  }
  return new CanonicalError(
    "invalid_body_hash",
    "bodySha256 must be 64 lower-case hex digits; pass the SHA-256 of the raw body in lower-case hex.",
  );
}
