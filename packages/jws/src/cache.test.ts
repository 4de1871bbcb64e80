import { describe, it } from "node:test";
import { p256 } from "@noble/curves/nist.js";
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { BoundedCache } from "./cache.ts";
import { ALG_RULE, headerReader, REMEMBERED_HEADERS } from "./header.ts";
import { importVerifyingKey, REMEMBERED_KEYS } from "./keys.ts";
import { base64url } from "../fixtures/raw_jws.ts";

describe("BoundedCache", () => {
  it("evicts the oldest entry when it is full", () => {
    const cache = new BoundedCache<string, number>(2);
    cache.set("a", 1);
    cache.set("b", 2);
    cache.set("c", 3);
    assertEquals([cache.get("a"), cache.get("b"), cache.get("c"), cache.size], [undefined, 2, 3, 2]);
  });
  it("evicts nothing when an existing key is set again", () => {
    const cache = new BoundedCache<string, number>(2);
    cache.set("a", 1);
    cache.set("b", 2);
    assertEquals(cache.set("b", 3), 3);
    assertEquals([cache.get("a"), cache.get("b"), cache.size], [1, 3, 2]);
  });
  it("never holds more entries than its capacity", () => {
    const cache = new BoundedCache<string, number>(16);
    for (let index = 0; index < 1000; index++) cache.set(`key ${index}`, index);
    assertEquals(cache.size, 16);
  });
});

describe("caches of headers and keys", () => {
  it("headerReader() caches the last 256 protected headers", () => {
    const read = headerReader<{ alg: string }>({ alg: ALG_RULE });
    const headerOf = (index: number) => base64url(`${" ".repeat(index)}{"alg":"ES256"}`);
    const first = read(headerOf(0));
    for (let index = 1; index < REMEMBERED_HEADERS; index++) read(headerOf(index));
    assertStrictEquals(read(headerOf(0)), first);
    read(headerOf(REMEMBERED_HEADERS));
    assert(read(headerOf(0)) !== first);
    assertEquals(REMEMBERED_HEADERS, 256);
  });
  it("importVerifyingKey() caches the last 10,000 public keys, by text and by point", async () => {
    const texts = publicKeyTexts();
    const next = async () => await importVerifyingKey(texts.next().value!);
    const firstText = texts.next().value!;
    const first = await importVerifyingKey(firstText);
    for (let count = 1; count < REMEMBERED_KEYS; count++) await next();
    assertStrictEquals(await importVerifyingKey(firstText), first);
    assertStrictEquals(await importVerifyingKey(JSON.parse(firstText)), first);
    await next();
    assert(await importVerifyingKey(firstText) !== first);
    assertEquals(REMEMBERED_KEYS, 10_000);
  });
});

/** The public keys of the private keys 1, 2, 3 … */
function* publicKeyTexts(): Generator<string, undefined> {
  for (let point = p256.Point.BASE;; point = point.add(p256.Point.BASE)) {
    const bytes = point.toBytes(false);
    const [x, y] = [base64url(bytes.subarray(1, 33)), base64url(bytes.subarray(33))];
    yield JSON.stringify({ kty: "EC", crv: "P-256", x, y });
  }
}
