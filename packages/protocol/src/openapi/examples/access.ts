import type { AuthorizationServerReply, JwksReply, ProbeReply, TokenReply } from "../../schema/mod.ts";
import { THUMBPRINT } from "./story.ts";

const BASE_URL = "https://gold.example";

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

/**
 * The headers of a signed request. The signature is well-formed, but it does not verify for the example's
 * body.
 */
export const SIGNED = {
  timestamp: "1769851875",
  nonce: "e125f1cd14b46f73c2cacd79b541dd49",
  signature:
    "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..bwk5n0F90YSaE9OYHn6qTUiYtnz3NarbGV43uQ94MSSVV3IUZ0nWW8apQUdketz4DE_DzS2X22JSWi0cpNUfIA",
} as const;

export const IDEMPOTENCY_KEY = "3f0c1d5a-9f0e-4d57-9a53-0c8f6c1b2a44";

const OK = (detail: string) => ({ ok: true, detail });

const JUDGED = {
  clock_offset_seconds: -0.214,
  canonical_string:
    `POST\n${BASE_URL}/v1/signed-probe\n8385b36f977e657c9c1705553c670cfac5aa52eea64692ce492b894f4ee5cf83\n` +
    `${SIGNED.timestamp}\n${SIGNED.nonce}`,
  canonical_sha256: "fa01bf359272c6f30efcc9758e5d91b2af3d5a70e69c35a92f13cb917f80fb24",
};

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
    ...JUDGED,
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
    ...JUDGED,
    mistake: "path_not_url",
  },
} satisfies Record<string, ProbeReply>;
