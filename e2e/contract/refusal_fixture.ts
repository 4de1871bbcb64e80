import {
  ENDPOINTS,
  isProblemCode,
  type OperationId,
  problemCodesOf,
  TOKEN_PROBLEM_REGISTRY,
  tokenErrorSchema,
  type TokenProblemCode,
} from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { expectProblem } from "@gold-partner/server/testing";

/**
 * The operation's own form, or the plain form of every refusal that is decided before the operation is known.
 */
export type Form = "own" | "plain";

/** Words that only a reader of the source or of the database would know. No error text may contain them. */
const INTERNALS = /\bgold\.|relation|column|sqlstate|postgres|\.ts\b|\bat \//i;

const OAUTH_ERRORS: Readonly<Record<number, string>> = {
  401: "invalid_client",
  403: "access_denied",
  429: "temporarily_unavailable",
  503: "temporarily_unavailable",
  504: "temporarily_unavailable",
};

/**
 * Throws unless the operation is described with this refusal, and the reply matches it in every documented
 * part.
 */
export async function expectRefusal(
  code: TokenProblemCode,
  operation: OperationId,
  reply: Response,
  form: Form = "own",
): Promise<void> {
  const endpoint = ENDPOINTS[operation];
  const { status, headers } = reply;
  const oauth = endpoint.oauth && form === "own";
  const detail = oauth ? await expectTokenError(code, reply) : await expectPlainProblem(code, reply);
  assertMatch(detail, /^\S[^]{15,}\.$/);
  assert(!INTERNALS.test(detail), detail);
  assertEquals(headers.get("Cache-Control"), "no-store");
  assertEquals(headers.has("Allow"), status === 405, `Allow: ${headers.get("Allow")}`);
  const waits = code === "idempotency_request_in_progress" || status === 429 || status === 503;
  assertEquals(headers.has("Retry-After"), waits, `Retry-After: ${headers.get("Retry-After")}`);
  assert(problemCodesOf(endpoint).includes(code), `${operation} does not document ${code}`);
}

async function expectPlainProblem(code: TokenProblemCode, reply: Response): Promise<string> {
  assert(isProblemCode(code), `${code} belongs only to the token endpoint`);
  return (await expectProblem(reply, code)).detail;
}

/** Checks a reply of the token endpoint. OAuth (RFC 6749) has one form of error for every status. */
async function expectTokenError(code: TokenProblemCode, reply: Response): Promise<string> {
  const text = await reply.text();
  const { status } = TOKEN_PROBLEM_REGISTRY[code];
  assertEquals([reply.status, reply.headers.get("Content-Type")], [status, "application/json"], text);
  const body = tokenErrorSchema.strict().parse(JSON.parse(text));
  const error = code === "unsupported_grant_type" ? code : OAUTH_ERRORS[status] ?? "invalid_request";
  assertEquals([body.code, body.error, body.request_id], [code, error, reply.headers.get("X-Request-Id")!]);
  assertEquals(reply.headers.has("WWW-Authenticate"), status === 401);
  return body.error_description;
}
