// Errors as application/problem+json (RFC 9457), and in the form of the token endpoint.
import { z } from "zod";
import { REQUEST_ID_FORM, type RequestId } from "./id.ts";
import {
  oauthError,
  PROBLEM_REGISTRY,
  type ProblemCode,
  TOKEN_PROBLEM_REGISTRY,
  type TokenProblemCode,
} from "./problem_registry.ts";
import type { OAuthError } from "./problem/token_endpoint.ts";

export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/**
 * One place of the request that is wrong: a `pointer` into the body (RFC 6901, as a URI fragment), or the
 * `name` of a parameter or header.
 */
export type FieldError =
  | { readonly pointer: string; readonly detail: string }
  | { readonly name: string; readonly detail: string };

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  readonly retryable: boolean;
  readonly errors?: readonly FieldError[];
}

export interface ProblemOccurrence {
  /** What happened this time and what to do. Default: the registry's cause and cure. */
  readonly detail?: string;
  readonly requestId: RequestId;
  readonly errors?: readonly FieldError[];
  /** The address of the published documentation site. Default: the page of the service itself. */
  readonly docsUrl?: string | undefined;
}

/** A path without an escape, because Envoy has a meaning of its own for a percent sign. */
const DOCS_URL_FORM = /^https?:\/\/[a-z0-9.:[\]-]+(?:\/[A-Za-z0-9._~-]+)*$/;

/**
 * Reads the address of the published documentation site. Returns undefined for an empty text.
 *
 * @param text A URL such as https://docs.gold.example, without a slash at its end, because a path follows.
 * @throws Error when the text is not such a URL.
 * @example
 * ```ts
 * import { parseDocsUrl } from "@gold-partner/protocol";
 *
 * console.log(parseDocsUrl("https://docs.gold.example")); // https://docs.gold.example
 * ```
 */
export function parseDocsUrl(text: string): string | undefined {
  if (text === "") return undefined;
  if (URL.canParse(text) && DOCS_URL_FORM.test(text)) return text;
  throw new Error(
    `must be a URL such as https://docs.gold.example, without a slash at its end; got "${text}".`,
  );
}

/**
 * Makes the body of a problem reply. Its `type` is the address of the code's entry in the catalogue.
 *
 * @param code A code of `PROBLEM_REGISTRY`.
 * @param occurrence The request id, and what is known about this occurrence.
 * @example
 * ```ts
 * import { problemBody } from "@gold-partner/protocol";
 *
 * const requestId = "req_01890a5d-ac96-774b-bcce-b302099a8057";
 * const { status, type } = problemBody("quote_expired", { requestId });
 * console.log(status, type); // 422 /docs/errors#quote_expired
 * ```
 */
export function problemBody(
  code: ProblemCode,
  { detail, requestId, errors, docsUrl }: ProblemOccurrence,
): Problem {
  const { title, status, cause, cure, retryable } = PROBLEM_REGISTRY[code];
  return {
    type: docsUrl === undefined ? `/docs/errors#${code}` : `${docsUrl}/errors.html#${code}`,
    title,
    status,
    detail: detail ?? `${cause} ${cure}`,
    code,
    request_id: requestId,
    retryable,
    ...(errors?.length ? { errors } : {}),
  };
}

export interface TokenError {
  readonly error: OAuthError;
  readonly error_description: string;
  readonly code: TokenProblemCode;
  readonly request_id: string;
}

/**
 * Makes the body of a refusal at POST /oauth/token.
 *
 * @param code A code of `TOKEN_PROBLEM_REGISTRY`.
 * @param occurrence The request id, and what happened this time.
 * @example
 * ```ts
 * import { tokenErrorBody } from "@gold-partner/protocol";
 *
 * const requestId = "req_01890a5d-ac96-774b-bcce-b302099a8057";
 * const { error, code } = tokenErrorBody("partner_suspended", { requestId });
 * console.log(error, code); // access_denied partner_suspended
 * ```
 */
export function tokenErrorBody(
  code: TokenProblemCode,
  { detail, requestId }: Pick<ProblemOccurrence, "detail" | "requestId">,
): TokenError {
  const { cause, cure } = TOKEN_PROBLEM_REGISTRY[code];
  const error_description = detail ?? `${cause} ${cure}`;
  return { error: oauthError(code), error_description, code, request_id: requestId };
}

const requestId = z.string().regex(REQUEST_ID_FORM).meta({
  description: "Names this reply in the service's records; give it to the operator.",
});

export const fieldErrorSchema = z.object({
  pointer: z.string().optional().meta({ description: "A JSON Pointer into the body, as in #/gold_grams." }),
  name: z.string().optional().meta({ description: "The name of the query parameter or header." }),
  detail: z.string().meta({ description: "What is wrong and what to send." }),
}).meta({ id: "FieldError", description: "One invalid field of the request, by pointer or by name." });

export const problemSchema = z.object({
  type: z.string().meta({
    format: "uri-reference",
    description:
      "The page that explains the code: a path of this service, or an address of the operator's documentation.",
    examples: ["/docs/errors#quote_expired"],
  }),
  title: z.string().meta({ description: "The code in words; the same for every request with this code." }),
  status: z.int().min(400).max(599).meta({ description: "The HTTP status of this reply." }),
  detail: z.string().meta({ description: "What happened this time, why, and what to do." }),
  code: z.string().meta({
    description: "Handle the error by this code. Codes may be added; handle an unknown code by its status.",
    examples: Object.keys(PROBLEM_REGISTRY),
  }),
  request_id: requestId,
  retryable: z.boolean().meta({
    description:
      "Whether the same request, with a fresh signature and the same Idempotency-Key, may succeed later.",
  }),
  errors: z.array(fieldErrorSchema).optional().meta({
    description: "The invalid members, parameters or headers, at most 20.",
  }),
}).meta({ id: "Problem", description: "Why a request was refused (RFC 9457)." });

export const tokenErrorSchema = z.object({
  error: z.string().meta({ description: "OAuth's error code (RFC 6749, section 5.2)." }),
  error_description: z.string().meta({ description: "What happened this time, why, and what to do." }),
  code: z.string().meta({ description: "The code of the error catalogue, more specific than `error`." }),
  request_id: requestId,
}).meta({ id: "TokenError", description: "Why no token was issued." });
