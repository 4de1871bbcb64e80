import { z } from "zod";
import {
  authorizationServerReply,
  credentialsReply,
  healthReply,
  jwksReply,
  probeReply,
  tokenReply,
  tokenRequest,
} from "../../schema/mod.ts";
import type { EndpointFamily } from "../endpoint.ts";
import { METADATA, TOKEN, TOKEN_KEYS, TOKEN_REQUEST, VERDICTS } from "../examples/access.ts";
import { CREDENTIALS } from "../examples/books.ts";
import { ORDER_REQUESTS } from "../examples/trading.ts";

const apiDescription = z.looseObject({ openapi: z.literal("3.1.0") }).meta({
  id: "ApiDescription",
  description: "An OpenAPI document.",
});

const PAGE_BEGINS = "<!doctype html>";
const htmlPage = z.string().startsWith(PAGE_BEGINS);

export const ACCESS_ENDPOINTS = {
  getHealth: {
    method: "GET",
    path: "/health",
    tag: "Access",
    summary: "Check whether the service is healthy",
    description:
      'Returns exactly `{"status":"ok"}` while the service and its database work, and 503 while they do not.',
    token: "none",
    reply: { description: "The service works.", schema: healthReply, examples: { ok: { status: "ok" } } },
    refusals: [],
  },
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
  getTokenKeys: {
    method: "GET",
    path: "/.well-known/jwks.json",
    tag: "Access",
    summary: "The public keys of access tokens",
    description:
      "A JSON Web Key Set (RFC 7517). To a client, a token is opaque; these keys are for auditors. While " +
      "a key is being replaced, both keys are listed.",
    token: "none",
    reply: { description: "The keys.", schema: jwksReply, examples: { one_key: TOKEN_KEYS } },
    refusals: [],
  },
  getAuthorizationServer: {
    method: "GET",
    path: "/.well-known/oauth-authorization-server",
    tag: "Access",
    summary: "The authorization server's metadata",
    description: "Where tokens come from and how clients are authenticated (RFC 8414, RFC 8705).",
    token: "none",
    reply: {
      description: "The metadata.",
      schema: authorizationServerReply,
      examples: { metadata: METADATA },
    },
    refusals: [],
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
    signature: "judged",
    request: {
      mediaType: "*/*",
      schema: z.unknown(),
      examples: { valid: ORDER_REQUESTS.buy, path_signed: ORDER_REQUESTS.buy },
    },
    reply: { description: "The verdict, right or wrong.", schema: probeReply, examples: VERDICTS },
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
  getOpenApi: {
    method: "GET",
    path: "/openapi.json",
    tag: "Access",
    summary: "This description",
    description: "OpenAPI 3.1, made from the schemas that validate requests and the registry of errors.",
    token: "none",
    fixed: true,
    reply: {
      description: "The description.",
      schema: apiDescription,
      examples: { begins: { openapi: "3.1.0" } },
    },
    refusals: [],
  },
  getReference: {
    method: "GET",
    path: "/docs",
    tag: "Access",
    summary: "This description as a page",
    description:
      "For people: every operation with its examples. The page loads nothing and runs no scripts, so a saved copy is complete.",
    token: "none",
    fixed: true,
    reply: {
      mediaType: "text/html",
      description: "The page.",
      schema: htmlPage,
      examples: { begins: PAGE_BEGINS },
    },
    refusals: [],
  },
  getErrorCatalogue: {
    method: "GET",
    path: "/docs/errors",
    tag: "Access",
    summary: "Every error and what to do",
    description:
      "For people: the page that the `type` of a problem links to. Each code is an anchor on the page.",
    token: "none",
    fixed: true,
    reply: {
      mediaType: "text/html",
      description: "The page.",
      schema: htmlPage,
      examples: { begins: PAGE_BEGINS },
    },
    refusals: [],
  },
} as const satisfies EndpointFamily;
