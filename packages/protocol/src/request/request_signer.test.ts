import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { CanonicalError, canonicalRequest } from "@gold-partner/canonical";
import {
  importSigningKey,
  importVerifyingKey,
  JwsError,
  keySigner,
  signDetached,
  type Signer,
  verifyDetached,
} from "@gold-partner/jws";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { hostBytes } from "../bytes.ts";
import { requestSigner, type RequestToSign } from "./mod.ts";

// The public example key of RFC 7515, appendix A.3.
const PUBLIC_JWK = {
  kty: "EC",
  crv: "P-256",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
};
const signer = keySigner(
  await importSigningKey({ ...PUBLIC_JWK, d: "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI" }),
  "bank-1",
);
const publicKey = await importVerifyingKey(PUBLIC_JWK);

const signRequest = requestSigner({ canonicalRequest, signDetached, bytes: hostBytes });
const ORDER: RequestToSign = {
  method: "POST",
  url: "https://api.gold.example/v1/orders",
  body: hostBytes.utf8('{"quote_id":"qt_01890a5d-ac96-774b-bcce-b302099a8057"}'),
  timestamp: "1700000000",
  nonce: "5f0c2a9be1d84736",
};

/** The signed text, built without canonicalRequest(). */
function textOf({ method, url, body, timestamp, nonce }: RequestToSign): Uint8Array {
  const bodyHash = createHash("sha256").update(body).digest("hex");
  return Buffer.from(`${method}\n${url}\n${bodyHash}\n${timestamp}\n${nonce}`);
}

describe("requestSigner()", () => {
  it("returns three headers, with a signature over method, URL, body hash, time and nonce", async () => {
    const headers = await signRequest(ORDER, signer);
    assertEquals(Object.keys(headers), ["X-Timestamp", "X-Nonce", "X-JWS-Signature"]);
    assertEquals([headers["X-Timestamp"], headers["X-Nonce"]], [ORDER.timestamp, ORDER.nonce]);
    assertEquals(await verifyDetached(headers["X-JWS-Signature"], textOf(ORDER), publicKey), publicKey);
  });
  it("writes the signer's kid into the protected header", async () => {
    const [header] = (await signRequest(ORDER, signer))["X-JWS-Signature"].split("..");
    assertEquals(JSON.parse(Buffer.from(header!, "base64url").toString()), {
      alg: "ES256",
      b64: false,
      crit: ["b64"],
      kid: "bank-1",
    });
  });
  it("makes a signature that covers every part of the request", async () => {
    const signature = (await signRequest(ORDER, signer))["X-JWS-Signature"];
    const changes: Partial<RequestToSign>[] = [
      { method: "PUT" },
      { url: `${ORDER.url}?` },
      { body: ORDER.body.slice(0, -1) },
      { timestamp: "1700000001" },
      { nonce: "5f0c2a9be1d84737" },
    ];
    for (const change of changes) {
      await assertRejects(
        () => verifyDetached(signature, textOf({ ...ORDER, ...change }), publicKey),
        JwsError,
      );
    }
  });
  it("signs an empty body and bytes that are not text", async () => {
    for (const body of [new Uint8Array(0), Uint8Array.of(0, 255, 128, 192, 10, 13)]) {
      const headers = await signRequest({ ...ORDER, body }, signer);
      await verifyDetached(headers["X-JWS-Signature"], textOf({ ...ORDER, body }), publicKey);
    }
  });
  it("encodes with the given byte primitives", async () => {
    const used = { utf8: 0, base64url: 0, sha256Hex: 0 };
    const bytes = {
      utf8: (text: string) => (used.utf8++, hostBytes.utf8(text)),
      base64url: (data: Uint8Array) => (used.base64url++, hostBytes.base64url(data)),
      sha256Hex: (data: Uint8Array) => (used.sha256Hex++, hostBytes.sha256Hex(data)),
    };
    await requestSigner({ canonicalRequest, signDetached, bytes })(ORDER, signer);
    for (const [name, times] of Object.entries(used)) {
      assertMatch(String(times), /^[1-9]/, `${name} was not used`);
    }
  });
  it("rejects a part that contains a line break, and signs nothing", async () => {
    let signatures = 0;
    const counting: Signer = { sign: (data) => (signatures++, signer.sign(data)) };
    const nonce = `${ORDER.nonce}\nx`;
    await assertRejects(() => signRequest({ ...ORDER, nonce }, counting), CanonicalError, "nonce");
    assertEquals(signatures, 0);
  });
});
