import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import type { Partner } from "../registry/snapshot.ts";
import { findSecret, hashSecret } from "./client_secret.ts";

const NOW_MS = 1_800_000_000_000;
const pepper = randomBytes(32);

function partnerWith(...secrets: { secret: string; notBeforeMs?: number; retireAtMs?: number }[]): Partner {
  return {
    secrets: secrets.map(({ secret, notBeforeMs = 0, retireAtMs = Infinity }, id) => ({
      id,
      hash: hashSecret(pepper, secret).toString("hex"),
      notBeforeMs,
      retireAtMs,
    })),
  } as unknown as Partner;
}
const find = (partner: Partner | undefined, secret: string) =>
  findSecret(partner, secret, pepper, NOW_MS)?.id;

describe("findSecret()", () => {
  it("finds an active secret at any position, and returns its id", () => {
    const partner = partnerWith({ secret: "first" }, { secret: "second" }, { secret: "third" });
    assertEquals(["first", "second", "third"].map((secret) => find(partner, secret)), [0, 1, 2]);
    for (const secret of ["", "fourth", "firs", "first "]) {
      assertEquals(find(partner, secret), undefined, secret);
    }
  });

  it("finds no secret before its notBeforeMs or from its retireAtMs on", () => {
    const at = (notBeforeMs: number, retireAtMs: number) =>
      find(partnerWith({ secret: "s", notBeforeMs, retireAtMs }), "s");
    assertEquals([at(NOW_MS, NOW_MS + 1), at(NOW_MS + 1, NOW_MS + 2), at(0, NOW_MS)], [
      0,
      undefined,
      undefined,
    ]);
  });

  it("finds no secret for an unknown partner, a partner without secrets or another pepper", () => {
    assertEquals([find(undefined, ""), find(partnerWith(), "")], [undefined, undefined]);
    assertEquals(findSecret(partnerWith({ secret: "s" }), "s", randomBytes(32), NOW_MS), undefined);
  });

  it("compares in constant time, so its source has no early return and no plain comparison", () => {
    const source = readFileSync(new URL("client_secret.ts", import.meta.url), "utf8");
    const body = source.slice(source.indexOf("export function findSecret"));
    assertEquals(body.match(/\breturn\b/g)?.length, 1);
    assertMatch(
      body,
      /found = timingSafeEqual\(given, Buffer\.from\(known\.hash, "hex"\)\) \? known : found/,
    );
    assertMatch(body, /\[NO_SECRET, \.\.\.active\]/);
    assertEquals(/===|!==|\.equals\(|\bbreak\b/.test(body), false);
  });
});

describe("hashSecret()", () => {
  it("depends on every byte of pepper and secret", () => {
    const plain = hashSecret(pepper, "secret");
    assertEquals(plain.length, 32);
    const other = new Uint8Array(pepper);
    other[31]! ^= 1;
    const changes = [
      hashSecret(other, "secret"),
      hashSecret(pepper, "Secret"),
      hashSecret(pepper, "secret\0"),
    ];
    for (const changed of changes) {
      assertNotEquals(plain.toString("hex"), changed.toString("hex"));
    }
  });
});
