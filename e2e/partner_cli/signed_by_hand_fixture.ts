import { Buffer } from "node:buffer";
import { createHash, createPrivateKey, randomUUID, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Credentials } from "@gold-partner/dev";
import type { ProbeMistake } from "@gold-partner/protocol";

const TARGET = "/v1/signed-probe?trace=1";
const BODY = '{"quote_id":"qt_1"}';

/** The parts of a signed request. A mistake replaces one of them. */
interface Signing {
  readonly url: (base: string) => string;
  readonly body: string;
  readonly hex: (hex: string) => string;
  readonly timestamp: () => string;
  readonly text: (lines: readonly string[]) => string;
  readonly encoding: "ieee-p1363" | "der";
}

const RIGHT: Signing = {
  url: (base) => base + TARGET,
  body: BODY,
  hex: String,
  timestamp: () => `${Math.floor(Date.now() / 1000)}`,
  text: (lines) => lines.join("\n"),
  encoding: "ieee-p1363",
};

/** Each mistake that the probe knows, as a careless program makes it. */
export const MISTAKES: Readonly<Record<ProbeMistake, Partial<Signing>>> = {
  path_not_url: { url: () => TARGET },
  wrong_host: { url: (base) => base.replace("localhost", "127.0.0.1") + TARGET },
  explicit_port: { url: (base) => base.replace(/:\d+$/, ":443") + TARGET },
  upper_case_hex: { hex: (hex) => hex.toUpperCase() },
  upper_case_host: { url: (base) => base.toUpperCase() + TARGET },
  crlf: { text: (lines) => lines.join("\r\n") },
  trailing_newline: { text: (lines) => `${lines.join("\n")}\n` },
  payload_base64url: { text: (lines) => base64url(lines.join("\n")) },
  der_signature: { encoding: "der" },
  milliseconds: { timestamp: () => `${Date.now()}` },
  body_reserialised: { body: '{"quote_id": "qt_1"}' },
};

const base64url = (data: string | Uint8Array) => Buffer.from(data).toString("base64url");

/**
 * Signs a request to the probe with node:crypto, without this repository's code, and returns the request as
 * HTTP/1.1 writes it.
 */
export async function signedByHand(credentials: Credentials, mistake?: ProbeMistake): Promise<string> {
  const made = { ...RIGHT, ...(mistake ? MISTAKES[mistake] : {}) };
  const key = createPrivateKey(await readFile(credentials.signing_key, "utf8"));
  const [timestamp, nonce] = [made.timestamp(), randomUUID()];
  const hex = made.hex(createHash("sha256").update(made.body).digest("hex"));
  const text = made.text(["POST", made.url(credentials.base_url), hex, timestamp, nonce]);
  const header = base64url(JSON.stringify({ alg: "ES256", b64: false, crit: ["b64"] }));
  const signature = sign("sha256", Buffer.from(`${header}.${text}`), { key, dsaEncoding: made.encoding });
  return [
    `POST ${TARGET} HTTP/1.1`,
    `Host: ${new URL(credentials.base_url).host}`,
    `X-Timestamp: ${timestamp}`,
    `X-Nonce: ${nonce}`,
    `X-JWS-Signature: ${header}..${base64url(signature)}`,
    `Content-Length: ${BODY.length}`,
    "",
    // Editors end a file with a newline. It is not part of the body.
    `${BODY}\n`,
  ].join("\r\n");
}
