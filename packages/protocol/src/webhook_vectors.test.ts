import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import makeVectors from "../../../vectors/make/webhook.ts";
import { parseWebhookSecret, signWebhook, verifyWebhook, WebhookError } from "./webhook.ts";

interface SignCase {
  name: string;
  secrets: string[];
  id: string;
  timestamp: number;
  body_utf8?: string;
  body_hex?: string;
  signature: string;
}

interface VerifyCase {
  name: string;
  client_id?: string;
  secrets: string[];
  headers: Record<string, string>;
  body_utf8: string;
  now_seconds: number;
  valid: boolean;
  reason?: string;
}

interface SecretCase {
  name: string;
  secret: string;
  reason: string;
}

const cases = makeVectors().cases as unknown as (SignCase | VerifyCase | SecretCase)[];

describe("webhook vectors", () => {
  it("signWebhook() returns the signature of each vector, for a body given as text or as bytes", () => {
    const signed = cases.filter((one) => "id" in one);
    for (const { name, secrets, id, timestamp, body_utf8, body_hex, signature } of signed) {
      const parsed = secrets.map(parseWebhookSecret);
      const bytes = body_hex === undefined ? Buffer.from(body_utf8!) : Buffer.from(body_hex, "hex");
      assertEquals(signWebhook({ id, timestamp, body: bytes }, parsed), signature, name);
      if (body_utf8 !== undefined) {
        assertEquals(signWebhook({ id, timestamp, body: body_utf8 }, parsed), signature, name);
      }
    }
    assert(signed.length >= 10);
  });
  it("verifyWebhook() accepts each valid delivery and rejects each invalid delivery with its reason", () => {
    const delivered = cases.filter((one) => "headers" in one);
    for (const { name, client_id, secrets, headers, body_utf8, now_seconds, valid, reason } of delivered) {
      const verify = () =>
        verifyWebhook(body_utf8, headers, secrets.map(parseWebhookSecret), {
          nowSeconds: now_seconds,
          clientId: client_id,
        });
      if (valid) verify();
      else assertEquals(assertThrows(verify, WebhookError).reason, reason, name);
    }
    assert(delivered.some(({ valid }) => valid) && delivered.some(({ valid }) => !valid));
  });
  it("parseWebhookSecret() rejects each malformed secret", () => {
    const refused = cases.filter((one) => "secret" in one);
    for (const { name, secret, reason } of refused) {
      assertEquals(assertThrows(() => parseWebhookSecret(secret), WebhookError).reason, reason, name);
    }
    assert(refused.length > 0);
  });
});
