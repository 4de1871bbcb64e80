import { describe, it } from "node:test";
import {
  PROBLEM_REGISTRY,
  type ProblemCode,
  type RequestId,
  TOKEN_PROBLEM_REGISTRY,
} from "@gold-partner/protocol";
import { assertEquals } from "@std/assert";
import { expectProblem } from "../../testing/problem.ts";
import { Refusal } from "./refusal.ts";
import { problemReply, tokenErrorReply } from "./reply.ts";

const ID = "req_0198b3a5-7c00-7000-8000-000000000000" as RequestId;
const EXCHANGE = { requestId: ID };

describe("problemReply()", () => {
  it("returns each code in its documented form", async () => {
    for (const code of Object.keys(PROBLEM_REGISTRY) as ProblemCode[]) {
      const body = await expectProblem(problemReply(new Refusal(code), EXCHANGE), code);
      const { cause, cure } = PROBLEM_REGISTRY[code];
      assertEquals([body.detail, body.request_id], [`${cause} ${cure}`, ID]);
    }
  });

  it("sends Retry-After if the same request may soon succeed", () => {
    for (const code of Object.keys(PROBLEM_REGISTRY) as ProblemCode[]) {
      const { status } = PROBLEM_REGISTRY[code];
      const waits = status === 503 || status === 429 || code === "idempotency_request_in_progress";
      assertEquals(problemReply(new Refusal(code), EXCHANGE).headers.has("Retry-After"), waits, code);
    }
  });
});

describe("tokenErrorReply()", () => {
  it("sends every code with Cache-Control: no-store, and 401 with a challenge", () => {
    for (const code of Object.keys(TOKEN_PROBLEM_REGISTRY) as (keyof typeof TOKEN_PROBLEM_REGISTRY)[]) {
      const reply = tokenErrorReply(new Refusal(code), EXCHANGE);
      const { status } = TOKEN_PROBLEM_REGISTRY[code];
      assertEquals([reply.status, reply.headers.get("Cache-Control")], [status, "no-store"]);
      assertEquals(reply.headers.has("WWW-Authenticate"), status === 401, code);
    }
  });
});
