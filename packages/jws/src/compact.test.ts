import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { base64url, generatePair, signText } from "../fixtures/raw_jws.ts";
import { signCompact, verifyCompact } from "./compact.ts";
import { textEncoding } from "./encoding.ts";
import { JwsError, type JwsReason } from "./errors.ts";
import { importVerifyingKey } from "./keys.ts";
import { keySigner } from "./signer.ts";
import { seedTests } from "../../../tools/testing/seed.ts";
import { refused } from "./refused_fixture.ts";

seedTests(import.meta.url);

const { privateKey, publicKey } = await generatePair();
const other = await generatePair();
const claims = textEncoding.utf8('{"sub":"sbx_1"}');

/** A token with any header and a correct signature. */
async function sign(header: string, payload = base64url(claims)): Promise<string> {
  const signature = await signText(privateKey, base64url(header), Buffer.from(payload));
  return `${base64url(header)}.${payload}.${signature}`;
}

async function refuses(token: string, reason: JwsReason): Promise<void> {
  await refused(() => verifyCompact(token, publicKey), reason, token);
}

describe("signCompact()", () => {
  it("makes a token that verifyCompact() verifies, for any payload bytes", async () => {
    const text = fc.option(fc.stringMatching(/^[!-~]{1,128}$/), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), text, text, async (payload, typ, kid) => {
        const header = { ...(typ === undefined ? {} : { typ }), ...(kid === undefined ? {} : { kid }) };
        const token = await signCompact(payload, header, keySigner(privateKey));
        const verified = await verifyCompact(
          token,
          publicKey,
          header.typ === undefined ? {} : { typ: header.typ },
        );
        assertEquals(verified, { header: { alg: "ES256", ...header }, payload });
      }),
      { numRuns: 100 },
    );
  });
  it("writes the signer's kid unless the header has a kid", async () => {
    const signer = keySigner(privateKey, "k1");
    const kidOf = async (header: { kid?: string }) =>
      (await verifyCompact(await signCompact(claims, header, signer), publicKey)).header.kid;
    assertEquals([await kidOf({}), await kidOf({ kid: "k2" })], ["k1", "k2"]);
  });
  it("signs a text as UTF-8, and rejects a payload that is neither text nor bytes", async () => {
    const token = await signCompact("h\u00e9llo \ud83d\ude00", {}, keySigner(privateKey));
    const { payload } = await verifyCompact(token, publicKey);
    assertEquals(Buffer.from(payload).toString(), "h\u00e9llo \ud83d\ude00");
    for (const value of [undefined, null, 5, { sub: "sbx_1" }, new ArrayBuffer(2)]) {
      const sign = () => signCompact(value as never, {}, keySigner(privateKey));
      await refused(sign, "payload_not_bytes");
    }
  });
  it("rejects a header that is not an object or is too long, and a signer that cannot sign", async () => {
    const refusals = [
      [null, keySigner(privateKey), "header_not_object"],
      ["at+jwt", keySigner(privateKey), "header_not_object"],
      [{ typ: '"'.repeat(128), kid: '"'.repeat(128) }, keySigner(privateKey), "jws_too_long"],
      [{}, null, "key_unusable"],
    ] as const;
    for (const [header, signer, reason] of refusals) {
      await refused(() => signCompact(claims, header as never, signer as never), reason);
    }
  });
  it("writes the members of the header in the order alg, typ, kid", async () => {
    const token = await signCompact(claims, { kid: "k", typ: "at+jwt" }, keySigner(privateKey));
    assertEquals(
      Buffer.from(token.split(".")[0]!, "base64url").toString(),
      '{"alg":"ES256","typ":"at+jwt","kid":"k"}',
    );
  });
  it("rejects a typ or kid that no verifier accepts", async () => {
    for (const bad of ["", " ", "é", "t".repeat(129)]) {
      const typ = await assertRejects(
        () => signCompact(claims, { typ: bad }, keySigner(privateKey)),
        JwsError,
      );
      const kid = await assertRejects(
        () => signCompact(claims, { kid: bad }, keySigner(privateKey)),
        JwsError,
      );
      assertEquals([typ.reason, kid.reason], ["typ_invalid", "kid_invalid"]);
    }
  });
});

describe("verifyCompact()", () => {
  it("verifies the example of RFC 7515, A.3", async () => {
    const key = await importVerifyingKey({
      kty: "EC",
      crv: "P-256",
      x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    });
    const token = "eyJhbGciOiJFUzI1NiJ9" +
      ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ" +
      ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    const { header, payload } = await verifyCompact(token, key);
    assertEquals(header, { alg: "ES256" });
    assertEquals(
      Buffer.from(payload).toString(),
      '{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}',
    );
  });
  it("accepts a header of 512 characters and rejects a header of 513", async () => {
    await verifyCompact(await sign('{"alg":"ES256"}'.padEnd(384, " ")), publicKey);
    await refuses(await sign('{"alg":"ES256"}'.padEnd(385, " ")), "jws_too_long");
  });
  it("accepts header members in any order and spacing", async () => {
    for (const header of ['{"typ":"JWT","alg":"ES256"}', ' { "kid" : "k" , "alg" : "\\u0045S256" } ']) {
      await verifyCompact(await sign(header), publicKey);
    }
  });
  it("rejects every invalid header, even with a correct signature", async () => {
    const headers: readonly (readonly [JwsReason, readonly string[]])[] = [
      ["alg_invalid", [
        ...["{}", '{"typ":"JWT"}', '{"alg":"none"}', '{"alg":"HS256"}', '{"alg":"ES384"}', '{"alg":"es256"}'],
        ...['{"alg":["ES256"]}', '{"alg":null}'],
      ]],
      ["header_member_unknown", [
        ...["b64", "crit", "jwk", "jku", "x5u", "x5c", "x5t", "cty", "enc", "zip", "__proto__", "Alg"].map(
          (name) => `{"alg":"ES256","${name}":"x"}`,
        ),
        '{"alg":"ES256","b64":true}',
        '{"alg":"ES256","b64":false,"crit":["b64"]}',
      ]],
      ["header_member_duplicate", [
        '{"alg":"ES256","alg":"ES256"}',
        '{"alg":"none","alg":"ES256"}',
        '{"alg":{"x":1},"\\u0061lg":"ES256"}',
        '{"alg":"ES256","kid":"a","kid":"b"}',
        '{"alg":"ES256","typ":"a","ty\\u0070":"a"}',
      ]],
      ["typ_invalid", ['{"alg":"ES256","typ":""}', '{"alg":"ES256","typ":1}', '{"alg":"ES256","typ":"a b"}']],
      ["kid_invalid", [
        '{"alg":"ES256","kid":""}',
        '{"alg":"ES256","kid":null}',
        '{"alg":"ES256","kid":["k"]}',
      ]],
      ["header_not_object", ["[]", "null", '"ES256"', "1"]],
      ["header_not_json", ['{"alg":"ES256"', '{"alg":"ES256"}}', "x"]],
      ["header_not_ascii", ['\ufeff{"alg":"ES256"}', '{"alg":"ES256","kid":"é"}']],
    ];
    for (const [reason, texts] of headers) {
      for (const text of texts) await refuses(await sign(text), reason);
    }
  });
  it("rejects every malformed or changed token", async () => {
    const token = await sign('{"alg":"ES256"}');
    const [header = "", payload = "", signature = ""] = token.split(".");
    const forms: readonly (readonly [JwsReason, string])[] = [
      ["jws_malformed", ""],
      ["jws_malformed", `${header}.${payload}`],
      ["jws_malformed", `${token}.`],
      ["jws_malformed", `.${payload}.${signature}`],
      ["jws_too_long", `${header}.${"A".repeat(8192)}.${signature}`],
      ["base64url_invalid", `${header}.${payload}=.${signature}`],
      ["base64url_invalid", `${header}.${payload}.${signature}==`],
      ["base64url_invalid", ` ${token}`],
      ["base64url_invalid", `${token}\n`],
      ["base64url_not_canonical", `${header}.${payload.slice(0, -2)}B.${signature}`],
      ["base64url_not_canonical", `${header}.A.${signature}`],
      ["signature_length", `${header}.${payload}.`],
      ["signature_length", `${header}.${payload}.${signature.slice(4)}`],
      ["signature_out_of_range", `${header}.${payload}.${"A".repeat(86)}`],
      ["signature_mismatch", `${header}..${signature}`],
      ["signature_mismatch", `${header}.${payload}AAAA.${signature}`],
      ["signature_mismatch", `${base64url('{"alg":"ES256" }')}.${payload}.${signature}`],
    ];
    for (const [reason, form] of forms) await refuses(form, reason);
  });
  it("rejects a token whose typ is missing or differs from the expected typ", async () => {
    for (
      const header of ['{"alg":"ES256","typ":"JWT"}', '{"alg":"ES256"}', '{"alg":"ES256","typ":"AT+JWT"}']
    ) {
      const token = await sign(header);
      await refused(() => verifyCompact(token, publicKey, { typ: "at+jwt" }), "typ_mismatch");
    }
  });
  it("chooses keys by kid, and rejects a token that another key signed", async () => {
    const token = await sign('{"alg":"ES256","kid":"k1"}');
    await verifyCompact(token, (kid) => kid === "k1" ? [other.publicKey, publicKey] : []);
    const wrong = await assertRejects(() => verifyCompact(token, other.publicKey), JwsError);
    const none = await assertRejects(() => verifyCompact(token, () => []), JwsError);
    assertEquals([wrong.reason, none.reason], ["signature_mismatch", "key_unknown"]);
  });
  it("returns a frozen header, because later calls reuse the cached header", async () => {
    const { header } = await verifyCompact(await sign('{"alg":"ES256"}'), publicKey);
    assertEquals(Object.isFrozen(header), true);
  });
  it("throws only JwsError for any invalid text", async () => {
    const token = await sign('{"alg":"ES256"}');
    const letters = fc.constantFrom(...token, "=", " ", ".", "é", "\ud800");
    const changed = fc.tuple(fc.nat(token.length), fc.nat(3), fc.array(letters, { maxLength: 3 })).map(
      ([start, removed, added]) => token.slice(0, start) + added.join("") + token.slice(start + removed),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), changed).filter((text) => text !== token), async (text) => {
        await assertRejects(() => verifyCompact(text, publicKey), JwsError);
      }),
      { numRuns: 500 },
    );
  });
});
