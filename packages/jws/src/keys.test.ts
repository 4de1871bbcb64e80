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
import { refused } from "./refused_fixture.ts";

type Import = (source: never) => Promise<unknown>;

async function refuses(importKey: Import, refusals: Refusals): Promise<void> {
  for (const [reason, name, source] of refusals) {
    await refused(() => importKey(source as never), reason, name);
  }
}

describe("importSigningKey()", () => {
  it("imports the same key from every format", async () => {
    const verifyingKey = await importVerifyingKey(PUBLIC_JWK);
    const payload = Uint8Array.of(1, 2, 3);
    for (const [name, source] of Object.entries(PRIVATE_SOURCES)) {
      const key = await importSigningKey(source);
      assertEquals([key.type, key.extractable, key.usages], ["private", false, ["sign"]], name);
      await verifyDetached(await signDetached(payload, keySigner(key)), payload, verifyingKey);
    }
  });
  it("returns an extractable key when extractable is true", async () => {
    const key = await importSigningKey(SEC1_PEM, { extractable: true });
    assertEquals((await crypto.subtle.exportKey("jwk", key)).d, PRIVATE_JWK.d);
  });
  it("rejects a source that is not a P-256 private key", async () => {
    await refuses(importSigningKey, [...REFUSED_BY_BOTH, ...REFUSED_TO_SIGN]);
  });
  it("rejects explicit curve parameters and says that the curve must be named", async () => {
    for (const [name, pem] of EXPLICIT_CURVES) {
      const error = await assertRejects(() => importSigningKey(pem), JwsError, "instead of naming the curve");
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
  it("imports the same key from every format", async () => {
    for (const [name, source] of Object.entries(PUBLIC_SOURCES)) {
      const key = await importVerifyingKey(source);
      assertEquals([key.type, key.usages], ["public", ["verify"]], name);
      assertEquals(await exportPublicJwk(key), PUBLIC_JWK, name);
    }
  });
  it("returns the same key object for the same source", async () => {
    for (const source of Object.values(PUBLIC_SOURCES)) {
      assertStrictEquals(await importVerifyingKey(source), await importVerifyingKey(source));
    }
    assertStrictEquals(await importVerifyingKey({ ...PUBLIC_JWK }), await importVerifyingKey(PUBLIC_JWK));
  });
  it("rejects the text under which the cache stores a known public point", async () => {
    await importVerifyingKey(PUBLIC_JWK);
    const point = Buffer.from([4, ...decodeBase64url(PUBLIC_JWK.x), ...decodeBase64url(PUBLIC_JWK.y)]);
    for (const prefix of ["", "point ", "point:"]) {
      const name = `${prefix}${point.toString("base64url")}`;
      await refused(() => importVerifyingKey(name), "key_malformed");
    }
  });
  it("checks a JWK's use even when its point is cached", async () => {
    await importVerifyingKey(PUBLIC_JWK);
    await refused(() => importVerifyingKey({ ...PUBLIC_JWK, use: "enc" }), "key_unusable");
  });
  it("rejects a source that is not a P-256 public key", async () => {
    await refuses(importVerifyingKey, [...REFUSED_BY_BOTH, ...REFUSED_TO_VERIFY]);
  });
  it("says what to do when the source is a private key", async () => {
    await assertRejects(() => importVerifyingKey(SEC1_PEM), JwsError, "Never send it to anyone");
  });
});

describe("exportPublicJwk()", () => {
  it("returns the public members of an extractable private key", async () => {
    assertEquals(await exportPublicJwk(await importSigningKey(PKCS8_PEM, { extractable: true })), PUBLIC_JWK);
  });
  it("rejects a key that is not extractable or not a P-256 key", async () => {
    const p384 = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, true, [
      "sign",
      "verify",
    ]);
    for (const key of [await importSigningKey(PKCS8_PEM), p384.publicKey, null, {}]) {
      await refused(() => exportPublicJwk(key as never), "key_unusable");
    }
  });
});
