// POST /oauth/token replies in OAuth's form (RFC 6749), with the registry's code beside OAuth's error.
import { NO_EFFECT, type ProblemFamily } from "./entry.ts";

/** The problems of the token endpoint alone. Their codes are OAuth's own names. */
export const TOKEN_ENDPOINT_PROBLEMS = {
  invalid_client: {
    ...NO_EFFECT,
    retryable: false,
    status: 401,
    title: "The client was not authenticated",
    cause:
      "The client_id is unknown, the secret is wrong, the certificate is another partner's, or the secret was not sent in the form; " +
      "the reply does not say which.",
    cure:
      "Send client_id and client_secret of this environment in the form body (client_secret_post, not HTTP " +
      "Basic), over your own certificate.",
  },
  unsupported_grant_type: {
    ...NO_EFFECT,
    retryable: false,
    status: 400,
    title: "The grant type is not supported",
    cause: "The form's grant_type is something other than client_credentials.",
    cure: "Send `grant_type=client_credentials`.",
  },
} as const satisfies ProblemFamily;

export type OAuthError =
  | "invalid_client"
  | "invalid_request"
  | "unsupported_grant_type"
  | "access_denied"
  | "temporarily_unavailable"
  | "server_error";
