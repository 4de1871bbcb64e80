import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { calculateJwkThumbprint } from "jose";
import { PRIVATE_JWK, PUBLIC_JWK } from "../fixtures/published_key.ts";
import { generatePair } from "../fixtures/raw_jws.ts";
import { JwsError } from "./errors.ts";
import { exportPublicJwk } from "./jwk.ts";
import { jwkThumbprint } from "./thumbprint.ts";

describe("jwkThumbprint()", () => {
  it("returns the same thumbprint as jose", async () => {
    for (let round = 0; round < 20; round++) {
      const jwk = await exportPublicJwk((await generatePair()).publicKey);
      assertEquals(await jwkThumbprint(jwk), await calculateJwkThumbprint({ ...jwk }));
    }
  });
  it("depends only on the public members", async () => {
    const thumbprint = await jwkThumbprint(PUBLIC_JWK);
    const decorated = { ...PRIVATE_JWK, kid: "k", use: "sig", alg: "ES256" };
    assertEquals(await jwkThumbprint(decorated), thumbprint);
    assertEquals(thumbprint.length, 43);
  });
  it("rejects a key that is not a P-256 key", async () => {
    for (
      const change of [{ kty: "RSA" }, { crv: "P-384" }, { x: PUBLIC_JWK.y }, { y: undefined }, { x: "AA" }]
    ) {
      await assertRejects(() => jwkThumbprint({ ...PUBLIC_JWK, ...change }), JwsError);
    }
    for (const value of [null, undefined, "jwk", 5]) {
      await assertRejects(() => jwkThumbprint(value as never), JwsError, "ES256 needs a JWK");
    }
  });
});
