import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { nonceUuid } from "./nonce_uuid.ts";

describe("nonceUuid()", () => {
  it("is the first sixteen bytes of the nonce's SHA-256", () => {
    // FIPS 180-2's example: SHA-256 of "abc".
    assertEquals(nonceUuid("abc"), "ba7816bf-8f01-cfea-4141-40de5dae2223");
  });

  it("differs for nonces that differ in case, length or one character", () => {
    const nonces = [
      "0123456789abcdef",
      "0123456789ABCDEF",
      "0123456789abcdef0",
      "0123456789abcdeg",
      "~".repeat(128),
    ];
    const uuids = nonces.map(nonceUuid);
    assertEquals(new Set(uuids).size, nonces.length);
    for (const uuid of uuids) assertMatch(uuid, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });
});
