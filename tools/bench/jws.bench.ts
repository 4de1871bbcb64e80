import { canonicalRequest } from "@gold-partner/canonical";
import {
  importSigningKey,
  importVerifyingKey,
  keySigner,
  signDetached,
  verifyDetached,
} from "@gold-partner/jws";
import { hostBytes, parseWebhookSecret, signWebhook } from "@gold-partner/protocol";
import { FlattenedSign, flattenedVerify } from "jose";
import { Webhook } from "standardwebhooks";
import { generateJwk } from "../testing/generated_key.ts";
import { type Benchmark, type Contest, inFlight, interleaved, synchronous } from "./harness.ts";

const ES256 = { name: "ECDSA", hash: "SHA-256" };
const HEADER = { alg: "ES256", b64: false, crit: ["b64"] };
const IN_FLIGHT = 32;
// Each operation takes the next of these requests, so that caching the result of one request brings no
// advantage. A cached key does, because a real sender also uses one key for many requests.
const REQUESTS = 64;

const body = new Uint8Array(100).fill(0x20);

function canonicalBytes(index: number): Uint8Array<ArrayBuffer> {
  const text = canonicalRequest({
    method: "POST",
    url: "https://api.gold.example/v1/orders",
    bodySha256: hostBytes.sha256Hex(body),
    timestamp: "1700000000",
    nonce: `5f0c2a9be1d84736-${index}`,
  });
  return hostBytes.utf8(text) as Uint8Array<ArrayBuffer>;
}

async function newKeyPair() {
  const { d, ...publicJwk } = await generateJwk();
  return {
    privateKey: await importSigningKey({ ...publicJwk, d }),
    publicKey: await importVerifyingKey(publicJwk),
  };
}

/** Signs or verifies the request with this index. */
type Operation = (index: number) => Promise<unknown>;

function contest(
  name: string,
  [ours, raw, jose]: [string, string, string],
  operations: [Operation, Operation, Operation],
): Contest[] {
  return [1, IN_FLIGHT].map((width) => ({
    name: `${name}, ${width} in flight`,
    measure: interleaved({
      [ours]: inFlight(width, operations[0]),
      [raw]: inFlight(width, operations[1]),
      [jose]: inFlight(width, operations[2]),
    }),
    goals: [{ ours, peer: raw, atLeast: 0.95 }, { ours, peer: jose, atLeast: 1.3 }],
  }));
}

async function signatureContests(): Promise<Contest[]> {
  const { privateKey, publicKey } = await newKeyPair();
  const signer = keySigner(privateKey);
  const requests = await Promise.all(Array.from({ length: REQUESTS }, async (_, index) => {
    const payload = canonicalBytes(index);
    const jws = await signDetached(payload, signer, hostBytes);
    const [header = "", , signature = ""] = jws.split(".");
    const input = new Uint8Array([...hostBytes.utf8(`${header}.`), ...payload]);
    return {
      payload,
      jws,
      flattened: { protected: header, payload, signature },
      input,
      raw: fromBase64url(signature),
    };
  }));
  const requestOf = (index: number) => requests[index % REQUESTS]!;

  return [
    ...contest("verify a request's signature", [
      "verifyDetached",
      "crypto.subtle.verify",
      "jose flattenedVerify",
    ], [
      (index) => verifyDetached(requestOf(index).jws, requestOf(index).payload, publicKey),
      async (index) => {
        const { raw, input } = requestOf(index);
        if (!await crypto.subtle.verify(ES256, publicKey, raw, input)) {
          throw new Error("A valid signature was refused.");
        }
      },
      (index) => flattenedVerify(requestOf(index).flattened, publicKey),
    ]),
    ...contest("sign a request", ["signDetached", "crypto.subtle.sign", "jose FlattenedSign"], [
      (index) => signDetached(requestOf(index).payload, signer, hostBytes),
      (index) => crypto.subtle.sign(ES256, privateKey, requestOf(index).input),
      (index) => new FlattenedSign(requestOf(index).payload).setProtectedHeader(HEADER).sign(privateKey),
    ]),
  ];
}

function canonicalContest(): Contest {
  const ours = "body hash, canonical text, bytes";
  return {
    name: "build the bytes to sign for a request with a body of 100 bytes",
    measure: interleaved({ [ours]: synchronous(canonicalBytes) }),
    goals: [{ ours, atMostMicros: 3 }],
  };
}

async function webhookContest(): Promise<Contest> {
  const secret = `whsec_${"A".repeat(43)}=`;
  const [id, timestamp, body] = ["evt_01890a5d-ac96-774b-bcce-b302099a8057", 1_700_000_000, "x".repeat(1000)];
  const [secrets, date, content] = [
    [parseWebhookSecret(secret)],
    new Date(timestamp * 1000),
    hostBytes.utf8(body),
  ];
  const peer = new Webhook(secret);
  const key = await crypto.subtle.importKey(
    "raw",
    new Uint8Array(32),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return {
    name: "sign a webhook of 1,000 bytes",
    measure: interleaved({
      signWebhook: synchronous(() => signWebhook({ id, timestamp, body }, secrets)),
      standardwebhooks: synchronous(() => peer.sign(id, date, body)),
      "crypto.subtle HMAC alone": inFlight(
        1,
        () => crypto.subtle.sign("HMAC", key, content as Uint8Array<ArrayBuffer>),
      ),
    }),
    goals: [{ ours: "signWebhook", peer: "standardwebhooks", atLeast: 1.4 }],
  };
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    atob(text.replaceAll("-", "+").replaceAll("_", "/")),
    (character) => character.charCodeAt(0),
  );
}

export default {
  about: "request signatures against raw Web Crypto and jose; webhooks against standardwebhooks",
  async open() {
    return { contests: [...await signatureContests(), canonicalContest(), await webhookContest()] };
  },
} satisfies Benchmark;
