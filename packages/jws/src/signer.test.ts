import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { generatePair } from "../fixtures/raw_jws.ts";
import { JwsError } from "./errors.ts";
import { checkSignature } from "./signature.ts";
import { keySigner } from "./signer.ts";

const { privateKey, publicKey } = await generatePair();
const data = Uint8Array.of(1, 2, 3);

describe("keySigner()", () => {
  it("signs with the given key, and has the given kid", async () => {
    const signer = keySigner(privateKey, "k1");
    assertEquals(signer.kid, "k1");
    assertEquals("kid" in keySigner(privateKey), false);
    const signature = new Uint8Array(checkSignature(await signer.sign(data)));
    assertEquals(
      await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, publicKey, signature, data),
      true,
    );
  });
  it("signs only the bytes of a view, not its whole buffer", async () => {
    const view = Uint8Array.of(9, ...data, 9).subarray(1, 4);
    const signature = new Uint8Array(await keySigner(privateKey).sign(view));
    assertEquals(
      await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, publicKey, signature, data),
      true,
    );
  });
  it("passes whole buffers to Web Crypto, because k6 ignores the bounds of a view", async () => {
    const seen: ArrayBufferView[] = [];
    const { sign } = crypto.subtle;
    Object.defineProperty(crypto.subtle, "sign", {
      configurable: true,
      value(...args: Parameters<typeof sign>) {
        seen.push(args[2] as ArrayBufferView);
        return sign.apply(crypto.subtle, args);
      },
    });
    try {
      await keySigner(privateKey).sign(Uint8Array.of(9, ...data, 9).subarray(1, 4));
    } finally {
      Reflect.deleteProperty(crypto.subtle, "sign");
    }
    assertEquals(seen.map((view) => [...new Uint8Array(view.buffer)]), [[...data]]);
  });
  it("refuses a key that cannot sign with ES256", async () => {
    const p384 = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, false, [
      "sign",
      "verify",
    ]);
    const ecdh = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, false, [
      "deriveBits",
    ]);
    for (const key of [publicKey, p384.privateKey, ecdh.privateKey, null, undefined, "pem", {}]) {
      assertEquals(assertThrows(() => keySigner(key as never), JwsError).reason, "key_unusable");
    }
    assertThrows(() => keySigner(publicKey), JwsError, "This public ECDSA key for [verify] cannot sign");
    assertThrows(() => keySigner(null as never), JwsError, "This value is not a CryptoKey and cannot sign");
  });
});
