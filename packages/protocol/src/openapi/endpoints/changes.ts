import { changeReply, changeRequest, changesReply } from "../../schema/mod.ts";
import type { EndpointFamily } from "../endpoint.ts";
import { CHANGE_REQUESTS, CHANGES } from "../examples/changes.ts";

export const CHANGE_ENDPOINTS = {
  requestChange: {
    method: "POST",
    path: "/v1/account/changes",
    tag: "Access",
    summary: "Request a change of what is registered for you",
    description:
      "A further signing key, certificate, IP range or webhook endpoint. Nothing changes until the operator approves " +
      "the request. In production, that takes two people. At most three changes may be open. Never send a private " +
      "key or a secret. An IBAN cannot be changed here. Sign the request as you sign an order.",
    token: "required",
    signature: "required",
    idempotent: true,
    request: { mediaType: "application/json", schema: changeRequest, examples: CHANGE_REQUESTS },
    reply: {
      description: "The change, which waits for the operator.",
      schema: changeReply,
      examples: CHANGES,
    },
    refusals: ["open_changes_exceeded"],
  },
  getChanges: {
    method: "GET",
    path: "/v1/account/changes",
    tag: "Access",
    summary: "The changes that you requested",
    description: "Your newest 50 changes with their status, newest first.",
    token: "required",
    reply: {
      description: "The changes.",
      schema: changesReply,
      examples: { one_waits: { items: [CHANGES.signing_key] } },
    },
    refusals: [],
  },
  getChange: {
    method: "GET",
    path: "/v1/account/changes/{change_id}",
    tag: "Access",
    summary: "One change that you requested",
    description: "One change. When a certificate request is approved, `certificate` has the certificate.",
    token: "required",
    reply: { description: "The change.", schema: changeReply, examples: { waits: CHANGES.signing_key } },
    refusals: ["not_found"],
  },
} as const satisfies EndpointFamily;
