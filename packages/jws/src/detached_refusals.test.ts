import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { assertEquals, assertGreaterOrEqual, assertRejects, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import {
  mutate,
  type Mutation,
  payload,
  publicKey,
  valid,
  validHeader,
  validSignature,
} from "../fixtures/detached_mutations.ts";
import { base64url } from "../fixtures/raw_jws.ts";
import { parseDetached, verifyDetached } from "./detached.ts";
import { JwsError } from "./errors.ts";
import { seedTests } from "../../../tools/testing/seed.ts";
import { refused } from "./refused_fixture.ts";

seedTests(import.meta.url);

async function refuses([reason, name, jws]: Mutation): Promise<void> {
  await refused(() => verifyDetached(jws, payload, publicKey), reason, name);
}

describe("verifyDetached() refuses", () => {
  it("each of more than 300 mutations, with the expected reason", async () => {
    await verifyDetached(valid, payload, publicKey);
    const mutations = await mutate();
    assertGreaterOrEqual(mutations.length, 300);
    assertEquals(
      new Set(mutations.map(([, , jws]) => jws)).size,
      mutations.length,
      "two mutations are identical",
    );
    for (const mutation of mutations) await refuses(mutation);
  });
  it("bytes other than the signed bytes", async () => {
    for (let index = 0; index < payload.length; index++) {
      const changed = Uint8Array.from(payload);
      changed[index]! ^= 1;
      await refused(() => verifyDetached(valid, changed, publicKey), "signature_mismatch");
    }
    for (
      const changed of [
        payload.slice(1),
        payload.slice(0, -1),
        new Uint8Array(),
        Buffer.from(base64url(payload)),
      ]
    ) {
      await refused(() => verifyDetached(valid, changed, publicKey), "signature_mismatch");
    }
  });
  it("any text and any change of a valid JWS, with JwsError and no other error", async () => {
    const letters = fc.constantFrom(...valid, "=", " ", "\n", ".", "é", "\ud800");
    const changed = fc.tuple(fc.nat(valid.length), fc.nat(3), fc.array(letters, { maxLength: 3 })).map(
      ([start, removed, added]) => valid.slice(0, start) + added.join("") + valid.slice(start + removed),
    );
    const anything = fc.oneof(
      fc.string({ unit: "binary" }),
      changed,
      fc.json().map((json) => `${base64url(json)}..${validSignature}`),
      fc.uint8Array({ maxLength: 100 }).map((bytes) => `${validHeader}..${base64url(bytes)}`),
    );
    await fc.assert(
      fc.asyncProperty(anything.filter((jws) => jws !== valid), async (jws) => {
        await assertRejects(() => verifyDetached(jws, payload, publicKey), JwsError);
      }),
      { numRuns: 1000 },
    );
  });
  it("values that are not public keys", async () => {
    for (const keys of [null, undefined, "x", {}, [null], () => undefined, () => ["x"]]) {
      const error = await refused(
        () => verifyDetached(valid, payload, keys as never),
        "key_unusable",
        String(keys),
      );
      assertStringIncludes(error.message, "Give public P-256 ECDSA keys");
    }
  });
  it("a JWS of the wrong type, and a payload that is not bytes", async () => {
    for (const value of [undefined, null, 1, {}, [valid], payload]) {
      await refused(async () => parseDetached(value as never), "jws_malformed");
    }
    const hollow = { protectedHeader: validHeader };
    const forms = [
      [undefined, "jws_malformed"],
      [null, "jws_malformed"],
      [5, "jws_malformed"],
      [{}, "base64url_invalid"],
      [hollow, "signature_length"],
      [{ ...hollow, signature: validSignature }, "signature_length"],
    ] as const;
    for (const [value, reason] of forms) {
      await refused(() => verifyDetached(value as never, payload, publicKey), reason, JSON.stringify(value));
    }
    for (const value of [undefined, null, "text", [1], new Uint16Array(2), new ArrayBuffer(2)]) {
      await refused(() => verifyDetached(valid, value as never, publicKey), "payload_not_bytes");
    }
  });
});
