import { setTimeout as sleep } from "node:timers/promises";
import { suiteBooks } from "../../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { Sql } from "postgres";
import { moveEnd, notifiedTo } from "./expiry_fixture.ts";
import { startExpiryNotices } from "./expiry_notices.ts";
import { until } from "../../../../../tools/testing/until.ts";

const PAUSE_MS = 100;
const fail = (error: unknown) => assertEquals(error, undefined);

describe("startExpiryNotices()", () => {
  const books = suiteBooks();

  async function newHolder(): Promise<number> {
    const client = await books.createClient();
    await moveEnd(books, client, "client_secret", 3);
    return client;
  }
  async function untilNotified(clients: readonly number[]): Promise<void> {
    const waiting = new Set(clients);
    await until(async () => {
      for (const client of waiting) if ((await notifiedTo(books, client)).length > 0) waiting.delete(client);
      return waiting.size === 0;
    }, () => [...waiting]);
  }

  it("notifies all partners at its start, in as many calls of the SQL function as it needs", async () => {
    const clients = await Promise.all(Array.from({ length: 45 }, newHolder));
    const notices = startExpiryNotices(books.delivery, fail);
    await untilNotified(clients);
    notices.stop();
  });

  it("checks again after each pause until it is stopped", async () => {
    const notices = startExpiryNotices(books.delivery, fail, PAUSE_MS);
    await sleep(PAUSE_MS);
    await untilNotified([await newHolder()]);
    notices.stop();
    const late = await newHolder();
    await sleep(3 * PAUSE_MS);
    assertEquals(await notifiedTo(books, late), []);
  });

  it("does not call the SQL function again after it is stopped", async () => {
    let turns = 0;
    const sql = () => {
      turns++;
      if (turns === 3) notices.stop();
      return Promise.resolve([{ posted: turns < 9 ? 20 : 0 }]);
    };
    const notices = startExpiryNotices(sql as unknown as Sql, fail);
    await sleep(PAUSE_MS);
    assertEquals(turns, 3);
  });

  it("continues after a failed check", async () => {
    const client = await newHolder();
    await books.sql`alter function gold.post_expiry_notices rename to out_of_reach`;
    const failures: unknown[] = [];
    const notices = startExpiryNotices(books.delivery, (error) => failures.push(error), PAUSE_MS);
    await until(() => failures.length > 1);
    assertEquals([await notifiedTo(books, client), (failures[0] as { code: string }).code], [[], "42883"]);
    await books.sql`alter function gold.out_of_reach rename to post_expiry_notices`;
    await untilNotified([client]);
    notices.stop();
  });
});
