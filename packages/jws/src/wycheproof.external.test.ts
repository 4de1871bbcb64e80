import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { verifyCompact } from "./compact.ts";
import { verifySignature } from "./es256.ts";
import { JwsError } from "./errors.ts";
import type { Jwk } from "./jwk.ts";
import { importVerifyingKey } from "./keys.ts";

interface Test {
  readonly tcId: number;
  readonly comment: string;
  readonly result: "valid" | "invalid" | "acceptable";
}

function readGroups<Group>(file: string): Group[] {
  const path = new URL(`../../../.tools/wycheproof/testvectors_v1/${file}`, import.meta.url);
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { testGroups: Group[] }).testGroups;
  } catch (cause) {
    throw new Error(`Wycheproof's ${file} could not be read. To fetch it, run: node tools/run.mjs tools`, {
      cause,
    });
  }
}

/** Returns "valid" or "invalid". An error other than a JwsError is a bug, so it is thrown again. */
async function verdictOf(verify: () => Promise<unknown>): Promise<Test["result"]> {
  try {
    await verify();
    return "valid";
  } catch (error) {
    if (error instanceof JwsError) return "invalid";
    throw error;
  }
}

describe("Wycheproof", () => {
  it("verifySignature() agrees with the result of all 262 P1363 vectors", async () => {
    type Group = { publicKeyPem: string; tests: (Test & { msg: string; sig: string })[] };
    let count = 0;
    for (const { publicKeyPem, tests } of readGroups<Group>("ecdsa_secp256r1_sha256_p1363_test.json")) {
      const key = await importVerifyingKey(publicKeyPem);
      for (const { tcId, comment, result, msg, sig } of tests) {
        const [data, signature] = [Buffer.from(msg, "hex"), Buffer.from(sig, "hex")];
        assertEquals(
          await verdictOf(() => verifySignature(data, signature, [key])),
          result,
          `${tcId}: ${comment}`,
        );
        count++;
      }
    }
    console.log(`Wycheproof P1363: ${count} vectors`);
    assertEquals(count, 262);
  });
  it("verifyCompact() agrees with the result of all 41 JWS vectors with a P-256 key", async () => {
    type Group = { public?: Jwk; tests: (Test & { jws: unknown })[] };
    const counts: Record<string, number> = {};
    for (const { public: jwk, tests } of readGroups<Group>("json_web_signature_test.json")) {
      if (jwk?.crv !== "P-256") continue;
      for (const { tcId, comment, result, jws } of tests) {
        const verdict = await verdictOf(async () =>
          verifyCompact(jws as string, await importVerifyingKey(jwk))
        );
        assertEquals(verdict, result, `${tcId}: ${comment}`);
        counts[verdict] = (counts[verdict] ?? 0) + 1;
      }
    }
    console.log(
      `Wycheproof JWS: ${counts.valid} valid and ${counts.invalid} invalid vectors have a P-256 key`,
    );
    assertEquals(counts, { valid: 2, invalid: 39 });
  });
});
