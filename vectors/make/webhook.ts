import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { WebhookErrorReason } from "@gold-partner/protocol";
import type { VectorFile } from "./vector_file.ts";

/** A message to sign. The body is text, or hex if it is not text. */
interface Message {
  readonly secrets: readonly string[];
  readonly id: string;
  readonly timestamp: number;
  readonly body_utf8?: string;
  readonly body_hex?: string;
}

/**
 * A webhook as the receiver gets it. A `null` header is left out. `client_id` is the receiver's own; without it, the
 * receiver compares none.
 */
interface Delivery {
  readonly client_id?: string;
  readonly secrets?: readonly string[];
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body_utf8?: string;
  readonly now_seconds?: number;
}

const secretOf = (fill: number, length: number): string =>
  `whsec_${Buffer.alloc(length, fill).toString("base64")}`;
const [OLD, NEW, FOREIGN] = [secretOf(0xa5, 32), secretOf(0x3c, 32), secretOf(0x77, 32)];

const EVENT = {
  secrets: [OLD],
  id: "evt_01890a5d-ac96-774b-bcce-b302099a8057",
  timestamp: 1700000000,
  body_utf8: '{"type":"webhook.test","sequence":1}',
} satisfies Message;

const OWN = "sbx_k2m7q4x9t3v8n5r6b2hd";
const OTHER = "sbx_7c1wz0p5f8d3j6y4g9sa";

/** A correctly signed event for an endpoint of this partner. Without a partner, the body is of a release before 0.7.0. */
function eventFor(client_id?: string): Delivery {
  const body_utf8 = JSON.stringify({
    ...{ type: "webhook.test", id: EVENT.id, sequence: 1, created_at: "2023-11-14T22:13:20.000Z" },
    ...{ environment: "sandbox", api_version: "1", data: { chain_head: "5a".repeat(32) } },
    ...client_id && { previous_sequence: null, client_id },
  });
  return { headers: { "webhook-signature": signatureOf(OLD, { ...EVENT, body_utf8 }) }, body_utf8 };
}

const SIGNED: Record<string, Message> = {
  "Standard Webhooks' published example": {
    secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1614265330,
    body_utf8: '{"test": 2432232314}',
  },
  "an event": EVENT,
  "while secrets overlap: one signature per secret, in their order": { ...EVENT, secrets: [OLD, NEW] },
  "the shortest secret: 24 bytes": { ...EVENT, secrets: [secretOf(1, 24)] },
  "the longest secret: 64 bytes": { ...EVENT, secrets: [secretOf(2, 64)] },
  "a secret of 25 bytes: two characters of padding": { ...EVENT, secrets: [secretOf(3, 25)] },
  "an empty body": { ...EVENT, body_utf8: "" },
  "a body beyond ASCII": { ...EVENT, body_utf8: '{"note":"ذهب 🪙"}' },
  "a body that ends in a line feed": { ...EVENT, body_utf8: `${EVENT.body_utf8}\n` },
  "a body that is not UTF-8": {
    secrets: [OLD],
    id: EVENT.id,
    timestamp: EVENT.timestamp,
    body_hex: "00ff80c0af0d0a1a",
  },
};

const [SIGNATURE, NEW_SIGNATURE] = [signatureOf(OLD, EVENT), signatureOf(NEW, EVENT)];

const ACCEPTED: Record<string, Delivery> = {
  "unchanged": {},
  "the receiver has the old secret, the sender has both": {
    headers: { "webhook-signature": `${NEW_SIGNATURE} ${SIGNATURE}` },
  },
  "the receiver has both secrets, the sender has the old one": { secrets: [NEW, OLD] },
  "an unknown version beside a known one": { headers: { "webhook-signature": `v9,AAAA ${SIGNATURE}` } },
  "a wrong signature beside a right one": {
    headers: { "webhook-signature": `${NEW_SIGNATURE} ${SIGNATURE}` },
  },
  "300 seconds late": { now_seconds: EVENT.timestamp + 300 },
  "300 seconds early": { now_seconds: EVENT.timestamp - 300 },
  "the receiver's client_id": { client_id: OWN, ...eventFor(OWN) },
  "no client_id: a body from before 0.7.0": { client_id: OWN, ...eventFor() },
  "another client_id, and a receiver that compares none": eventFor(OTHER),
};

const REFUSED: Record<string, readonly [WebhookErrorReason, Delivery]> = {
  "another body": ["signature_mismatch", { body_utf8: EVENT.body_utf8.replace("1", "2") }],
  "a body that was parsed and serialized again": [
    "signature_mismatch",
    { body_utf8: EVENT.body_utf8.replaceAll(/([:,])/g, "$1 ") },
  ],
  "another id": ["signature_mismatch", {
    headers: { "webhook-id": "evt_01890a5d-ac96-774b-bcce-b302099a8058" },
  }],
  "another timestamp": ["signature_mismatch", { headers: { "webhook-timestamp": "1700000001" } }],
  "another secret": ["signature_mismatch", { secrets: [FOREIGN] }],
  "a signature without its padding": [
    "signature_mismatch",
    { headers: { "webhook-signature": SIGNATURE.replace("=", "") } },
  ],
  "a signature in hex": [
    "signature_mismatch",
    { headers: { "webhook-signature": `v1,${Buffer.from(SIGNATURE.slice(3), "base64").toString("hex")}` } },
  ],
  "a signature without its version": [
    "signature_version_unknown",
    { headers: { "webhook-signature": SIGNATURE.slice(3) } },
  ],
  "an unknown version": [
    "signature_version_unknown",
    { headers: { "webhook-signature": SIGNATURE.replace("v1", "v2") } },
  ],
  "no signature": ["header_missing", { headers: { "webhook-signature": null } }],
  "no id": ["header_missing", { headers: { "webhook-id": null } }],
  "no timestamp": ["header_missing", { headers: { "webhook-timestamp": null } }],
  "an id with a full stop": ["header_invalid", { headers: { "webhook-id": "evt.1" } }],
  "a timestamp in milliseconds": ["header_invalid", { headers: { "webhook-timestamp": "1700000000000" } }],
  "a timestamp with a plus sign": ["header_invalid", { headers: { "webhook-timestamp": "+1700000000" } }],
  "301 seconds late": ["timestamp_too_old", { now_seconds: EVENT.timestamp + 301 }],
  "301 seconds early": ["timestamp_too_new", { now_seconds: EVENT.timestamp - 301 }],
  "another client_id": ["client_mismatch", { client_id: OWN, ...eventFor(OTHER) }],
  "a client_id in upper case": ["client_mismatch", { client_id: OWN, ...eventFor(OWN.toUpperCase()) }],
  "another client_id, signed with another secret": [
    "signature_mismatch",
    { client_id: OWN, ...eventFor(OTHER), secrets: [FOREIGN] },
  ],
};

const REFUSED_SECRETS: Record<string, string> = {
  "no prefix": OLD.slice("whsec_".length),
  "no padding": OLD.replace("=", ""),
  "a line feed at the end": `${OLD}\n`,
  "the base64url alphabet": secretOf(0xff, 30).replaceAll("/", "_"),
  "non-zero trailing bits": secretOf(0, 32).replace("A=", "B="),
  "23 bytes": secretOf(4, 23),
  "65 bytes": secretOf(4, 65),
};

function signatureOf(secret: string, { id, timestamp, body_utf8, body_hex }: Message): string {
  const body = body_hex === undefined ? Buffer.from(body_utf8 ?? "", "utf8") : Buffer.from(body_hex, "hex");
  const mac = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"));
  return `v1,${mac.update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

function arrival({ headers, ...changes }: Delivery): Record<string, unknown> {
  const all = {
    "webhook-id": EVENT.id,
    "webhook-timestamp": String(EVENT.timestamp),
    "webhook-signature": SIGNATURE,
    ...headers,
  };
  return {
    secrets: [OLD],
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)),
    body_utf8: EVENT.body_utf8,
    now_seconds: EVENT.timestamp,
    ...changes,
  };
}

export default function make(): VectorFile {
  return {
    description:
      "Webhook signatures. Sign a case with id: its secrets give signature, the whole webhook-signature header. Verify a " +
      "case with headers at now_seconds with a tolerance of 300 s: it is valid, or refused with the reason. client_id is " +
      "that of the receiver. A case with secret has an invalid secret. The body is given as body_utf8 or body_hex.",
    origin: "Standard Webhooks, if the name says so. Otherwise written for this project.",
    cases: [
      ...Object.entries(SIGNED).map(([name, message]) => ({
        name,
        ...message,
        signature: message.secrets.map((secret) => signatureOf(secret, message)).join(" "),
      })),
      ...Object.entries(ACCEPTED).map(([name, delivery]) => ({ name, ...arrival(delivery), valid: true })),
      ...Object.entries(REFUSED).map(([name, [reason, delivery]]) => ({
        name,
        ...arrival(delivery),
        valid: false,
        reason,
      })),
      ...Object.entries(REFUSED_SECRETS).map(([name, secret]) => ({
        name,
        secret,
        reason: "secret_invalid",
      })),
    ],
  };
}
