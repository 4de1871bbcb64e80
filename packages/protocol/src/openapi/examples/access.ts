import type { AuthorizationServerReply, JwksReply, ProbeReply, TokenReply } from "../../schema/mod.ts";
import { BASE_URL, sentExample } from "./sent.ts";
import { THUMBPRINT } from "./example_values.ts";

export const TOKEN_REQUEST = {
  grant_type: "client_credentials",
  client_id: "sbx_your_client_id",
  client_secret: "your client secret",
} as const;

export const TOKEN = {
  access_token: "the.access.token",
  token_type: "Bearer",
  expires_in: 600,
} as const satisfies TokenReply;

export const TOKEN_KEYS = {
  keys: [{
    kty: "EC",
    crv: "P-256",
    x: "YP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Y",
    y: "eQP-EAi4vJmkGunpVii8ZPLxsgwtfp9Rd6PClNRGIpk",
    kid: THUMBPRINT,
    alg: "ES256",
    use: "sig",
  }],
} satisfies JwksReply;

export const METADATA = {
  issuer: BASE_URL,
  token_endpoint: `${BASE_URL}/oauth/token`,
  jwks_uri: `${BASE_URL}/.well-known/jwks.json`,
  grant_types_supported: ["client_credentials"],
  response_types_supported: [],
  token_endpoint_auth_methods_supported: ["client_secret_post"],
  tls_client_certificate_bound_access_tokens: true,
} satisfies AuthorizationServerReply;

const OK = (detail: string) => ({ ok: true, detail });

/** What the probe verified of the example with this name. */
function judged(name: string, canonical_sha256: string) {
  const { timestamp, nonce } = sentExample("probeSignature", name);
  return {
    clock_offset_seconds: -0.214,
    canonical_string:
      `POST\n${BASE_URL}/v1/signed-probe\n8385b36f977e657c9c1705553c670cfac5aa52eea64692ce492b894f4ee5cf83\n` +
      `${timestamp}\n${nonce}`,
    canonical_sha256,
  };
}

/** The probe's verdicts on one order, signed once correctly and once over the path instead of the URL. */
export const VERDICTS = {
  valid: {
    valid: true,
    steps: {
      timestamp: OK("Within the window."),
      nonce: OK("Not used before; this request has used it."),
      header: OK("As required."),
      key: OK("Registered and active."),
      signature: OK("It matches these bytes and this key."),
    },
    ...judged("valid", "de0af3e38c061290ab5dc6405c41732111e52df8cb69b7e969172af425996fb6"),
    mistake: null,
  },
  path_signed: {
    valid: false,
    steps: {
      timestamp: OK("Within the window."),
      nonce: OK("Well formed."),
      header: OK("As required."),
      key: OK("Registered and active."),
      signature: {
        ok: false,
        detail:
          "The signature does not match these bytes and this key: another key signed them, or other bytes were signed. " +
          "Compare the bytes that were signed with the bytes that were verified. You signed a part of the URL only: " +
          "sign all of it, scheme, host, path and query, as the second line of canonical_string shows.",
      },
    },
    ...judged("path_signed", "75279915f90e4ceac5b8a9e9fca3ef8d8cadbef4b484e77e618a7def4cdf98f7"),
    mistake: "path_not_url",
  },
} satisfies Record<string, ProbeReply>;
