import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertEquals } from "@std/assert";
import { suiteBooks } from "../../../testing/books.ts";
import { shareRates } from "./share_rates.ts";
import type { RateUses } from "./shared_rates.ts";

describe("gold.share_rates()", () => {
  const books = suiteBooks();
  const uses = (asked: number): RateUses => ({ 1: [50, asked, 2.5], 7: [10, 0.25, 0] });

  it("returns what the other processes stored last, and nothing of a process that stopped storing", async () => {
    const [one, other, ended] = [randomUUID(), randomUUID(), randomUUID()];
    const share = (id: string, asked: number) => shareRates(books.api, id)(uses(asked));
    assertEquals(await share(one, 1), []);
    assertEquals(await share(one, 2), []);
    assertEquals(await share(ended, 3), [uses(2)]);
    await books
      .sql`update gold.rate_use set at = clock_timestamp() - interval '2 seconds' where id = ${ended}`;
    assertEquals(await share(other, 4), [uses(2)]);
    assertEquals(await share(one, 5), [uses(4)]);
    const rows = await books.sql`select id from gold.rate_use order by at`;
    assertEquals(rows.map(({ id }) => id), [other, one]);
  });

  it("does not wait for an old row that another process is deleting", async () => {
    const [one, ended] = [randomUUID(), randomUUID()];
    await shareRates(books.api, ended)(uses(1));
    await books
      .sql`update gold.rate_use set at = clock_timestamp() - interval '2 seconds' where id = ${ended}`;
    const patience = sleep(60_000, "waits", { ref: false });
    await books.sql.begin(async (transaction) => {
      await transaction`delete from gold.rate_use where id = ${ended}`;
      const shared = shareRates(books.api, one)(uses(2)).then(() => "shared");
      assertEquals(await Promise.race([shared, patience]), "shared");
    });
  });

  it("writes nothing that a standby or a restore would need", async () => {
    const [row] = await books.sql`select relpersistence from pg_class where oid = 'gold.rate_use'::regclass`;
    assertEquals(row!.relpersistence, "u");
  });
});
