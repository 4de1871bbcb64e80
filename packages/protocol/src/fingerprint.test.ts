import { readJson } from "@gold-partner/canonical";
import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import makeVectors from "../../../vectors/make/fingerprint.ts";
import { hostBytes } from "./bytes.ts";
import { idempotencyFingerprint } from "./fingerprint.ts";
import { QuantityError } from "./quantity.ts";
import { withdrawalRequest } from "./schema/withdrawal.ts";

type Case = Record<"name" | "method" | "path" | "body" | "canonical" | "sha256", string>;

const cases = makeVectors().cases as Case[];
const read = (body: string) => readJson(Buffer.from(body));

describe("idempotencyFingerprint()", () => {
  it("hashes each vector's canonical text", () => {
    for (const { name, method, path, body, canonical, sha256 } of cases) {
      const hashed: string[] = [];
      const utf8 = (text: string) => (hashed.push(text), hostBytes.utf8(text));
      assertEquals(
        idempotencyFingerprint({ method, path, params: read(body) }, { ...hostBytes, utf8 }),
        sha256,
        name,
      );
      assertEquals(hashed, [canonical], name);
    }
    assertEquals(cases.length >= 15, true);
  });

  it("returns different hashes for different methods and paths", () => {
    const params = read("{}");
    const post = idempotencyFingerprint({ method: "POST", path: "/a", params }, hostBytes);
    assertNotEquals(idempotencyFingerprint({ method: "PUT", path: "/a", params }, hostBytes), post);
    assertNotEquals(idempotencyFingerprint({ method: "POST", path: "/b", params }, hostBytes), post);
  });

  it("reads lists, booleans and null, and a member named __proto__", () => {
    const hash = (body: string) =>
      idempotencyFingerprint({ method: "POST", path: "/", params: read(body) }, hostBytes);
    assertEquals(hash('{"a":[1.0,true,null]}'), hash('{"a":[1,true,null]}'));
    assertNotEquals(hash('{"__proto__":1}'), hash("{}"));
    assertNotEquals(hash('{"a":[1,2]}'), hash('{"a":[2,1]}'));
  });

  it("returns the same hash for bodies that the schema parses to the same request", () => {
    const bodies = [
      '{"amount_sar":5}',
      '{"amount_sar":5,"reference":""}',
      '{"reference":"","amount_sar":5.00}',
    ];
    const requests = bodies.map((body) => withdrawalRequest.parse(read(body)));
    const hashes = bodies.map((body) =>
      idempotencyFingerprint({ method: "POST", path: "/v1/withdrawals", params: read(body) }, hostBytes)
    );
    assertEquals(requests, Array(3).fill({ amountHalalas: 500n, reference: undefined }));
    assertEquals(hashes, Array(3).fill(hashes[0]));
  });

  it("throws for a number that no schema accepts", () => {
    const params = read('{"gold_grams":0.00001}');
    assertThrows(
      () => idempotencyFingerprint({ method: "POST", path: "/", params }, hostBytes),
      QuantityError,
    );
  });
});
