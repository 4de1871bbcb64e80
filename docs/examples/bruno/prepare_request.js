// Bruno runs this script before each request of this collection. The script adds the partner's credentials,
// the Idempotency-Key of a write and the signature. It needs Bruno's developer sandbox.
const { createHash, createPrivateKey, randomBytes, randomUUID, sign } = require("node:crypto");
const { readFileSync } = require("node:fs");

const SIGNED = ["/v1/orders", "/v1/withdrawals", "/v1/signed-probe"];
const WITHOUT_KEY = ["/oauth/token", "/v1/signed-probe"];
const HEADER = { alg: "ES256", b64: false, crit: ["b64"] };

/**
 * Reads `credentials.json` at each request, so that the collection and its environments contain no secret.
 */
function readCredentials(bru) {
  const credentials = JSON.parse(readFileSync(bru.getEnvVar("credentials"), "utf8"));
  const { base_url, cert, key, client_id, client_secret } = credentials;
  const { hostname } = new URL(base_url);
  for (
    const [name, value] of Object.entries({ base_url, host: hostname, cert, key, client_id, client_secret })
  ) {
    bru.setVar(name, value);
  }
  return credentials;
}

function readSigningKey(path) {
  const text = readFileSync(path, "utf8");
  return createPrivateKey(text.startsWith("{") ? { key: JSON.parse(text), format: "jwk" } : text);
}

/** Returns the detached JWS over the canonical string (docs/signing.md). */
function signCanonical(canonical, key) {
  const header = Buffer.from(JSON.stringify(HEADER)).toString("base64url");
  const signature = sign("sha256", Buffer.from(`${header}.${canonical}`), { key, dsaEncoding: "ieee-p1363" });
  return `${header}..${signature.toString("base64url")}`;
}

async function prepareRequest(req, bru) {
  const { signing_key } = readCredentials(bru);
  const url = bru.interpolate(req.getUrl());
  const { pathname } = new URL(url);
  const method = req.getMethod();
  if (pathname.startsWith("/v1/")) req.setHeader("Authorization", `Bearer ${bru.getVar("access_token")}`);
  if (method !== "POST") return;
  if (!WITHOUT_KEY.includes(pathname)) req.setHeader("Idempotency-Key", randomUUID());
  if (!SIGNED.includes(pathname)) return;
  // Replace the variables in the body before it is signed. Bruno would replace them after the signature.
  const body = bru.interpolate(req.getBody({ raw: true }));
  req.setBody(body, { raw: true });
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const nonce = randomBytes(16).toString("hex");
  const sha256 = createHash("sha256").update(body).digest("hex");
  const canonical = [method, url, sha256, timestamp, nonce].join("\n");
  req.setHeader("X-Timestamp", timestamp);
  req.setHeader("X-Nonce", nonce);
  req.setHeader("X-JWS-Signature", signCanonical(canonical, readSigningKey(signing_key)));
}

module.exports = { prepareRequest };
