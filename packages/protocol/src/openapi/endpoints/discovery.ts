import { z } from "zod";
import { authorizationServerReply, healthReply, jwksReply } from "../../schema/mod.ts";
import type { EndpointFamily } from "../endpoint.ts";
import { METADATA, TOKEN_KEYS } from "../examples/access.ts";

const apiDescription = z.looseObject({
  openapi: z.literal("3.1.0").meta({ description: "The version of OpenAPI." }),
}).meta({
  id: "ApiDescription",
  description: "An OpenAPI document.",
});

const PAGE_BEGINS = "<!doctype html>";
const htmlPage = z.string().startsWith(PAGE_BEGINS);

export const DISCOVERY_ENDPOINTS = {
  getHealth: {
    method: "GET",
    path: "/health",
    tag: "Discovery",
    summary: "Check whether the service is healthy",
    description:
      'Returns exactly `{"status":"ok"}` while the service and its database work, and 503 while they do not.',
    token: "none",
    reply: { description: "The service works.", schema: healthReply, examples: { ok: { status: "ok" } } },
    refusals: [],
  },
  getTokenKeys: {
    method: "GET",
    path: "/.well-known/jwks.json",
    tag: "Discovery",
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
    tag: "Discovery",
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
  getOpenApi: {
    method: "GET",
    path: "/openapi.json",
    tag: "Discovery",
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
    tag: "Discovery",
    summary: "This description as a page",
    description:
      "For people: every operation with its examples. The page loads nothing and runs no scripts, so a saved " +
      "copy is complete.",
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
    tag: "Discovery",
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
