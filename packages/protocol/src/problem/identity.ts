// Problems of the caller's identity: certificate, address, partner, token, signature.
import { NO_EFFECT, type ProblemFamily } from "./entry.ts";

const UNIDENTIFIED = { ...NO_EFFECT, retryable: false } as const;

export const IDENTITY_PROBLEMS = {
  token_missing: {
    ...UNIDENTIFIED,
    status: 401,
    title: "The access token is missing",
    cause: "The endpoint needs an Authorization header with a bearer token, but the request has none.",
    cure: "Fetch a token at POST /oauth/token and send it as `Authorization: Bearer <token>`.",
  },
  token_invalid: {
    ...UNIDENTIFIED,
    status: 401,
    title: "The access token is not valid",
    cause: "The token is damaged, was not issued by this environment, or has been revoked.",
    cure: "Fetch a new token from this environment's POST /oauth/token and send it unchanged.",
  },
  token_expired: {
    ...NO_EFFECT,
    retryable: true,
    status: 401,
    title: "The access token has expired",
    cause: "A token is valid for 600 seconds, and this token is older.",
    cure:
      "Fetch a new token and repeat the request with the same Idempotency-Key. Renew tokens early, at 80 % of " +
      "expires_in.",
  },
  token_certificate_mismatch: {
    ...UNIDENTIFIED,
    status: 401,
    title: "The access token belongs to another certificate",
    cause:
      "A token is bound to the client certificate with which it was requested, but this connection uses another " +
      "certificate.",
    cure:
      "Use the same client certificate to fetch the token and to call the API. After a rotation, fetch a new " +
      "token first.",
  },
  signature_missing: {
    ...UNIDENTIFIED,
    status: 401,
    title: "The request is not signed",
    cause:
      "The endpoint accepts only signed requests, but X-JWS-Signature, X-Timestamp or X-Nonce is missing.",
    cure: "Send all three headers; POST /v1/signed-probe checks them step by step.",
  },
  signature_invalid: {
    ...UNIDENTIFIED,
    status: 401,
    title: "The signature does not match the request",
    cause:
      "X-JWS-Signature is malformed, names an unknown key, or was made over bytes that differ from the request " +
      "that arrived.",
    cure:
      "Send the same request to POST /v1/signed-probe: it shows the string that the service verified and names " +
      "common mistakes.",
  },
  timestamp_out_of_window: {
    ...UNIDENTIFIED,
    status: 401,
    title: "The timestamp is too far from the service's clock",
    cause:
      "X-Timestamp differs by more than 300 seconds from the service's time, so the request is stale or one " +
      "clock is wrong.",
    cure:
      "Synchronise your clock (NTP; the Date header of this reply shows the service's time), then sign again " +
      "with a fresh timestamp.",
  },
  certificate_unknown: {
    ...UNIDENTIFIED,
    status: 403,
    title: "The client certificate is not registered",
    cause: "TLS accepted the certificate, but it is not registered for any partner of this environment.",
    cure:
      "Check that you use the certificate of this environment. Ask the operator to register a new certificate " +
      "before you use it.",
  },
  certificate_revoked: {
    ...UNIDENTIFIED,
    status: 403,
    title: "The client certificate is revoked",
    cause: "This certificate was revoked or retired, by you or by the operator.",
    cure: "Use another of your active certificates, or send the operator a new signing request.",
  },
  certificate_expired: {
    ...UNIDENTIFIED,
    status: 403,
    title: "The client certificate has expired",
    cause: "The certificate's validity period has ended; GET /v1/credentials shows every expiry in advance.",
    cure:
      "Send the operator a new signing request. Old and new certificates overlap, so renew while the old one " +
      "still works.",
  },
  ip_not_allowed: {
    ...UNIDENTIFIED,
    status: 403,
    title: "The calling address is not registered",
    cause: "The request came from an IP address outside the ranges that are registered for you.",
    cure:
      "Call from a registered address, or ask the operator to add your egress range; the usual cause is a " +
      "changed NAT gateway.",
  },
  partner_suspended: {
    ...UNIDENTIFIED,
    status: 403,
    title: "The partner is suspended",
    cause: "The operator has suspended your access. Your balances do not change.",
    cure: "Stop retrying and contact the operator.",
  },
} as const satisfies ProblemFamily;
