import { Buffer } from "node:buffer";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { parseWebhookSecret, WebhookError } from "./webhook.ts";

interface MacVectors {
  numberOfTests: number;
  testGroups: { keySize: number; tagSize: number; tests: MacVector[] }[];
}

interface MacVector {
  tcId: number;
  key: string;
  msg: string;
  tag: string;
  result: "valid" | "invalid";
}

const VECTORS = new URL("../../../.tools/wycheproof/testvectors_v1/hmac_sha256_test.json", import.meta.url);

function readVectors(): MacVectors {
  if (!existsSync(VECTORS)) {
    throw new Error("Wycheproof's vectors are missing; run: node tools/run.mjs tools");
  }
  return JSON.parse(readFileSync(VECTORS, "utf8"));
}

describe("Wycheproof's HMAC-SHA256 vectors", () => {
  it("agree with mac() of a webhook secret, and keys outside 24 to 64 bytes are refused", () => {
    const vectors = readVectors();
    const seen = { agreed: 0, refused: 0 };
    for (const { keySize, tagSize, tests } of vectors.testGroups) {
      for (const { tcId, key, msg, tag, result } of tests) {
        const text = `whsec_${Buffer.from(key, "hex").toString("base64")}`;
        if (keySize < 24 * 8 || keySize > 64 * 8) {
          assertEquals(assertThrows(() => parseWebhookSecret(text), WebhookError).reason, "secret_invalid");
          seen.refused++;
          continue;
        }
        const mac = Buffer.from(parseWebhookSecret(text).mac(Buffer.from(msg, "hex")));
        const agrees = mac.subarray(0, tagSize / 8).toString("hex") === tag;
        assertEquals(agrees, result === "valid", `vector ${tcId}`);
        seen.agreed++;
      }
    }
    assertEquals(seen, { agreed: 162, refused: 12 });
    assertEquals(vectors.numberOfTests, 174);
  });
});
