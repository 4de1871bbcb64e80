import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import {
  EXPLICIT_CURVES,
  other,
  PRIVATE_SOURCES,
  PUBLIC_SOURCES,
  type Refusals,
  REFUSED_BY_BOTH,
  REFUSED_TO_SIGN,
  REFUSED_TO_VERIFY,
} from "../fixtures/key_sources.ts";
import { PKCS8_PEM, PRIVATE_JWK, PUBLIC_JWK, SEC1_PEM } from "../fixtures/published_key.ts";
import { signDetached, verifyDetached } from "./detached.ts";
import { decodeBase64url } from "./encoding.ts";
import { JwsError } from "./errors.ts";
import { exportPublicJwk } from "./jwk.ts";
import { importSigningKey, importVerifyingKey } from "./keys.ts";
import { keySigner } from "./signer.ts";

type Import = (source: never) => Promise<unknown>;

async function refuses(importKey: Import, refusals: Refusals): Promise<void> {
  for (const [reason, name, source] of refusals) {
    const error = await assertRejects(() => importKey(source as never), JwsError, undefined);
    assertEquals(error.reason, reason, `${name}: ${error.message}`);
  }
}

describe("importSigningKey()", () => {
  it("takes the same key in every form", async () => {
    const verifyingKey = await importVerifyingKey(PUBLIC_JWK);
    const payload = Uint8Array.of(1, 2, 3);
    for (const [name, source] of Object.entries(PRIVATE_SOURCES)) {
      const key = await importSigningKey(source);
      assertEquals([key.type, key.extractable, key.usages], ["private", false, ["sign"]], name);
      await verifyDetached(await signDetached(payload, keySigner(key)), payload, verifyingKey);
    }
  });
  it("gives an extractable key when asked to", async () => {
    const key = await importSigningKey(SEC1_PEM, { extractable: true });
    assertEquals((await crypto.subtle.exportKey("jwk", key)).d, PRIVATE_JWK.d);
  });
  it("refuses what is no P-256 private key", async () => {
    await refuses(importSigningKey, [...REFUSED_BY_BOTH, ...REFUSED_TO_SIGN]);
  });
  it("says of a curve that is spelt out that it must be named", async () => {
    for (const [name, pem] of EXPLICIT_CURVES) {
      const error = await assertRejects(() => importSigningKey(pem), JwsError, "instead of naming it");
      assertEquals(error.reason, "key_unsupported", name);
    }
  });
  it("never quotes a private key in an error", async () => {
    const secret = PRIVATE_JWK.d;
    const sources = [`{"d":"${secret}"`, { ...PRIVATE_JWK, d: `${secret}${secret}` }, {
      ...other,
      d: secret,
    }];
    for (const source of sources) {
      const error = await assertRejects(() => importSigningKey(source as string), JwsError);
      assertEquals(`${error.message} ${error.cause} ${error.stack}`.includes(secret), false);
    }
  });
});

describe("importVerifyingKey()", () => {
  it("takes the same key in every form", async () => {
    for (const [name, source] of Object.entries(PUBLIC_SOURCES)) {
      const key = await importVerifyingKey(source);
      assertEquals([key.type, key.usages], ["public", ["verify"]], name);
      assertEquals(await exportPublicJwk(key), PUBLIC_JWK, name);
    }
  });
  it("gives the key that it gave before for the same source", async () => {
    for (const source of Object.values(PUBLIC_SOURCES)) {
      assertStrictEquals(await importVerifyingKey(source), await importVerifyingKey(source));
    }
    assertStrictEquals(await importVerifyingKey({ ...PUBLIC_JWK }), await importVerifyingKey(PUBLIC_JWK));
  });
  it("takes no name of a known point for a key", async () => {
    await importVerifyingKey(PUBLIC_JWK);
    const point = Buffer.from([4, ...decodeBase64url(PUBLIC_JWK.x), ...decodeBase64url(PUBLIC_JWK.y)]);
    for (const prefix of ["", "point ", "point:"]) {
      const name = `${prefix}${point.toString("base64url")}`;
      assertEquals((await assertRejects(() => importVerifyingKey(name), JwsError)).reason, "key_malformed");
    }
  });
  it("judges a JWK's use even when its point is known", async () => {
    await importVerifyingKey(PUBLIC_JWK);
    const error = await assertRejects(() => importVerifyingKey({ ...PUBLIC_JWK, use: "enc" }), JwsError);
    assertEquals(error.reason, "key_unusable");
  });
  it("refuses what is no P-256 public key", async () => {
    await refuses(importVerifyingKey, [...REFUSED_BY_BOTH, ...REFUSED_TO_VERIFY]);
  });
  it("tells the sender of a private key what to do", async () => {
    await assertRejects(() => importVerifyingKey(SEC1_PEM), JwsError, "Never send it to anyone");
  });
});

describe("exportPublicJwk()", () => {
  it("gives the public members of an extractable private key too", async () => {
    assertEquals(await exportPublicJwk(await importSigningKey(PKCS8_PEM, { extractable: true })), PUBLIC_JWK);
  });
  it("refuses a key that cannot be exported or is none of P-256", async () => {
    const p384 = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, true, [
      "sign",
      "verify",
    ]);
    for (const key of [await importSigningKey(PKCS8_PEM), p384.publicKey, null, {}]) {
      assertEquals(
        (await assertRejects(() => exportPublicJwk(key as never), JwsError)).reason,
        "key_unusable",
      );
    }
  });
});
