import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { bindsKey, PROBLEM_REGISTRY, type ProblemCode } from "@gold-partner/protocol";
import { type TestBooks, testBooks } from "@gold-partner/server/testing";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { readRefusal } from "./reply_text.ts";

const QUOTE_CODES: readonly ProblemCode[] = ["not_found", "quote_already_executed", "quote_expired"];
/** A detail of each binding refusal, as the books store it. */
const DETAILS: { readonly [code in ProblemCode]?: string } = {
  not_found: "There is no quote of yours with this quote_id.",
  quote_already_executed: "The quote was executed as ord_01890a5d-ac96-774b-bcce-b302099a8057.",
  quote_expired: "The quote was firm until 2026-01-31T09:30:00.000Z.",
  insufficient_funds: "The order needs 321 SAR and 320.99 SAR are available.",
  insufficient_gold: "The order needs 1 g and you hold 0.9999 g.",
  insufficient_inventory: "The vault does not hold 1 g that are free to sell.",
  limit_exceeded: "A withdrawal is at most 10000000000 SAR.",
  withdrawal_limit_exceeded:
    "You may request 2 withdrawals a day and have requested 2. The day ends at 2026-01-31T21:00:00.000Z.",
  withdrawal_not_pending: "The withdrawal wd_01890a5d-ac96-774b-bcce-b302099a8057 is approved.",
  withdrawal_reference_reused: "The withdrawal wd_01890a5d-ac96-774b-bcce-b302099a8057 has this reference.",
};
const CODES = Object.keys(DETAILS) as ProblemCode[];
const BOUND = " This answer is bound to the Idempotency-Key: ";
const EARLIER = "send a new key to try again.";

describe("a stored refusal", () => {
  let books: TestBooks;
  const request = randomUUID();
  before(async () => {
    books = await testBooks();
  });
  after(() => books.stop());

  async function textOf(code: ProblemCode): Promise<string> {
    const [row] = await books.sql<{ body: string }[]>`
      select gold.problem_text(${code}, ${DETAILS[code]!}, ${request}::uuid) as body`;
    return row!.body;
  }
  const adviceOf = (body: string) =>
    (JSON.parse(body).detail as string).split(" bound to the Idempotency-Key: ")[1]!;
  const accepted = (code: ProblemCode, body: string) =>
    readRefusal(body, request, PROBLEM_REGISTRY[code].status)?.code === code;

  it("ends with its own advice, which names a new quote if the quote is the cause", async () => {
    const binding = Object.keys(PROBLEM_REGISTRY).filter((code) =>
      bindsKey(code as ProblemCode, "order_quote_id")
    );
    assertEquals(binding.sort(), [...CODES].sort());
    const advice = await Promise.all(CODES.map(async (code) => adviceOf(await textOf(code))));
    assertEquals(new Set(advice).size, CODES.length);
    for (const [index, code] of CODES.entries()) {
      assertMatch(advice[index]!, /^[a-z].* new key\b.*\.$/, code);
      if (QUOTE_CODES.includes(code)) assertMatch(advice[index]!, /new quote/, code);
    }
  });

  it("is accepted by the audit, also with the advice of releases before 0.6.0", async () => {
    for (const code of CODES) {
      const body = await textOf(code);
      assert(accepted(code, body), code);
      assert(accepted(code, body.replace(adviceOf(body), EARLIER)), `${code}, before 0.6.0`);
      assert(
        accepted(code, body.replace('"/docs/errors#', '"https://docs.gold.example/errors.html#')),
        `${code}, with DOCS_URL`,
      );
      assert(
        !accepted(code, body.replace('"/docs/errors#', '"javascript:/errors.html#')),
        `${code}, with another address`,
      );
    }
  });

  it("is not accepted by the audit with other advice or none", async () => {
    for (const code of CODES) {
      const body = await textOf(code);
      const other = adviceOf(await textOf(CODES.find((each) => each !== code)!));
      for (const advice of [other, "", `${adviceOf(body)} ${EARLIER}`, `${EARLIER}${BOUND}${EARLIER}`]) {
        assertEquals(accepted(code, body.replace(adviceOf(body), advice)), false, `${code}: ${advice}`);
      }
    }
  });
});
