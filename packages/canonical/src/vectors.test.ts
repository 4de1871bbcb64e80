import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import makeCanonicalRequest from "../../../vectors/make/canonical_request.ts";
import makeRfc8785 from "../../../vectors/make/rfc8785.ts";
import type { VectorFile } from "../../../vectors/make/vector_file.ts";
import { CanonicalError, canonicalJson, canonicalRequest, readJson } from "./mod.ts";

type Case = Record<string, string>;

const cases = async (file: VectorFile | Promise<VectorFile>): Promise<Case[]> => (await file).cases as Case[];

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

function bodyOf(vector: Case): Uint8Array<ArrayBuffer> {
  const { body_hex, body_utf8 = "" } = vector;
  return Uint8Array.from(body_hex === undefined ? Buffer.from(body_utf8) : Buffer.from(body_hex, "hex"));
}

/** Calls readJson() before canonicalJson(), because a vector may expect a refusal by either function. */
function canonicalOf(vector: Case): string {
  const { ieee754, json, json_hex } = vector;
  if (ieee754 !== undefined) return canonicalJson(Buffer.from(ieee754, "hex").readDoubleBE());
  const bytes = json === undefined ? Buffer.from(json_hex ?? "", "hex") : Buffer.from(json);
  readJson(bytes);
  return canonicalJson(JSON.parse(bytes.toString()));
}

async function assertCase(vector: Case, canonicalise: (vector: Case) => string): Promise<void> {
  if (vector.reason !== undefined) {
    const error = assertThrows(() => canonicalise(vector), CanonicalError);
    assertEquals(error.reason, vector.reason, vector.name);
    return;
  }
  const canonical = canonicalise(vector);
  assertEquals(canonical, vector.canonical, vector.name);
  assertEquals(await sha256(Uint8Array.from(Buffer.from(canonical))), vector.canonical_sha256, vector.name);
}

describe("vectors of canonical requests and RFC 8785", () => {
  it("canonicalRequest() matches every vector of canonical requests", async () => {
    for (const vector of await cases(makeCanonicalRequest())) {
      const { method = "", url = "", body_sha256: bodySha256 = "", timestamp = "", nonce = "" } = vector;
      if (vector.reason === undefined) assertEquals(await sha256(bodyOf(vector)), bodySha256, vector.name);
      await assertCase(vector, () => canonicalRequest({ method, url, bodySha256, timestamp, nonce }));
    }
  });

  it("readJson() and canonicalJson() match every vector of RFC 8785", async () => {
    for (const vector of await cases(makeRfc8785())) await assertCase(vector, canonicalOf);
  });
});
