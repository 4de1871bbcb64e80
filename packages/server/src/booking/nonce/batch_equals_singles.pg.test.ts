import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { after, before, describe, it } from "node:test";
import type { ReservedSql } from "postgres";
import { bookBothWays, CLIENTS, stageHoldings, uuidOf } from "../trading/batch_fixture.ts";
import { newUuid } from "../fixture.ts";
import { type NonceItem, sendNonces } from "./spend_nonces.ts";
import { seedTests } from "../../../../../tools/testing/seed.ts";
import { suiteBooks } from "../../../testing/books.ts";

seedTests(import.meta.url);

const SETTINGS = { numRuns: 100 };

/** Draws from few nonces, so that the batch, the history and the clients often share a nonce. */
const drawn = fc.record({
  client: fc.nat(CLIENTS.length - 1),
  nonce: fc.nat(60),
  stale: fc.nat(9).map((n) => n === 1),
}).map(({ client, nonce, stale }): NonceItem => ({
  client: CLIENTS[client]!,
  admissionVersion: stale ? "2" : "1",
  nonce: uuidOf(1, nonce),
  requestId: newUuid(),
}));

describe("a batch of nonces", () => {
  const books = suiteBooks();
  let sql: ReservedSql;
  before(async () => void (sql = await books.sql.reserve()));
  after(() => sql.release());

  it("gives the same results as its nonces one by one", async () => {
    const nonceCase = fc.record({
      history: fc.array(drawn, { maxLength: 20 }),
      batch: fc.array(drawn, { minLength: 1, maxLength: 128, size: "max" }),
    });
    await fc.assert(
      fc.asyncProperty(nonceCase, async (staged) => {
        const { singly, batched } = await bookBothWays<NonceItem>(sql, sendNonces, async (sql) => {
          await stageHoldings(sql, CLIENTS.map(() => ({ grams: 0, halalas: 0 })), 1);
          return staged;
        });
        assertEquals(batched, singly);
      }),
      SETTINGS,
    );
  });
});
