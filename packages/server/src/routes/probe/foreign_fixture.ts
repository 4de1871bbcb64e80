import { Buffer } from "node:buffer";
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";

/**
 * A request of a client that shares no code with the service: node:crypto signs, and the lines are joined by
 * hand.
 */
export interface ForeignRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string | Uint8Array;
  readonly timestamp: string;
  readonly nonce: string;
}

/**
 * The parts of a request that a careless client makes in another way. A part that is not given is made
 * correctly.
 */
export interface Carelessness {
  readonly url?: string;
  /** The text whose hash is signed instead of the body's hash. */
  readonly body?: string | Uint8Array;
  readonly timestamp?: string;
  readonly hash?: (hex: string) => string;
  readonly lines?: (lines: readonly string[]) => string;
  readonly payload?: (text: string) => string;
  readonly header?: object;
  readonly encoding?: "der" | "ieee-p1363";
  readonly text?: "base64url" | "base64";
}

export const base64url = (data: string | Uint8Array): string => Buffer.from(data).toString("base64url");

export function foreignSignature(
  key: KeyObject,
  { method, url, body, timestamp, nonce }: ForeignRequest,
  careless: Carelessness = {},
): string {
  const hex = createHash("sha256").update(careless.body ?? body).digest("hex");
  const lines = [
    method,
    careless.url ?? url,
    (careless.hash ?? String)(hex),
    careless.timestamp ?? timestamp,
    nonce,
  ];
  const text = (careless.lines ?? ((all) => all.join("\n")))(lines);
  const header = base64url(JSON.stringify(careless.header ?? { alg: "ES256", b64: false, crit: ["b64"] }));
  const input = Buffer.from(`${header}.${(careless.payload ?? String)(text)}`);
  const signature = sign("sha256", input, { key, dsaEncoding: careless.encoding ?? "ieee-p1363" });
  return `${header}..${signature.toString(careless.text ?? "base64url")}`;
}

export const foreignKey = (jwk: object): KeyObject =>
  createPrivateKey({ key: jwk as Record<string, string>, format: "jwk" });

export const newForeignPair = (): { privateKey: KeyObject; publicKey: KeyObject } => {
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  // Returns copies, because Node 20 deadlocks if garbage collection frees the job that generated a key while
  // that key is being exported as a JWK.
  return { privateKey: createPrivateKey(privateKey), publicKey: createPublicKey(privateKey) };
};
