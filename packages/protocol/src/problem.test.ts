import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { newId } from "./id.ts";
import { problemBody, problemSchema, tokenErrorBody, tokenErrorSchema } from "./problem.ts";
import {
  PROBLEM_REGISTRY,
  type ProblemCode,
  TOKEN_PROBLEM_REGISTRY,
  type TokenProblemCode,
} from "./problem_registry.ts";

const requestId = newId("req_", 1_700_000_000_000, (length) => new Uint8Array(length));

describe("problemBody()", () => {
  it("writes the registry's entry with the given detail", () => {
    assertEquals(problemBody("quote_expired", { detail: "It expired 3 s ago.", requestId }), {
      type: "/docs/errors#quote_expired",
      title: "The quote has expired",
      status: 422,
      detail: "It expired 3 s ago.",
      code: "quote_expired",
      request_id: requestId,
      retryable: false,
    });
  });

  it("uses cause and cure as the default detail, and omits an empty list of errors", () => {
    const { detail, ...rest } = problemBody("rate_limited", { requestId, errors: [] });
    const { cause, cure } = PROBLEM_REGISTRY.rate_limited;
    assertEquals(detail, `${cause} ${cure}`);
    assertEquals("errors" in rest, false);
    const errors = [{ pointer: "#/side", detail: "What a side is." }, {
      name: "limit",
      detail: "What a limit is.",
    }];
    assertEquals(problemBody("invalid_request", { requestId, errors }).errors, errors);
  });

  it("returns a body that the problem schema accepts, for every code", () => {
    for (const code of Object.keys(PROBLEM_REGISTRY) as ProblemCode[]) {
      const body = problemBody(code, { requestId, errors: [{ name: "x", detail: "y" }] });
      assertEquals<unknown>(problemSchema.parse(body), body);
    }
    assertEquals(
      problemSchema.safeParse({ ...problemBody("not_found", { requestId }), request_id: "req_1" }).success,
      false,
    );
    for (const status of [399, 600, 404.5]) {
      assertEquals(
        problemSchema.safeParse({ ...problemBody("not_found", { requestId }), status }).success,
        false,
      );
    }
  });
});

describe("tokenErrorBody()", () => {
  it("writes OAuth's error format with the code, for every code", () => {
    assertEquals(tokenErrorBody("partner_suspended", { detail: "Suspended.", requestId }), {
      error: "access_denied",
      error_description: "Suspended.",
      code: "partner_suspended",
      request_id: requestId,
    });
    for (const code of Object.keys(TOKEN_PROBLEM_REGISTRY) as TokenProblemCode[]) {
      const body = tokenErrorBody(code, { requestId });
      const { cause, cure } = TOKEN_PROBLEM_REGISTRY[code];
      assertEquals(body.error_description, `${cause} ${cure}`);
      assertEquals<unknown>(tokenErrorSchema.parse(body), body);
    }
  });
});
