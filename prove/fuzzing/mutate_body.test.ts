import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { checkReply } from "./check_reply.ts";
import { mutateBody, randomFrom } from "./mutate_body.ts";

const QUOTE = '{"side":"buy","gold_grams":1.5}';
const utf8 = (text: string) => new TextEncoder().encode(text);

describe("mutateBody()", () => {
  it("returns the same bodies for the same seed, and other bodies for another seed", () => {
    const bodies = (seed: number) => {
      const random = randomFrom(seed);
      return Array.from({ length: 50 }, () => `${mutateBody(QUOTE, random)}`);
    };
    assertEquals(bodies(1), bodies(1));
    assert(bodies(1).join() !== bodies(2).join(), "two seeds gave the same bodies");
  });

  it("makes most bodies invalid, and leaves some valid", () => {
    const random = randomFrom(3);
    const bodies = Array.from({ length: 3_000 }, () => mutateBody(QUOTE, random));
    const whole = bodies.filter((body) => checkReply(body, quoted("buy", 1.5)) === undefined).length;
    assert(whole > 100 && whole < 600, `${whole} of 3000 bodies are valid`);
    assert(new Set(bodies.map(String)).size > 1_500, "too many bodies are alike");
    assert(bodies.some(({ length }) => length > 65_536), "no body exceeds 65,536 bytes");
  });
});

describe("checkReply()", () => {
  const check = (body: string, reply: Parameters<typeof checkReply>[1]) => checkReply(utf8(body), reply);
  const refused = (status: number, text: string) => ({
    status,
    headers: new Map([["content-type", "application/problem+json"]]),
    body: text,
  });
  const problem = (code: string, status: number) =>
    JSON.stringify({
      type: `/docs/errors#${code}`,
      title: "T",
      status,
      detail: "D",
      code,
      request_id: "req_01890f3e-2f6a-7000-8000-000000000000",
      retryable: false,
    });

  it("accepts a 201 whose values an independent parser also reads from the body, and a documented refusal", () => {
    assertEquals(check(QUOTE, quoted("buy", 1.5)), undefined);
    assertEquals(check('{"s\\u0069de":"buy","gold_grams":15e-1}', quoted("buy", 1.5)), undefined);
    assertEquals(check("{", refused(400, problem("invalid_request", 400))), undefined);
  });

  it("reports a 201 whose values differ from the body", () => {
    const faults = [
      ['{"side":"buy","gold_grams":1.6}', "booked gold_grams"],
      ['{"side":"sell","gold_grams":1.5}', "booked side"],
      ['{"side":"buy","side":"buy","gold_grams":1.5}', "repeated"],
      ['{"side":"buy","gold_grams":1.5,"x":1}', "booked gold_grams,side,x"],
      [`\ufeff${QUOTE}`, "not JSON"],
      [`${QUOTE},`, "not JSON"],
    ] as const;
    for (const [body, fault] of faults) {
      assert(check(body, quoted("buy", 1.5))?.includes(fault), `${body}: ${check(body, quoted("buy", 1.5))}`);
    }
  });

  it("reports every reply that is not a documented refusal", () => {
    assertEquals(check("{", undefined), "no reply");
    assertEquals(check("{", refused(500, problem("internal_error", 500))), "answered 500");
    assertEquals(check("{", { ...quoted("buy", 1), status: 200 }), "answered 200");
    assertEquals(check("{", refused(404, problem("invalid_request", 400))), "404 with invalid_request");
    assertEquals(check("{", refused(400, problem("no_such_code", 400))), "400 with no_such_code");
    assertEquals(check("{", refused(400, "{}")), "the body is not a problem document: {}");
  });
});

function quoted(side: string, goldGrams: number) {
  return { status: 201, headers: new Map(), body: JSON.stringify({ side, gold_grams: goldGrams }) };
}
