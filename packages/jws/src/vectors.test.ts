import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { verifyDetached } from "./detached.ts";
import { JwsError } from "./errors.ts";
import type { Jwk } from "./jwk.ts";
import { importVerifyingKey } from "./keys.ts";

interface Case {
  readonly name: string;
  readonly jwk: Jwk;
  readonly payload_hex: string;
  readonly jws: string;
  readonly valid: boolean;
  readonly reason?: string;
}

const path = new URL("../../../vectors/detached_jws.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(path, "utf8")) as { cases: readonly Case[] };

async function verify({ jwk, payload_hex, jws }: Case): Promise<void> {
  const key = await importVerifyingKey(jwk);
  assertStrictEquals(await verifyDetached(jws, Buffer.from(payload_hex, "hex"), key), key);
}

describe("vectors/detached_jws.json", () => {
  it("verifyDetached() verifies each valid case", async () => {
    const valid = cases.filter((one) => one.valid);
    assertEquals(valid.length, 12);
    for (const one of valid) await verify(one);
  });
  it("rejects each invalid case with the reason in the file", async () => {
    const invalid = cases.filter((one) => !one.valid);
    assertEquals(invalid.length, 62);
    for (const one of invalid) {
      const { reason } = await assertRejects(() => verify(one), JwsError);
      assertEquals(reason, one.reason, one.name);
    }
  });
});
