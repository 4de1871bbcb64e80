import { describe, it } from "node:test";
import type { RequestId } from "@gold-partner/protocol";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { expectProblem } from "../../testing/problem.ts";
import { outcomeReply } from "./outcome_reply.ts";

const ID = "req_0198b3a5-7c00-7000-8000-000000000000" as RequestId;
const EXCHANGE = { requestId: ID };

describe("outcomeReply()", () => {
  const PROBLEM = '{"code":"quote_expired"}';
  const reply = async (outcome: string, status: number | null, body: string | null) => {
    const { status: sent, headers, text } = await (async () => {
      const made = outcomeReply({ outcome: outcome as "answered", status, body }, EXCHANGE);
      return { status: made.status, headers: made.headers, text: await made.text() };
    })();
    return [sent, text, headers.get("Content-Type"), headers.get("Idempotent-Replayed")];
  };

  it("returns a first success as 201 and its repeat as 200, with the stored bytes", async () => {
    const body = '{"total_sar":1.50}';
    assertEquals(await reply("answered", 201, body), [201, body, "application/json", null]);
    assertEquals(await reply("replayed", 201, body), [200, body, "application/json", "true"]);
  });

  it("returns a refusal and its repeat with the refusal's status", async () => {
    assertEquals(await reply("answered", 422, PROBLEM), [422, PROBLEM, "application/problem+json", null]);
    assertEquals(await reply("replayed", 404, PROBLEM), [404, PROBLEM, "application/problem+json", "true"]);
  });

  it("returns a limit's refusal with the limit's policy and the seconds until the limit resets", async () => {
    const limit = { policy: "open_quotes", quota: 100, window_seconds: 60, remaining: 0, reset_seconds: 17 };
    const body = JSON.stringify({ code: "open_quotes_exceeded", detail: "You have 100 open quotes.", limit });
    const exchange = { ...EXCHANGE, rateFields: { RateLimit: '"default";r=9;t=1' } };
    const made = outcomeReply({ outcome: "answered", status: 429, body }, exchange);
    assertEquals(made.headers.get("Retry-After"), "17");
    assertEquals(made.headers.get("RateLimit-Policy"), '"open_quotes";q=100;w=60');
    assertEquals(made.headers.get("RateLimit"), '"open_quotes";r=0;t=17');
    const { detail, ...rest } = await expectProblem(made, "open_quotes_exceeded");
    assertEquals([detail, "limit" in rest], ["You have 100 open quotes.", false]);
  });

  it("returns an outcome that binds no key as a problem with this request's id", async () => {
    const codes = ["nonce_reused", "idempotency_key_conflict", "idempotency_request_in_progress"] as const;
    for (const code of codes) {
      const made = outcomeReply({ outcome: code, status: null, body: null }, EXCHANGE);
      assertMatch((await expectProblem(made, code)).request_id, /^req_0198b3a5/);
    }
  });

  it("throws for busy and admission_changed, which an earlier step must handle", () => {
    for (const outcome of ["busy", "admission_changed"] as const) {
      assertThrows(() => outcomeReply({ outcome, status: null, body: null }, EXCHANGE), Error, outcome);
    }
  });
});
