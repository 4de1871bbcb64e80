import { BoundedCache } from "./cache.ts";
import { decodeBase64url, type TextEncoding } from "./encoding.ts";
import { JwsError, type JwsReason } from "./errors.ts";

/** The rule for one member of a protected header. */
interface MemberRule {
  readonly reason: JwsReason;
  readonly optional?: boolean;
  /** Follows the member's name in the error message, such as `must be "ES256"`. */
  readonly requirement: string;
  accepts(value: unknown): boolean;
}

/** The members that a header may have; any other is refused. */
export type HeaderRules<H> = { readonly [Member in keyof H & string]-?: MemberRule };

/** A protected header that passed its rules. */
export interface ProtectedHeader<H> {
  readonly members: Readonly<H>;
  /** The header's base64url text. */
  readonly text: string;
  /** The bytes of `text` and a dot, with which the signing input begins. */
  readonly prefix: Uint8Array;
}

export const ALG_RULE: MemberRule = {
  reason: "alg_invalid",
  requirement: 'must be "ES256"',
  accepts: (value) => value === "ES256",
};
export const KID_RULE: MemberRule = visibleAscii("kid_invalid");
export const TYP_RULE: MemberRule = visibleAscii("typ_invalid");

/** Maximum length of a protected header's base64url text. */
export const MAX_HEADER_CHARS = 512;

/**
 * Number of cached headers. A sender needs one entry, because it repeats the same header in every request.
 */
export const REMEMBERED_HEADERS = 256;

/** Returns a function that reads protected headers by these rules, and caches them. */
export function headerReader<H extends object>(
  rules: HeaderRules<H>,
): (text: string) => ProtectedHeader<H> {
  const remembered = new BoundedCache<string, ProtectedHeader<H>>(REMEMBERED_HEADERS);
  return (text) => {
    const known = remembered.get(text);
    if (known) return known;
    checkLength(text);
    const members = parseMembers<H>(decodeAscii(text), rules);
    return remembered.set(text, { members, text, prefix: asciiBytes(`${text}.`) });
  };
}

/**
 * Writes a protected header with its members in the given order. Throws if the header is invalid or too long.
 */
export function writeHeader<H extends object>(
  given: H,
  rules: HeaderRules<H>,
  encoding: TextEncoding,
): ProtectedHeader<H> {
  const json = JSON.stringify(given);
  const members = parseMembers(json, rules);
  const text = encoding.base64url(encoding.utf8(json));
  checkLength(text);
  return { members, text, prefix: encoding.utf8(`${text}.`) };
}

/** The bytes that are signed: ASCII(header) ‖ "." ‖ payload (RFC 7515, section 5.1; RFC 7797, section 3). */
export function signingInput(prefix: Uint8Array, payload: Uint8Array): Uint8Array {
  checkPayload(payload);
  const input = new Uint8Array(prefix.length + payload.length);
  input.set(prefix);
  input.set(payload, prefix.length);
  return input;
}

export function checkPayload(payload: Uint8Array): void {
  if (payload instanceof Uint8Array) return;
  throw new JwsError("payload_not_bytes", "The payload must be a Uint8Array. Encode text as UTF-8 first.");
}

export function asciiBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

function checkLength(text: string): void {
  // `?.` lets a missing value pass here, because decodeBase64url() refuses every value that is not a string.
  if (!(text?.length > MAX_HEADER_CHARS)) return;
  throw new JwsError(
    "jws_too_long",
    `The protected header is ${text.length} characters long; at most ${MAX_HEADER_CHARS} are allowed. ` +
      "Use a shorter kid or typ, and no spaces.",
  );
}

function parseMembers<H extends object>(json: string, rules: HeaderRules<H>): Readonly<H> {
  const members = parseObject(json);
  const names = Object.keys(members);
  for (const name of names) {
    if (!Object.hasOwn(rules, name)) {
      throw new JwsError(
        "header_member_unknown",
        `The protected header has an unknown member ${excerpt(name)}. ` +
          `Only ${Object.keys(rules).join(", ")} are allowed; leave out all others.`,
      );
    }
  }
  for (const [name, rule] of Object.entries<MemberRule>(rules)) {
    if (Object.hasOwn(members, name) ? rule.accepts(members[name]) : rule.optional) continue;
    const found = Object.hasOwn(members, name) ? `is ${excerpt(members[name])}` : "is missing";
    throw new JwsError(
      rule.reason,
      `The protected header's member ${name} ${rule.requirement}; it ${found}.`,
    );
  }
  refuseDuplicates(json, names.length);
  return Object.freeze(members) as Readonly<H>;
}

function parseObject(json: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new JwsError("header_not_json", "The protected header is not JSON. Encode one JSON object.", {
      cause,
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new JwsError("header_not_object", "The protected header must be a JSON object.");
  }
  return value as Record<string, unknown>;
}

/**
 * JSON.parse keeps only the last of two members with the same name, even if their escapes differ. So this
 * function counts the colons outside of strings. No rule accepts an object as a value, so a header without
 * duplicates has exactly one colon for each member.
 */
function refuseDuplicates(json: string, nameCount: number): void {
  const memberCount = json.replace(/"(?:[^"\\]|\\.)*"/g, "").split(":").length - 1;
  if (memberCount === nameCount) return;
  throw new JwsError(
    "header_member_duplicate",
    "The protected header has a duplicate member, and parsers disagree about which value counts. Send each " +
      "member once.",
  );
}

function decodeAscii(text: string): string {
  const bytes = decodeBase64url(text, "protected header");
  if (bytes.some((byte) => byte >= 0x80)) {
    throw new JwsError(
      "header_not_ascii",
      "The protected header contains a byte outside ASCII, such as a byte order mark. Encode only the JSON text.",
    );
  }
  return String.fromCharCode(...bytes);
}

function visibleAscii(reason: JwsReason): MemberRule {
  return {
    reason,
    optional: true,
    requirement: "must be a string of 1 to 128 visible ASCII characters",
    accepts: (value) => typeof value === "string" && /^[!-~]{1,128}$/.test(value),
  };
}

/** Quotes a value for an error message as JSON, cut to 60 characters, because the value may be hostile. */
function excerpt(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}
