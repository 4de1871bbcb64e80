import { Buffer } from "node:buffer";
import { inspect } from "node:util";
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import {
  newWebhookSecret,
  parseWebhookSecret,
  signWebhook,
  verifyWebhook,
  WebhookError,
  type WebhookErrorReason,
} from "./webhook.ts";

const NOW = 1_750_000_000;
const ID = "evt_01978c5e-0000-7000-8000-000000000000";
const BODY = '{"type":"webhook.test","note":"ذهب ٢٤"}';

const secretText = (fill: number, length = 32) => `whsec_${Buffer.alloc(length, fill).toString("base64")}`;
const first = parseWebhookSecret(secretText(1));
const second = parseWebhookSecret(secretText(2));
const signed = signWebhook({ id: ID, timestamp: NOW, body: BODY }, [first]);
const headersWith = (changed: Record<string, string | string[] | undefined> = {}) => ({
  "webhook-id": ID,
  "webhook-timestamp": String(NOW),
  "webhook-signature": signed,
  ...changed,
});

function assertRefused(reason: WebhookErrorReason, attempt: () => unknown): void {
  const error = assertThrows(attempt, WebhookError);
  assertEquals(error.reason, reason, `expected ${reason}, got ${error.reason}: ${error.message}`);
  assertMatch(error.message, /; .+\.$/, "the message must say what to do");
}
const refusesHeaders = (reason: WebhookErrorReason, headers: Parameters<typeof verifyWebhook>[1]): void =>
  assertRefused(reason, () => verifyWebhook(BODY, headers, [first], { nowSeconds: NOW }));

describe("webhook secrets", () => {
  it("newWebhookSecret() gives 32 random bytes that parseWebhookSecret() reads", () => {
    const text = newWebhookSecret((length) => new Uint8Array(length).fill(1));
    assertEquals(text, secretText(1));
    const headers = headersWith({
      "webhook-signature": signWebhook({ id: ID, timestamp: NOW, body: "" }, [first]),
    });
    verifyWebhook("", headers, [parseWebhookSecret(text)], { nowSeconds: NOW });
  });
  it("newWebhookSecret() rejects a random source that returns another length", () => {
    for (const length of [0, 31, 33]) {
      assertRefused("argument_invalid", () => newWebhookSecret(() => new Uint8Array(length)));
    }
  });
  it("parseWebhookSecret() accepts only one spelling", () => {
    const good = secretText(255);
    const bad = [
      "",
      good.slice("whsec_".length),
      "whsec_",
      `WHSEC_${good.slice("whsec_".length)}`,
      good.replace(/=+$/, ""),
      `${good}=`,
      `${good}\n`,
      ` ${good}`,
      good.replaceAll("/", "_"),
      good.replace("8=", "9="), // padding bits that are not 0
      `whsec_ ${good.slice("whsec_".length)}`,
    ];
    for (const text of [...bad, undefined, null, 5, Buffer.from(good)]) {
      assertRefused("secret_invalid", () => parseWebhookSecret(text as never));
    }
  });
  it("a parsed secret hides its key in JSON and in logs, and no error quotes a malformed secret", () => {
    const text = secretText(9);
    const encoded = text.slice("whsec_".length, -4);
    const shown = [
      JSON.stringify(parseWebhookSecret(text)),
      inspect(parseWebhookSecret(text), { showHidden: true }),
    ];
    const refusal = assertThrows(() => parseWebhookSecret(`${text} `), WebhookError);
    for (const one of [...shown, refusal.message]) assert(!one.includes(encoded) && !one.includes("09 09"));
  });
});

describe("signWebhook()", () => {
  it("rejects a missing secret, an invalid id and an invalid time", () => {
    const message = { id: ID, timestamp: NOW, body: BODY };
    assertRefused("argument_invalid", () => signWebhook(message, []));
    for (const id of ["", "a.b", "a b", "a,b", "a\n", "é", "x".repeat(256)]) {
      assertRefused("argument_invalid", () => signWebhook({ ...message, id }, [first]));
    }
    for (const timestamp of [0, -NOW, NOW * 1000, NOW + 0.5, 999_999_999, NaN, Infinity]) {
      assertRefused("argument_invalid", () => signWebhook({ ...message, timestamp }, [first]));
    }
    for (
      const change of [{ id: undefined }, { timestamp: undefined }, { body: undefined }, { body: { a: 1 } }]
    ) {
      assertRefused("argument_invalid", () => signWebhook({ ...message, ...change } as never, [first]));
    }
    assertRefused("argument_invalid", () => signWebhook(null as never, [first]));
    for (const id of ["!", "~", "+", "-", "/", "x".repeat(255)]) signWebhook({ ...message, id }, [first]);
  });
});

describe("verifyWebhook()", () => {
  it("accepts a signed delivery and returns its id and timestamp", () => {
    const expected = { id: ID, timestamp: NOW };
    assertEquals(verifyWebhook(BODY, headersWith(), [first], { nowSeconds: NOW }), expected);
    assertEquals(verifyWebhook(Buffer.from(BODY), headersWith(), [first], { nowSeconds: NOW }), expected);
  });
  it("accepts Headers, Node's header record and any case of names", () => {
    const upper = Object.fromEntries(
      Object.entries(headersWith()).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const listed = { ...headersWith(), "webhook-id": [ID], "set-cookie": ["a", "b"], "x-none": undefined };
    for (const headers of [new Headers(headersWith()), upper, listed]) {
      verifyWebhook(BODY, headers, [first], { nowSeconds: NOW });
    }
  });
  it("ignores unknown versions and malformed signatures beside a valid signature", () => {
    const around = [`v1a,AAAA ${signed}`, `v2,${signed.slice(3)} ${signed}`, `v1,é  v1, ${signed} v1`];
    for (const value of around) {
      verifyWebhook(BODY, headersWith({ "webhook-signature": value }), [first], { nowSeconds: NOW });
    }
  });
  it("refuses a header without a v1 signature, or whose only v1 signature is malformed", () => {
    const mac = signed.slice(3);
    const malformed = [signed.slice(0, -1), `${signed}=`, `v1,,${mac}`, "v1,"];
    const values: Partial<Record<WebhookErrorReason, string[]>> = {
      signature_version_unknown: [mac, `v2,${mac}`, `V1,${mac}`, `v1a,${mac}`, "v1"],
      signature_mismatch: [...malformed, `v1,${Buffer.from(mac, "base64").toString("base64url")}`],
    };
    for (const [reason, texts] of Object.entries(values)) {
      for (const text of texts) {
        refusesHeaders(reason as WebhookErrorReason, headersWith({ "webhook-signature": text }));
      }
    }
  });
  it("refuses a changed byte of body, id, time or signature, and another secret", () => {
    const otherId = ID.replace("0", "1");
    const mismatch = (attempt: () => unknown) => assertRefused("signature_mismatch", attempt);
    for (let at = 0; at < BODY.length; at++) {
      const body = Buffer.from(BODY);
      body[at]! ^= 1;
      mismatch(() => verifyWebhook(body, headersWith(), [first], { nowSeconds: NOW }));
    }
    for (let at = 3; at < signed.length - 2; at++) {
      const value = signed.slice(0, at) + (signed[at] === "A" ? "B" : "A") + signed.slice(at + 1);
      refusesHeaders("signature_mismatch", headersWith({ "webhook-signature": value }));
    }
    refusesHeaders("signature_mismatch", headersWith({ "webhook-id": otherId }));
    refusesHeaders("signature_mismatch", headersWith({ "webhook-timestamp": String(NOW + 1) }));
    mismatch(() => verifyWebhook(BODY, headersWith(), [second], { nowSeconds: NOW }));
    mismatch(() => verifyWebhook(`${BODY}\n`, headersWith(), [first], { nowSeconds: NOW }));
    mismatch(() => verifyWebhook(`\ufeff${BODY}`, headersWith(), [first], { nowSeconds: NOW }));
  });
  it("refuses missing, empty and repeated headers", () => {
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"] as const) {
      const other = headersWith()[name];
      for (const value of [undefined, "", []]) {
        refusesHeaders("header_missing", headersWith({ [name]: value }));
      }
      refusesHeaders("header_invalid", headersWith({ [name]: [other!, other!] }));
      refusesHeaders("header_invalid", { ...headersWith(), [name.toUpperCase()]: other });
      const fetched = new Headers(headersWith());
      fetched.delete(name);
      refusesHeaders("header_missing", fetched);
    }
  });
  it("refuses an id or time in another form before it compares signatures", () => {
    for (const value of ["a.b", "a b", "a\n", `${ID}, ${ID}`]) {
      refusesHeaders("header_invalid", headersWith({ "webhook-id": value }));
    }
    const times = [
      `${NOW}000`,
      `+${NOW}`,
      ` ${NOW}`,
      `${NOW}.0`,
      "1.75e9",
      `0${NOW}`,
      "0x684ee180",
      "175000000",
    ];
    for (const value of times) refusesHeaders("header_invalid", headersWith({ "webhook-timestamp": value }));
  });
  it("rejects a webhook-signature over 4,096 characters before it compares signatures", () => {
    const most = `${"v1, ".repeat(1012)}${signed}`;
    assertEquals(most.length, 4095);
    verifyWebhook(BODY, headersWith({ "webhook-signature": ` ${most}` }), [first], { nowSeconds: NOW });
    refusesHeaders("header_invalid", headersWith({ "webhook-signature": `  ${most}` }));
  });
  it("rejects an id with a full stop, which could move a part of the signed body into the id", () => {
    const mark = signWebhook({ id: "a", timestamp: NOW, body: `${NOW}.b` }, [first]);
    const moved = { "webhook-id": `a.${NOW}`, "webhook-timestamp": String(NOW), "webhook-signature": mark };
    assertRefused("header_invalid", () => verifyWebhook("b", moved, [first], { nowSeconds: NOW }));
  });
  it("tolerates the given seconds in either direction", () => {
    const at = (nowSeconds: number) => () =>
      verifyWebhook(BODY, headersWith(), [first], { nowSeconds, toleranceSeconds: 10 });
    at(NOW + 10)();
    assertRefused("timestamp_too_old", at(NOW + 10.5));
    assertRefused("timestamp_too_new", at(NOW - 11));
    assertRefused("timestamp_too_old", at(NOW * 1000));
  });
  it("rejects an empty list of secrets, and a clock or tolerance that is not finite", () => {
    assertRefused("argument_invalid", () => verifyWebhook(BODY, headersWith(), [], { nowSeconds: NOW }));
    for (const broken of [NaN, Infinity, -Infinity]) {
      const options = [{ nowSeconds: broken }, { nowSeconds: NOW, toleranceSeconds: broken }];
      for (const one of options) {
        assertRefused("argument_invalid", () => verifyWebhook(BODY, headersWith(), [first], one));
      }
    }
  });
  it("rejects a parsed body, and says to pass the raw body", () => {
    for (const body of [JSON.parse(BODY), undefined, null, 5, [...Buffer.from(BODY)], new ArrayBuffer(2)]) {
      const attempt = () => verifyWebhook(body as never, headersWith(), [first], { nowSeconds: NOW });
      assertRefused("argument_invalid", attempt);
      assertThrows(attempt, WebhookError, "before any parser");
    }
  });
  it("rejects unparsed secrets, and says how to parse them", () => {
    for (const secrets of [secretText(1), [secretText(1)], first, [undefined], null, undefined]) {
      const attempt = () => verifyWebhook(BODY, headersWith(), secrets as never, { nowSeconds: NOW });
      assertRefused("argument_invalid", attempt);
      assertThrows(attempt, WebhookError, "parseWebhookSecret(text)");
    }
  });
  it("rejects missing headers and options", () => {
    for (const headers of [undefined, null, 5, { ...headersWith(), "webhook-signature": 5 }]) {
      refusesHeaders("header_missing", headers as never);
    }
    for (const options of [undefined, null, {}]) {
      assertRefused("argument_invalid", () => verifyWebhook(BODY, headersWith(), [first], options as never));
    }
  });
  it("compares the client_id of bytes, too, and accepts a body that has none", () => {
    const [clientId, nowSeconds] = ["sbx_a", NOW];
    const verify = (body: string | Uint8Array) => {
      const signature = signWebhook({ id: ID, timestamp: NOW, body }, [first]);
      verifyWebhook(body, headersWith({ "webhook-signature": signature }), [first], { nowSeconds, clientId });
    };
    for (const body of ['{"client_id":"sbx_a"}', BODY, "", "null", "[]", "no JSON"]) {
      verify(body);
      verify(Buffer.from(body));
    }
    for (const other of ['"sbx_b"', '"sbx_a "', '""', "null", "1", '["sbx_a"]']) {
      assertRefused("client_mismatch", () => verify(`{"client_id":${other}}`));
      assertRefused("client_mismatch", () => verify(Buffer.from(`{"client_id":${other}}`)));
    }
  });
  it("names the header and the age in its errors", () => {
    const late = assertThrows(() => verifyWebhook(BODY, headersWith(), [first], { nowSeconds: NOW + 999 }));
    assertStringIncludes(String(late), "WebhookError: webhook-timestamp is 999 s before");
  });
});
