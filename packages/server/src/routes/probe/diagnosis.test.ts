import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { type CryptoKey, importVerifyingKey } from "@gold-partner/jws";
import type { ProbeMistake } from "@gold-partner/protocol";
import { assert, assertEquals } from "@std/assert";
import { CompactSign, FlattenedSign } from "jose";
import { attempts, type FailedStep, type ProbedRequest } from "./attempts.ts";
import { diagnose } from "./diagnosis.ts";
import { base64url, type Carelessness, foreignSignature, newForeignPair } from "./foreign_fixture.ts";
import { readLooseSignature } from "./loose_signature.ts";

const BASE = "https://api.gold.example";
const TARGET = "/v1/signed-probe?trace=1";
const URL_SIGNED = BASE + TARGET;
const BODY = '{"quote_id":"qt_1","note":"\u0645\u0631\u062d\u0628\u0627","n":[1.50,2],"a":{}}';
const REQUEST: ProbedRequest = {
  method: "POST",
  baseUrl: BASE,
  target: TARGET,
  body: Buffer.from(BODY),
  timestamp: "1795000000",
  nonce: "5f0c2a9be1d84736",
  hosts: [],
};
const { privateKey, publicKey } = newForeignPair();
const key = await importVerifyingKey(publicKey.export({ format: "jwk" }));

/** Returns the diagnosis of a client that makes the given mistakes. */
async function diagnosisOf(
  careless: Carelessness,
  { failed = "signature", request = REQUEST, keys = [key], signer = privateKey }: {
    failed?: FailedStep;
    request?: ProbedRequest;
    keys?: readonly CryptoKey[];
    signer?: typeof privateKey;
  } = {},
): Promise<ProbeMistake | null> {
  const signed = { ...request, url: request.baseUrl + request.target };
  const signature = readLooseSignature(foreignSignature(signer, signed, careless));
  return await diagnose(failed, signature!, request, keys);
}

describe("diagnose()", () => {
  /** What a client does wrong when it makes the signed text, by the mistake that is found. */
  const CARELESS: Partial<Record<ProbeMistake, readonly Carelessness[]>> = {
    path_not_url: [TARGET, "/v1/signed-probe", `api.gold.example${TARGET}`].map((url) => ({ url })),
    explicit_port: [{ url: `${BASE}:443${TARGET}` }],
    upper_case_host: [
      ...["https://API.GOLD.EXAMPLE", "HTTPS://API.GOLD.EXAMPLE", "HTTPS://api.gold.example"],
      ...["https://Api.Gold.Example", "https://api.Gold.Example"],
    ].map((origin) => ({ url: origin + TARGET })),
    upper_case_hex: [{ hash: (hex) => hex.toUpperCase() }],
    crlf: [
      { lines: (all) => all.join("\r\n") },
      { lines: (all) => all.map((line) => `${line}\r\n`).join("") },
    ],
    trailing_newline: ["\n", "\r\n"].map((end) => ({ lines: (all) => all.join("\n") + end })),
  };
  for (const [mistake, mistakes] of Object.entries(CARELESS)) {
    it(`returns ${mistake}, even if the Host header has capitals`, async () => {
      const request = { ...REQUEST, hosts: ["api.Gold.Example"] };
      for (const careless of mistakes) {
        assertEquals(await diagnosisOf(careless, { request }), mistake, `${careless.url}`);
      }
    });
  }
  it("returns wrong_host for another scheme, or for a host that the caller or its proxies use", async () => {
    const hosts = ["10.0.0.7:9443", "gold.bank.internal", "[::1]:8443"];
    const names = [
      "http://api.gold.example",
      "https://localhost",
      "http://127.0.0.1",
      ...hosts.flatMap((host) => [`https://${host}`, `http://${host}`]),
    ];
    for (const name of names) {
      const found = await diagnosisOf({ url: name + TARGET }, { request: { ...REQUEST, hosts } });
      assertEquals(found, "wrong_host", name);
    }
    assertEquals(await diagnosisOf({ url: `https://gold.bank.internal${TARGET}` }), null);
  });

  it("recognises mistakes in the host if the base URL has a port", async () => {
    const request = { ...REQUEST, baseUrl: "https://localhost:8443" };
    const cases = [
      ["https://localhost", "wrong_host"],
      ["http://localhost:8443", "wrong_host"],
      ["https://127.0.0.1:8443", "wrong_host"],
      ["https://localhost:443", "explicit_port"],
      ["https://LOCALHOST:8443", "upper_case_host"],
    ];
    for (const [origin, mistake] of cases) {
      assertEquals(await diagnosisOf({ url: origin + TARGET }, { request }), mistake as ProbeMistake, origin);
    }
  });

  it("returns payload_base64url whatever the protected header contains", async () => {
    assertEquals(await diagnosisOf({ payload: base64url }), "payload_base64url");
    const headers = [{ alg: "ES256" }, { alg: "ES256", b64: true, crit: ["b64"] }, {
      alg: "ES256",
      kid: "1",
      typ: "JOSE",
    }];
    for (const header of headers) {
      assertEquals(
        await diagnosisOf({ payload: base64url, header }, { failed: "header" }),
        "payload_base64url",
      );
    }
  });

  it("returns payload_base64url for jose's ordinary JWS, detached or with its payload", async () => {
    const { method, body, timestamp, nonce } = REQUEST;
    const hash = Buffer.from(await crypto.subtle.digest("SHA-256", new Uint8Array(body))).toString("hex");
    const text = Buffer.from([method, URL_SIGNED, hash, timestamp, nonce].join("\n"));
    const header = { alg: "ES256" };
    const flat = await new FlattenedSign(text).setProtectedHeader(header).sign(privateKey);
    const compact = await new CompactSign(text).setProtectedHeader(header).sign(privateKey);
    for (const value of [`${flat.protected}..${flat.signature}`, compact]) {
      const found = await diagnose("header", readLooseSignature(value)!, REQUEST, [key]);
      assertEquals(found, "payload_base64url");
    }
  });

  it("returns der_signature if the converted signature verifies, in base64 and base64url", async () => {
    for (const text of ["base64url", "base64"] as const) {
      assertEquals(await diagnosisOf({ encoding: "der", text }, { failed: "header" }), "der_signature");
    }
    assertEquals(await diagnosisOf({ encoding: "der", body: "another" }, { failed: "header" }), null);
    assertEquals(await diagnosisOf({ text: "base64" }, { failed: "header" }), null);
  });

  it("returns milliseconds whether milliseconds or seconds were signed, also in DER", async () => {
    const request = { ...REQUEST, timestamp: "1795000000123" };
    for (const careless of [{}, { timestamp: "1795000000" }, { encoding: "der" }] as const) {
      assertEquals(await diagnosisOf(careless, { failed: "timestamp", request }), "milliseconds");
    }
    assertEquals(await diagnosisOf({ timestamp: "1795000001" }, { failed: "timestamp", request }), null);
  });

  it("returns body_reserialised if another spelling of the body was signed", async () => {
    const value = JSON.parse(BODY);
    const sorted = { a: {}, n: [1.5, 2], note: value.note, quote_id: "qt_1" };
    const python =
      '{"quote_id": "qt_1", "note": "\\u0645\\u0631\\u062d\\u0628\\u0627", "n": [1.50, 2], "a": {}}';
    const bodies = [
      `${BODY}\n`,
      `${BODY}\r\n`,
      JSON.stringify(value),
      JSON.stringify(sorted),
      JSON.stringify(value, null, 2).replace("1.5", "1.50"),
      `${JSON.stringify(value, null, 4).replace("1.5", "1.50")}\n`,
      JSON.stringify(sorted, null, 2).replace("1.5", "1.50"),
      python,
    ];
    for (const body of bodies) {
      assertEquals(await diagnosisOf({ body }), "body_reserialised", body);
      const request = { ...REQUEST, body: Buffer.from(body) };
      assertEquals(
        await diagnosisOf({ body: `${body.trimEnd()}` }, { request }),
        body.endsWith("\n") ? "body_reserialised" : null,
      );
    }
    const request = { ...REQUEST, body: Buffer.from("plain\n") };
    assertEquals(await diagnosisOf({ body: "plain" }, { request }), "body_reserialised");
  });

  it("returns null if no common mistake explains the failure", async () => {
    const right = foreignSignature(privateKey, { ...REQUEST, url: URL_SIGNED });
    const mistakes = [{ body: "tampered" }, { body: `${BODY} ` }, { url: `${BASE}/v1/orders` }, {
      timestamp: "1795000001",
    }];
    for (const careless of mistakes) {
      assertEquals(await diagnosisOf(careless), null, JSON.stringify(careless));
    }
    assertEquals(await diagnosisOf({ url: TARGET }, { signer: newForeignPair().privateKey }), null);
    assertEquals(await diagnosisOf({ url: TARGET }, { keys: [] }), null);
    for (const letter of ["A", "_"]) {
      const impossible = readLooseSignature(right.replace(/[^.]{86}$/, letter.repeat(86)))!;
      assertEquals(await diagnose("signature", impossible, REQUEST, [key]), null);
    }
    assertEquals(readLooseSignature(right.slice(0, -8)), undefined);
    for (const value of ["", "..", "a..", "..a", "a.b", "a..b.c", "a..AAAA"]) {
      assertEquals(readLooseSignature(value), undefined, value);
    }
  });

  it("tries only the mistakes of the step that failed", async () => {
    assertEquals(await diagnosisOf({ url: TARGET }, { failed: "header" }), null);
    assertEquals(await diagnosisOf({}, { failed: "header" }), null);
    assertEquals(
      await diagnosisOf({ encoding: "der", url: TARGET }, { failed: "signature" }),
      "path_not_url",
    );
  });

  it("ignores invalid host names, and accepts a body of any bytes", async () => {
    const hosts = ["a b", "a\nb", "", "a/b", "x".repeat(300)];
    assertEquals(
      [...attempts("signature", false, { ...REQUEST, hosts })].length,
      [...attempts("signature", false, REQUEST)].length,
    );
    const bodies = [
      new Uint8Array(),
      Uint8Array.of(0, 255, 10),
      Buffer.from("[1e400]"),
      new Uint8Array(65_536),
      Buffer.from('{"a":1,"a":2}'),
    ];
    for (const body of bodies) {
      assertEquals(await diagnosisOf({ body: "another" }, { request: { ...REQUEST, body } }), null);
    }
  });

  it("tries each of several keys, and stops after 96 verifications", async () => {
    const other = await importVerifyingKey(newForeignPair().publicKey.export({ format: "jwk" }));
    assertEquals(await diagnosisOf({ url: TARGET }, { keys: [other, key] }), "path_not_url");
    assertEquals(await diagnosisOf({ body: `${BODY}\n` }, { keys: [other, key] }), "body_reserialised");
    let tried = 0;
    const endless = {
      *[Symbol.iterator]() {
        for (;; tried++) yield other;
      },
    } as unknown as readonly CryptoKey[];
    assertEquals(await diagnosisOf({ url: "none" }, { keys: endless }), null);
    assert(tried <= 96, `${tried}`);
    const hosts = ["10.0.0.7:9443", "gold.bank.internal"];
    const texts = new Set(
      [...attempts("signature", false, { ...REQUEST, baseUrl: "https://api.gold.example:8443", hosts })].map((
        { text },
      ) => text),
    );
    assert(
      texts.size <= 96 && texts.size > 40,
      `${texts.size} texts; expected 41 to 96, so that one key can be tried with each text`,
    );
  });
});
