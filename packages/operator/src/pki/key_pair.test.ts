import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { generateKeyPair, importPublicKey } from "./key_pair.ts";

const HEAD_BYTES = 27;

describe("importPublicKey()", () => {
  it("accepts a P-256 key only with a named curve and an uncompressed point", async () => {
    const { publicKeySpki: spki } = await generateKeyPair();
    assert(await importPublicKey(spki) !== null);

    const x = spki.slice(HEAD_BYTES, HEAD_BYTES + 32);
    const sign = 0x02 + ((spki.at(-1) ?? 0) & 1);
    const compressed = Uint8Array.of(0x30, 0x39, ...spki.slice(2, 23), 0x03, 0x22, 0x00, sign, ...x);
    const offTheCurve = Uint8Array.from(spki).fill(0x01, HEAD_BYTES + 32);
    const hybrid = Uint8Array.from(spki);
    hybrid[HEAD_BYTES - 1] = 0x06 + ((spki.at(-1) ?? 0) & 1);
    const forms = {
      compressed,
      offTheCurve,
      hybrid,
      longer: Uint8Array.of(...spki, 0),
      shorter: spki.slice(0, -1),
    };
    for (const [form, bytes] of Object.entries(forms)) assertEquals(await importPublicKey(bytes), null, form);
  });
});
