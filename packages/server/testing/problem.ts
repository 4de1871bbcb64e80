import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  type Problem,
  PROBLEM_MEDIA_TYPE,
  PROBLEM_REGISTRY,
  type ProblemCode,
  problemSchema,
} from "@gold-partner/protocol";

/** Checks that the reply is this problem, with every documented header and member. Returns its body. */
export async function expectProblem(
  request: Response | Promise<Response>,
  code: ProblemCode,
): Promise<Problem> {
  const reply = await request;
  const text = await reply.text();
  const { status, title, retryable } = PROBLEM_REGISTRY[code];
  strictEqual(reply.status, status, `expected ${code}, got ${reply.status} ${text.slice(0, 300)}`);
  strictEqual(reply.headers.get("Content-Type"), PROBLEM_MEDIA_TYPE);
  const body = problemSchema.strict().parse(JSON.parse(text)) as Problem;
  deepStrictEqual(
    [body.code, body.status, body.title, body.retryable, body.type],
    [code, status, title, retryable, `/docs/errors#${code}`],
    body.detail,
  );
  strictEqual(
    reply.headers.has("WWW-Authenticate"),
    status === 401,
    "WWW-Authenticate must be sent with 401 only",
  );
  if (status === 401) match(reply.headers.get("WWW-Authenticate")!, /^Bearer realm="gold-partner"/);
  if (status === 503 || status === 429) match(reply.headers.get("Retry-After") ?? "", /^[1-9][0-9]*$/);
  if (reply.headers.get("Idempotent-Replayed") === null) {
    strictEqual(reply.headers.get("X-Request-Id"), body.request_id);
  }
  return body;
}
