import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import fc from "fast-check";
import { base64url, generatePair, HEADER, signHeader } from "../fixtures/raw_jws.ts";
import { parseDetached, signDetached, verifyDetached } from "./detached.ts";
import { textEncoding } from "./encoding.ts";
import { JwsError } from "./errors.ts";
import { keySigner, type Signer } from "./signer.ts";
import { seedTests } from "../../../tools/testing/seed.ts";
import { refused } from "./refused_fixture.ts";

seedTests(import.meta.url);

const { privateKey, publicKey } = await generatePair();
const other = await generatePair();
const payload = textEncoding.utf8("POST\nhttps://api.gold.example/v1/orders");

const headerOf = (jws: string): string => Buffer.from(jws.split(".")[0]!, "base64url").toString();

describe("signDetached()", () => {
  it("writes the header in one form, with the signer's kid last", async () => {
    assertEquals(headerOf(await signDetached(payload, keySigner(privateKey))), HEADER);
    assertEquals(
      headerOf(await signDetached(payload, keySigner(privateKey, 'a"b\\c'))),
      '{"alg":"ES256","b64":false,"crit":["b64"],"kid":"a\\"b\\\\c"}',
    );
  });
  it("signs ASCII(header) || '.' || payload for any payload bytes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.option(fc.stringMatching(/^[!-~]{1,128}$/)),
        async (bytes, kid) => {
          const jws = await signDetached(bytes, keySigner(privateKey, kid ?? undefined));
          assertMatch(jws, /^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]{86}$/);
          const [header = "", signature = ""] = jws.split("..");
          const input = Buffer.concat([Buffer.from(`${header}.`), bytes]);
          const algorithm = { name: "ECDSA", hash: "SHA-256" };
          assert(
            await crypto.subtle.verify(algorithm, publicKey, Buffer.from(signature, "base64url"), input),
          );
          assertStrictEquals(await verifyDetached(jws, bytes, publicKey), publicKey);
          assertEquals(parseDetached(jws).kid, kid ?? undefined);
        },
      ),
      { numRuns: 100 },
    );
  });
  it("signs only the bytes of a view, not its whole buffer", async () => {
    const larger = new Uint8Array([9, ...payload, 9]);
    const view = larger.subarray(1, -1);
    await verifyDetached(await signDetached(view, keySigner(privateKey)), payload, publicKey);
  });
  it("uses the given TextEncoding for every conversion", async () => {
    const calls: string[] = [];
    const encoding = {
      utf8: (text: string) => (calls.push(`utf8 ${text}`), new TextEncoder().encode(text)),
      base64url: (bytes: Uint8Array) => (calls.push(`base64url of ${bytes.length}`), base64url(bytes)),
    };
    const jws = await signDetached(payload, keySigner(privateKey, "by-another-encoding"), encoding);
    await verifyDetached(jws, payload, publicKey);
    const json = '{"alg":"ES256","b64":false,"crit":["b64"],"kid":"by-another-encoding"}';
    assertEquals(calls, [
      `utf8 ${json}`,
      `base64url of ${json.length}`,
      `utf8 ${base64url(json)}.`,
      "base64url of 64",
    ]);
  });
  it("rejects a kid that no verifier accepts", async () => {
    for (const kid of ["", " ", "é", "a b", "k".repeat(129)]) {
      await refused(() => signDetached(payload, keySigner(privateKey, kid)), "kid_invalid", kid);
    }
    const longest = keySigner(privateKey, '"'.repeat(128));
    await verifyDetached(await signDetached(payload, longest), payload, publicKey);
  });
  it("signs a text as UTF-8", async () => {
    const text = "GET\nhttps://\u00fc.example \ud83d\ude00";
    for (const signer of [keySigner(privateKey), keySigner(privateKey, "text")]) {
      await verifyDetached(await signDetached(text, signer), new TextEncoder().encode(text), publicKey);
    }
  });
  it("rejects a payload that is neither bytes nor text, and does not sign zeros", async () => {
    for (const value of [undefined, 1, [1], new ArrayBuffer(2)]) {
      await refused(() => signDetached(value as never, keySigner(privateKey)), "payload_not_bytes");
    }
  });
  it("refuses a signer that cannot sign", async () => {
    for (const signer of [null, undefined, {}, privateKey]) {
      await refused(() => signDetached(payload, signer as never), "key_unusable");
    }
  });
  it("rejects a signer's result that is not an ES256 signature", async () => {
    const answers = [
      [new Uint8Array(64), "signature_out_of_range"],
      [new Uint8Array(63).fill(1), "signature_length"],
      [new ArrayBuffer(64), "signature_length"],
      [undefined, "signature_length"],
    ] as const;
    for (const [answer, reason] of answers) {
      const signer: Signer = { sign: () => Promise.resolve(answer as never) };
      await refused(() => signDetached(payload, signer), reason);
    }
  });
  it("throws the signer's own error unchanged", async () => {
    const signer: Signer = { sign: () => Promise.reject(new RangeError("the HSM is offline")) };
    await assertRejects(() => signDetached(payload, signer), RangeError, "the HSM is offline");
  });
});

describe("parseDetached()", () => {
  it("returns the kid, the header's text and the 64 signature bytes without verifying them", async () => {
    const jws = await signDetached(payload, keySigner(privateKey, "k1"));
    const { kid, protectedHeader, signature } = parseDetached(jws);
    assertEquals([kid, protectedHeader, base64url(signature)], ["k1", ...jws.split("..")]);
    assertEquals("kid" in parseDetached(await signDetached(payload, keySigner(privateKey))), false);
  });
  it("does not check the range of r and s, because verifyDetached() checks it", async () => {
    const jws = await signDetached(payload, keySigner(privateKey));
    assertEquals(parseDetached(`${jws.split("..")[0]}..${"A".repeat(86)}`).signature, new Uint8Array(64));
  });
  it("accepts a header of 512 characters and rejects a header of 513", async () => {
    const jws = await signHeader(privateKey, HEADER.padEnd(384, " "), payload);
    assertEquals(parseDetached(jws).protectedHeader.length, 512);
    const longer = await signHeader(privateKey, HEADER.padEnd(385, " "), payload);
    assertEquals(assertThrows(() => parseDetached(longer), JwsError).reason, "jws_too_long");
  });
  it("rejects a signature of 63 or 65 bytes", async () => {
    const [header, signature] = (await signDetached(payload, keySigner(privateKey))).split("..");
    const bytes = Buffer.from(signature!, "base64url");
    for (const other of [bytes.subarray(1), Buffer.concat([bytes, bytes.subarray(0, 1)])]) {
      const error = assertThrows(() => parseDetached(`${header}..${base64url(other)}`), JwsError);
      assertEquals(error.reason, "signature_length");
    }
  });
});

describe("verifyDetached()", () => {
  it("accepts the header's members in any order, spacing and escaping", async () => {
    const headers = [
      HEADER,
      '{"crit":["b64"],"b64":false,"alg":"ES256"}',
      '{"b64":false,"kid":"k","crit":["b64"],"alg":"ES256"}',
      ' \t\r\n{ "alg" : "ES256" ,\n"b64" : false , "crit" : [ "b64" ] } \n',
      '{"\\u0061lg":"\\u0045S256","\\u00626\\u0034":false,"crit":["\\u006264"]}',
      '{"alg":"ES256","b64":false,"crit":["b64"],"kid":"a:b,{\\"alg\\":\\"none\\"}\\\\"}',
      '{"alg":"ES256","b64":false,"crit":["b64"],"kid":"\\u0022:\\u005c"}',
    ];
    for (const header of headers) {
      const jws = await signHeader(privateKey, header, payload);
      assertStrictEquals(await verifyDetached(jws, payload, publicKey), publicKey, header);
      assertStrictEquals(await verifyDetached(jws, payload, publicKey), publicKey, "read a second time");
    }
  });
  it("returns the key that signed, out of several keys", async () => {
    const jws = await signDetached(payload, keySigner(privateKey));
    assertStrictEquals(await verifyDetached(jws, payload, [other.publicKey, publicKey]), publicKey);
    assertStrictEquals(
      await verifyDetached(parseDetached(jws), payload, [publicKey, other.publicKey]),
      publicKey,
    );
  });
  it("calls the key function with the header's kid", async () => {
    const keys = (kid: string | undefined) =>
      kid === "k1" ? [publicKey] : kid === undefined ? [other.publicKey] : [];
    await verifyDetached(await signDetached(payload, keySigner(privateKey, "k1")), payload, keys);
    for (const [kid, reason] of [[undefined, "signature_mismatch"], ["k2", "key_unknown"]] as const) {
      const signer = keySigner(privateKey, kid);
      const jws = await signDetached(payload, signer);
      await refused(() => verifyDetached(jws, payload, keys), reason);
    }
  });
  it("rejects a signature when no key is registered, and when another key signed", async () => {
    const jws = await signDetached(payload, keySigner(privateKey));
    await refused(() => verifyDetached(jws, payload, []), "key_unknown");
    await refused(() => verifyDetached(jws, payload, [other.publicKey]), "signature_mismatch");
  });
  it("reports a key of the wrong kind as key_unusable instead of throwing Web Crypto's error", async () => {
    const jws = await signDetached(payload, keySigner(privateKey));
    const rsa = await crypto.subtle.generateKey(
      { name: "RSA-PSS", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" },
      false,
      ["sign", "verify"],
    );
    for (const key of [privateKey, rsa.publicKey]) {
      await refused(() => verifyDetached(jws, payload, key), "key_unusable");
    }
  });
  it("checks a DetachedJws completely even if parseDetached() did not make it", async () => {
    const jws = parseDetached(await signDetached(payload, keySigner(privateKey)));
    const cases = [
      [{ ...jws, protectedHeader: base64url('{"alg":"none"}') }, "alg_invalid"],
      [{ ...jws, protectedHeader: base64url(HEADER.padEnd(385, " ")) }, "jws_too_long"],
      [{ ...jws, signature: new Uint8Array(64) }, "signature_out_of_range"],
      [{ ...jws, signature: jws.signature.slice(1) }, "signature_length"],
    ] as const;
    for (const [changed, reason] of cases) {
      await refused(() => verifyDetached(changed, payload, publicKey), reason);
    }
  });
  it("uses the kid of the protected header, and ignores the property kid of a DetachedJws", async () => {
    const jws = parseDetached(await signDetached(payload, keySigner(privateKey, "signed")));
    const calls: unknown[] = [];
    const keys = (kid: string | undefined) => (calls.push(kid), [publicKey]);
    await verifyDetached({ ...jws, kid: "beside" }, payload, keys);
    assertEquals(calls, ["signed"]);
  });
  it("verifies the bytes as they were at the time of the call", async () => {
    const bytes = Uint8Array.from(payload);
    const jws = await signDetached(bytes, keySigner(privateKey));
    const verified = verifyDetached(jws, bytes, publicKey);
    bytes.fill(0);
    assertStrictEquals(await verified, publicKey);
  });
});
