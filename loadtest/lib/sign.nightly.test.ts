import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from "node:crypto";
import { existsSync } from "node:fs";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { canonicalRequest } from "@gold-partner/canonical";
import { importVerifyingKey, parseDetached, verifyDetached } from "@gold-partner/jws";
import { assertEquals, assertRejects } from "@std/assert";
const K6 = fileURLToPath(new URL("../../.tools/bin/k6", import.meta.url));
const SCRIPT = fileURLToPath(new URL("./sign_cases.ts", import.meta.url));
const ARGUMENTS = [
  ...["run", "--quiet", "--no-usage-report", "--summary-mode", "disabled"],
  ...["--log-format", "raw", "--log-output", "stdout", SCRIPT],
];
// k6 does not exit on syntax that it cannot parse, so the test kills it after this time.
const K6_TIMEOUT_MS = 60_000;

interface Request {
  method: string;
  url: string;
  body: Uint8Array | string;
  timestamp: string;
  nonce: string;
}

/**
 * Makes a new key, in each format that a credentials file may hold.
 * Each number in `zeroed` begins with a zero byte.
 */
function newKey(zeroed: readonly ("x" | "y" | "d")[] = []) {
  let privateKey: KeyObject;
  let jwk: JsonWebKey;
  do {
    // Goes through PEM, because Node 20 deadlocks if garbage collection frees the job that generated a key
    // during the key's export as a JWK.
    const pair = generateKeyPairSync("ec", {
      namedCurve: "P-256",
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
      publicKeyEncoding: { type: "spki", format: "pem" },
    });
    privateKey = createPrivateKey(pair.privateKey);
    jwk = privateKey.export({ format: "jwk" });
  } while (!zeroed.every((name) => Buffer.from(jwk[name]!, "base64url")[0] === 0));
  const publicKey = createPublicKey(privateKey);
  return {
    jwk: JSON.stringify({ ...jwk, kid: "bank-1", alg: "ES256", use: "sig" }),
    pkcs8: String(privateKey.export({ format: "pem", type: "pkcs8" })),
    sec1: String(privateKey.export({ format: "pem", type: "sec1" })),
    spki: String(publicKey.export({ format: "pem", type: "spki" })),
  };
}

/** Runs k6 and returns the lines that it printed: for each key, the headers of each request. */
function signInK6(keys: { text: string; kid?: string }[], requests: Request[]): string[] {
  if (!existsSync(K6)) throw new Error("k6 is not installed; run: node tools/run.mjs tools");
  const cases = requests.map(({ body, ...rest }) =>
    typeof body === "string"
      ? { ...rest, bodyText: body }
      : { ...rest, bodyBase64: Buffer.from(body).toString("base64") }
  );
  const { stdout, stderr } = spawnSync(K6, ARGUMENTS, {
    env: { ...process.env, KEYS: JSON.stringify(keys), CASES: JSON.stringify(cases) },
    encoding: "utf8",
    timeout: K6_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  if (lines.length === keys.length * requests.length) return lines;
  throw new Error(`k6 signed ${lines.length} requests. Its output:\n${stdout}${stderr}`);
}

const ORDER = {
  method: "POST",
  url: "https://localhost:8443/v1/orders",
  body: Buffer.from('{"quote_id":"qt_01890a5d-ac96-774b-bcce-b302099a8057"}'),
  timestamp: "1700000000",
  nonce: "5f0c2a9be1d84736",
};
const REQUESTS: Request[] = [
  ORDER,
  { ...ORDER, method: "GET", url: `${ORDER.url}?limit=20&cursor=%D8%B0`, body: Buffer.alloc(0) },
  { ...ORDER, body: '{"reference":"ذهب 🪙 \u0000"}', nonce: "!$%&'()*+-./:;<=>?@[]^_`{|}~" },
  { ...ORDER, body: Uint8Array.from({ length: 256 }, (_, index) => index), timestamp: "9999999999" },
  { ...ORDER, url: "https://api.gold.example/v1/signed-probe", body: Buffer.alloc(64 * 1024, 0xe9) },
];

describe("signRequest() in k6", () => {
  const signsAsVerified = async ({ jwk, pkcs8, sec1, spki }: ReturnType<typeof newKey>) => {
    const keys = [{ text: jwk, kid: "bank-1" }, { text: pkcs8 }, { text: sec1 }];
    const publicKey = await importVerifyingKey(spki);
    const lines = signInK6(keys, REQUESTS);
    for (const [index, line] of lines.entries()) {
      const { body, ...request } = REQUESTS[index % REQUESTS.length]!;
      const headers = JSON.parse(line);
      assertEquals(Object.keys(headers).sort(), ["X-JWS-Signature", "X-Nonce", "X-Timestamp"]);
      assertEquals([headers["X-Timestamp"], headers["X-Nonce"]], [request.timestamp, request.nonce]);
      const bodySha256 = createHash("sha256").update(body).digest("hex");
      const canonical = Buffer.from(canonicalRequest({ ...request, bodySha256 }));
      assertEquals(await verifyDetached(headers["X-JWS-Signature"], canonical, publicKey), publicKey);
      assertEquals(
        parseDetached(headers["X-JWS-Signature"]).kid,
        index < REQUESTS.length ? "bank-1" : undefined,
      );
      canonical[canonical.length - 1]! ^= 1;
      await assertRejects(() => verifyDetached(headers["X-JWS-Signature"], canonical, publicKey));
    }
    assertEquals(lines.length, 15);
  };

  it("makes signatures that the packages verify: JWK, PKCS#8 and SEC1 keys, with and without kid", () =>
    signsAsVerified(newKey()));

  it("imports keys with a leading zero byte, which k6 strips (one key in 85)", async () => {
    for (const name of ["x", "y", "d"] as const) await signsAsVerified(newKey([name]));
  });
});
