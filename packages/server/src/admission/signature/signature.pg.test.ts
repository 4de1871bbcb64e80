import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { canonicalRequest } from "@gold-partner/canonical";
import { assertNotEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { hostBytes, type ProblemCode } from "@gold-partner/protocol";
import { expectProblem } from "../../../testing/problem.ts";
import { newTestKey, type TestKey } from "../../../testing/partner.ts";
import { type Signing, suiteService } from "../../../testing/service.ts";
import { Refusal } from "../../http/refusal.ts";
import { checkTimestamp } from "./verify_signature.ts";

const PATH = "/v1/orders";
/**
 * An order for a quote id that no quote has. If the order passes admission, the answer is 404, and its nonce
 * is spent.
 */
const BODY = '{"quote_id":"qt_none"}';

describe("verification of signed requests", () => {
  const service = suiteService();

  const order = (signing: Signing = {}) => service.signed(PATH, BODY, signing);
  const refused = async (signing: Signing, code: ProblemCode) => await expectProblem(order(signing), code);
  const passes = async (signing: Signing = {}) => void await expectProblem(order(signing), "not_found");
  const nowSeconds = () => Math.floor(service.now() / 1000);

  /** Signs with the given protected header, which may be invalid. */
  async function craft(header: string, key: TestKey, timestamp: string, nonce: string): Promise<string> {
    const url = service.config.publicBaseUrl + PATH;
    const bodySha256 = hostBytes.sha256Hex(hostBytes.utf8(BODY));
    const payload = canonicalRequest({ method: "POST", url, bodySha256, timestamp, nonce });
    const protectedHeader = hostBytes.base64url(hostBytes.utf8(header));
    const input = hostBytes.utf8(`${protectedHeader}.${payload}`);
    return `${protectedHeader}..${hostBytes.base64url(await key.signer.sign(input))}`;
  }
  async function orderWith(header: string, key = service.partner.signingKey): Promise<Response> {
    const [timestamp, nonce] = [`${nowSeconds()}`, randomUUID()];
    return await order({
      timestamp,
      nonce,
      headers: { "X-JWS-Signature": await craft(header, key, timestamp, nonce) },
    });
  }

  it("admits a signed request", () => passes());

  describe("the timestamp's window", () => {
    const edge = (seconds: number) => `${nowSeconds() + seconds}`;

    it("is 300 seconds in both directions, to the millisecond", () => {
      const nowMs = 1_800_000_000_000;
      for (const inside of [-300, -299, 0, 299, 300]) checkTimestamp(`${1_800_000_000 + inside}`, nowMs);
      assertThrows(() => checkTimestamp("1800000300", nowMs - 1), Refusal, "301 seconds ahead of");
      assertThrows(() => checkTimestamp("1799999700", nowMs + 1), Refusal, "301 seconds behind");
    });

    it("is measured from the database's time", async () => {
      // Stay 30 s away from the edges of the window, so that a slow machine does not fail the test.
      for (const inside of [-270, 270, 0]) await passes({ timestamp: edge(inside) });
      for (const outside of [-301, 330]) {
        await refused({ timestamp: edge(outside) }, "timestamp_out_of_window");
      }
    });

    it("does not depend on the machine's clock, which may be ten minutes wrong", async () => {
      const systemNow = Date.now;
      for (const wrongMs of [600_000, -600_000]) {
        Date.now = () => systemNow() + wrongMs;
        try {
          await service.refresh();
          await passes({ timestamp: `${Math.floor(systemNow() / 1000)}` });
          await refused(
            { timestamp: `${Math.floor(systemNow() / 1000) + wrongMs / 1000}` },
            "timestamp_out_of_window",
          );
        } finally {
          Date.now = systemNow;
        }
      }
    });

    it("is enforced by a refusal that says how many seconds X-Timestamp is ahead or behind", async () => {
      // The range allows for a slow machine.
      const nearly = /\b(99\d|10[0-2]\d)\b/;
      const late = await refused({ timestamp: edge(-1000) }, "timestamp_out_of_window");
      assertStringIncludes(late.detail.replace(nearly, "1000"), "1000 seconds behind");
      const early = await refused({ timestamp: edge(1000) }, "timestamp_out_of_window");
      assertStringIncludes(early.detail.replace(nearly, "1000"), "1000 seconds ahead of");
    });
  });

  describe("the signed content", () => {
    it("is method, URL, body, timestamp and nonce, and any change is signature_invalid", async () => {
      const base = service.config.publicBaseUrl;
      const others: Signing[] = [
        { url: PATH },
        { url: `https://other.example${PATH}` },
        { url: `${base}/v1/quotes` },
        { url: `${base}${PATH}/` },
        { url: `${base}${PATH}?` },
        { url: `https://LOCALHOST:8443${PATH}` },
        { signedBody: `${BODY} ` },
        { signedBody: BODY.replaceAll(":", ": ") },
        { signedBody: "" },
        { headers: { "X-Timestamp": `${nowSeconds() - 7}` } },
        { headers: { "X-Nonce": randomUUID() } },
      ];
      for (const other of others) await refused(other, "signature_invalid");
    });

    it("contains the query exactly as it was sent", async () => {
      const target = `${PATH}?a=%2f&b=&&a=1+2`;
      // This answer shows that the signature was right, because the query is checked after the signature.
      await expectProblem(service.signed(target, BODY), "invalid_request");
      const url = service.config.publicBaseUrl;
      for (const other of [PATH, `${PATH}?a=%2F&b=&&a=1+2`, `${PATH}?a=/&b=&&a=1+2`, `${PATH}?b=&&a=1+2`]) {
        await expectProblem(service.signed(target, BODY, { url: url + other }), "signature_invalid");
      }
    });

    it("must be signed with a key of the caller, and any other key is signature_invalid", async () => {
      await refused({ key: await newTestKey() }, "signature_invalid");
      await refused({ key: (await service.addPartner()).signingKey }, "signature_invalid");
    });

    it("has two valid signatures, with s and with n - s, but its nonce is accepted only once", async () => {
      const [timestamp, nonce] = [`${nowSeconds()}`, randomUUID()];
      const key = service.partner.signingKey;
      const signature = await craft('{"alg":"ES256","b64":false,"crit":["b64"]}', key, timestamp, nonce);
      const [header, s] = signature.split("..") as [string, string];
      const flipped = `${header}..${flipS(s)}`;
      assertNotEquals(flipped, signature);
      await passes({ timestamp, nonce, headers: { "X-JWS-Signature": flipped } });
      await refused({ timestamp, nonce, headers: { "X-JWS-Signature": signature } }, "nonce_reused");
    });
  });

  describe("the protected header", () => {
    it("may have its members in any order and with any spacing", async () => {
      const headers = [
        '{"crit":["b64"],"b64":false,"alg":"ES256"}',
        '{ "b64" : false, "alg":"ES256",\n"crit":[ "b64" ] }',
      ];
      for (const header of headers) {
        await expectProblem(orderWith(header), "not_found");
      }
    });

    it("may name the key by its registered kid or by its thumbprint", async () => {
      const named = await service.addPartner({ kid: "hsm-slot-1" });
      const { thumbprint } = named.signingKey;
      for (const kid of ["hsm-slot-1", thumbprint]) {
        const [timestamp, nonce] = [`${nowSeconds()}`, randomUUID()];
        const header = `{"alg":"ES256","b64":false,"crit":["b64"],"kid":"${kid}"}`;
        const signature = await craft(header, named.signingKey, timestamp, nonce);
        await passes({ partner: named, timestamp, nonce, headers: { "X-JWS-Signature": signature } });
      }
    });

    it("is refused with an unknown kid or with a missing, repeated, wrong or additional member", async () => {
      const other = await service.addPartner();
      const headers = [
        '{"alg":"ES256","b64":false,"crit":["b64"],"kid":"nobody"}',
        `{"alg":"ES256","b64":false,"crit":["b64"],"kid":"${other.signingKey.thumbprint}"}`,
        '{"alg":"ES256","b64":false,"crit":["b64"],"kid":""}',
        '{"alg":"ES256","b64":false,"crit":["b64"],"kid":1}',
        '{"alg":"ES256","b64":false}',
        '{"alg":"ES256","crit":["b64"]}',
        '{"b64":false,"crit":["b64"]}',
        '{"alg":"none","b64":false,"crit":["b64"]}',
        '{"alg":"HS256","b64":false,"crit":["b64"]}',
        '{"alg":"ES256","b64":true,"crit":["b64"]}',
        '{"alg":"ES256","b64":false,"crit":["b64","b64"]}',
        '{"alg":"ES256","b64":false,"crit":["b64","exp"]}',
        '{"alg":"ES256","alg":"ES256","b64":false,"crit":["b64"]}',
        `{"alg":"ES256","b64":false,"crit":["b64"],"jwk":${
          JSON.stringify(service.partner.signingKey.publicJwk)
        }}`,
        '{"alg":"ES256","b64":false,"crit":["b64"],"jku":"https://localhost/"}',
        '{"alg":"ES256","b64":false,"crit":["b64"],"x5u":"https://localhost/"}',
        '["ES256"]',
      ];
      for (const header of headers) await expectProblem(orderWith(header), "signature_invalid");
    });
  });
});

const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

function flipS(signature: string): string {
  const hex = Buffer.from(signature, "base64url").toString("hex");
  const s = (P256_ORDER - BigInt(`0x${hex.slice(64)}`)).toString(16).padStart(64, "0");
  return Buffer.from(hex.slice(0, 64) + s, "hex").toString("base64url");
}
