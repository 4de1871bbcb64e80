import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { CompactSign, compactVerify, FlattenedSign, flattenedVerify } from "jose";
import { generatePair } from "../fixtures/raw_jws.ts";
import { signCompact, verifyCompact } from "./compact.ts";
import { signDetached, verifyDetached } from "./detached.ts";
import { keySigner } from "./signer.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

const CASES = 1000;
const pairs = await Promise.all(Array.from({ length: 16 }, generatePair));
const kid = fc.nat({ max: 65_535 }).map((number) => `key-${number}`);

seedTests(import.meta.url);

/** Calls `run` 1,000 times, with one of 16 random key pairs, a random payload, and a random kid or none. */
async function forEachCase(
  run: (pair: (typeof pairs)[number], payload: Uint8Array, kid: string | undefined) => Promise<void>,
): Promise<void> {
  const payload = fc.uint8Array({ maxLength: 1500, size: "max" }).map((bytes) => new Uint8Array(bytes));
  const property = fc.asyncProperty(
    fc.constantFrom(...pairs),
    payload,
    fc.option(kid, { nil: undefined }),
    run,
  );
  await fc.assert(property, { numRuns: CASES });
}

describe("jose and this package agree", () => {
  it("jose verifies 1,000 detached signatures of this package", async () => {
    await forEachCase(async ({ privateKey, publicKey }, payload, kid) => {
      const jws = await signDetached(payload, keySigner(privateKey, kid));
      const [header = "", signature = ""] = jws.split("..");
      const { protectedHeader } = await flattenedVerify({ protected: header, payload, signature }, publicKey);
      assertEquals(protectedHeader?.kid, kid);
    });
  });
  it("this package verifies 1,000 detached signatures of jose", async () => {
    await forEachCase(async ({ privateKey, publicKey }, payload, kid) => {
      const header = { alg: "ES256", b64: false, crit: ["b64"], ...(kid === undefined ? {} : { kid }) };
      const jws = await new FlattenedSign(payload).setProtectedHeader(header).sign(privateKey);
      await verifyDetached(`${jws.protected}..${jws.signature}`, payload, publicKey);
    });
  });
  it("jose verifies 1,000 compact tokens of this package", async () => {
    await forEachCase(async ({ privateKey, publicKey }, payload, kid) => {
      const token = await signCompact(payload, { typ: "at+jwt" }, keySigner(privateKey, kid));
      const verified = await compactVerify(token, publicKey);
      assertEquals([verified.protectedHeader.kid, verified.payload], [kid, payload]);
    });
  });
  it("this package verifies 1,000 compact tokens of jose", async () => {
    await forEachCase(async ({ privateKey, publicKey }, payload, kid) => {
      const header = { alg: "ES256", ...(kid === undefined ? {} : { kid }) };
      const token = await new CompactSign(payload).setProtectedHeader(header).sign(privateKey);
      assertEquals(await verifyCompact(token, publicKey), { header, payload } as never);
    });
  });
});
