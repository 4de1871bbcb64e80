// Who calls: certificate, address, partner, token, signature.
import { NO_EFFECT, type ProblemFamily } from "./entry.ts";

const UNIDENTIFIED = { ...NO_EFFECT, retryable: false } as const;

export const IDENTITY_PROBLEMS = {
  token_missing: {
    ...UNIDENTIFIED,
    status: 401,
    title: "The access token is missing",
    cause: "The endpoint needs an Authorization header with a bearer token, and there is none.",
    cure: "Fetch a token at POST /oauth/token and send it as `Authorization: Bearer <token>`.",
  },
  token_invalid: {
    ...UNIDENTIFIED,
    status: 401,
    title: "The access token is not valid",
    cause: "The token is damaged, was not issued by this environment, or has been ended.",
    cure: "Fetch a new token from this environment's POST /oauth/token and send it unchanged.",
  },
  token_expired: {
    ...NO_EFFECT,
    retryable: true,
    status: 401,
    title: "The access token has expired",
    cause: "A token lives for 600 seconds, and this one is older.",
    cure:
      "Fetch a new token and repeat the request with the same Idempotency-Key; renew ahead of time, at 80 % of expires_in.",
  },
  token_certificate_mismatch: {
    ...UNIDENTIFIED,
    status: 401,
    title: "The access token belongs to another certificate",
    cause:
      "A token is bound to the client certificate under which it was issued; this connection presents another one.",
    cure:
      "Fetch the token and call the API over the same client certificate; after a rotation fetch a new token first.",
  },
  signature_missing: {
    ...UNIDENTIFIED,
    status: 401,
    title: "The request is not signed",
    cause: "The endpoint takes signed requests only, and X-JWS-Signature, X-Timestamp or X-Nonce is missing.",
    cure: "Send all three headers; POST /v1/signed-probe tells you step by step whether they fit.",
  },
  signature_invalid: {
    ...UNIDENTIFIED,
    status: 401,
    title: "The signature does not fit the request",
    cause:
      "X-JWS-Signature is malformed, names an unknown key, or was made over other bytes than the request that arrived.",
    cure:
      "Send the same request to POST /v1/signed-probe: it shows the string that the service verified and names the usual mistakes.",
  },
  timestamp_out_of_window: {
    ...UNIDENTIFIED,
    status: 401,
    title: "The timestamp is too far from the service's clock",
    cause:
      "X-Timestamp differs by more than 300 seconds from the service's time, so the request is stale or one clock is wrong.",
    cure:
      "Synchronise your clock (NTP; the Date header of this reply shows ours), then sign again with a fresh timestamp.",
  },
  certificate_unknown: {
    ...UNIDENTIFIED,
    status: 403,
    title: "The client certificate is not registered",
    cause: "The certificate was accepted by TLS, but no partner of this environment has it.",
    cure:
      "Check that you present the certificate of this environment; have a new one registered by the operator before you use it.",
  },
  certificate_revoked: {
    ...UNIDENTIFIED,
    status: 403,
    title: "The client certificate is revoked",
    cause: "You or the operator had this certificate revoked or retired.",
    cure: "Present another of your active certificates, or send the operator a new signing request.",
  },
  certificate_expired: {
    ...UNIDENTIFIED,
    status: 403,
    title: "The client certificate has expired",
    cause: "The certificate's validity has ended; GET /v1/credentials shows every expiry beforehand.",
    cure:
      "Send the operator a new signing request. Old and new certificates overlap, so renew while the old one still works.",
  },
  ip_not_allowed: {
    ...UNIDENTIFIED,
    status: 403,
    title: "The calling address is not registered",
    cause: "The request came from an IP address outside the ranges that are registered for you.",
    cure:
      "Call from a registered address, or have the operator add your egress range; a changed NAT gateway is the usual cause.",
  },
  partner_suspended: {
    ...UNIDENTIFIED,
    status: 403,
    title: "The partner is suspended",
    cause: "The operator has suspended your access; balances stay as they are.",
    cure: "Stop retrying and contact the operator.",
  },
} as const satisfies ProblemFamily;
