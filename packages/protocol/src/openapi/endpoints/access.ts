import { z } from "zod";
import { accountReply, credentialsReply, probeReply, tokenReply, tokenRequest } from "../../schema/mod.ts";
import type { EndpointFamily } from "../endpoint.ts";
import { TOKEN, TOKEN_REQUEST, VERDICTS } from "../examples/access.ts";
import { ACCOUNT, CREDENTIALS } from "../examples/books.ts";
import { ORDER_REQUESTS } from "../examples/trading.ts";

export const ACCESS_ENDPOINTS = {
  issueToken: {
    method: "POST",
    path: "/oauth/token",
    tag: "Access",
    summary: "Fetch an access token",
    description:
      "OAuth 2.0 client credentials, sent in the form body (client_secret_post; HTTP Basic is refused). The token is bound to " +
      "the client certificate of this connection (RFC 8705) and lives for 600 seconds: keep it in memory, renew it at 80 % of " +
      "its life. Refusals have OAuth's form, whatever their status. An unknown client_id, a wrong secret and another partner's " +
      "certificate get the same answer.",
    token: "none",
    oauth: true,
    request: {
      mediaType: "application/x-www-form-urlencoded",
      schema: tokenRequest,
      examples: { client_credentials: TOKEN_REQUEST },
    },
    reply: {
      description: "A token for this certificate.",
      schema: tokenReply,
      examples: { client_credentials: TOKEN },
    },
    refusals: ["invalid_client", "unsupported_grant_type", "partner_suspended"],
  },
  probeSignature: {
    method: "POST",
    path: "/v1/signed-probe",
    tag: "Access",
    summary: "Check a signature and explain what is wrong with it",
    description:
      "Send any body of any content type, signed as you sign an order, over this endpoint's own URL. The " +
      "reply says step by step what the service found, shows the exact string that it verified, and names " +
      "the mistake if it is a common one. A missing or malformed header is part of the verdict, not an " +
      "error. A valid probe spends its nonce. With `Prefer: handling=strict`, it replies as an order " +
      "would: 401, 409 and so on. The body is not stored. Failed probes have their own rate " +
      "limit.",
    token: "required",
    signature: "diagnosed",
    request: {
      mediaType: "*/*",
      schema: z.unknown(),
      examples: { valid: ORDER_REQUESTS.buy, path_signed: ORDER_REQUESTS.buy },
    },
    reply: { description: "The verdict, right or wrong.", schema: probeReply, examples: VERDICTS },
    refusals: [],
  },
  getAccount: {
    method: "GET",
    path: "/v1/account",
    tag: "Access",
    summary: "What is registered for you",
    description:
      "Your name, addresses, masked IBAN, webhook endpoints, credentials and limits, as the operator has registered " +
      "them. Compare them with your own configuration. Secrets and the whole IBAN are never shown.",
    token: "required",
    reply: { description: "Your account.", schema: accountReply, examples: { account: ACCOUNT } },
    refusals: [],
  },
  getCredentials: {
    method: "GET",
    path: "/v1/credentials",
    tag: "Access",
    summary: "Your credentials and when they expire",
    description:
      "Your certificates, signing keys, client secrets and webhook secrets: their names and validity " +
      "periods, never their values. Several of each kind can be active at once, so you can replace each " +
      "with an overlap.",
    token: "required",
    reply: {
      description: "What is registered for you.",
      schema: credentialsReply,
      examples: { all: CREDENTIALS },
    },
    refusals: [],
  },
} as const satisfies EndpointFamily;
