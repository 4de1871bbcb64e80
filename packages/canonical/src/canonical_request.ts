import { CanonicalError } from "./errors.ts";

/** What a signature covers, in the order in which it is signed. */
export interface CanonicalRequestParts {
  /** `POST`, as sent. */
  readonly method: string;
  /** The public base URL followed by the request target, byte for byte as sent. */
  readonly url: string;
  /** SHA-256 of the raw body in lower-case hex; an empty body has one, too. */
  readonly bodySha256: string;
  /** The X-Timestamp header. */
  readonly timestamp: string;
  /** The X-Nonce header. */
  readonly nonce: string;
}

/** One pass over the whole. No part can hold the line feed that parts are joined by, so the text has one reading. */
const CONFORMING = /^[!-~]+\n[!-~]+\n[0-9a-f]{64}\n[!-~]+\n[!-~]+$/;

/** The text that is signed for a request: its parts, one a line, without a line feed at the end. */
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
    "The parts are no object; pass { method, url, bodySha256, timestamp, nonce }.",
  );
}

/** Finds, off the hot path, the part that is at fault. */
function refusal(parts: CanonicalRequestParts): CanonicalError {
  const { method, url, timestamp, nonce } = parts;
  for (const [name, part] of Object.entries({ method, url, timestamp, nonce })) {
    // A caller without types may have left one out.
    if (!/^[!-~]+$/.test(part ?? "")) {
      return new CanonicalError(
        "invalid_part",
        `The ${name} is empty or holds something else than visible ASCII (a space, a control character, a letter ` +
          `beyond ASCII); pass it exactly as it is sent, percent-encoded where it is a URL.`,
      );
    }
  }
  return new CanonicalError(
    "invalid_body_hash",
    "The bodySha256 is not 64 lower-case hex digits; pass the SHA-256 of the raw body in that form.",
  );
}
