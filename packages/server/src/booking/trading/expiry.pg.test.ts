import { suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { setTimeout as sleep } from "node:timers/promises";
import { bookOrder, lockAccount, orderItem, plantQuote, untilWaiting, wordOf } from "../fixture.ts";
import { withoutTriggers } from "../../../testing/rows.ts";

const TERMS = { side: "buy", grams: 100n, price: 3_210_000n } as const;

describe("the expiry of a quote, by the database's clock", () => {
  const books = suiteBooks();
  let client: number;
  before(async () => {
    await books.addBar(10_000_000n);
    client = await books.createClient({ halalas: 100_000_000n });
  });

  /** The order's outcome, and whether the quote was still firm when the order had its answer. */
  const orderAged = async (ageSeconds: number): Promise<{ word: string; isFirm: boolean }> => {
    const quote = await plantQuote(books.sql, { ...TERMS, client, ageSeconds });
    const word = wordOf(await bookOrder(books.api, orderItem(client, quote)));
    const [row] = await books.sql`
      select expires_at > clock_timestamp() as firm from gold.quote where id = ${quote}`;
    return { word, isFirm: row!.firm };
  };

  it("a quote executes at 59.9 seconds and is refused from 60 seconds on", async () => {
    for (const ageSeconds of [0, 30, 59, 59.9]) {
      const { word, isFirm } = await orderAged(ageSeconds);
      // On a slow machine, the quote's last tenth of a second may end before the order arrives.
      if (isFirm || ageSeconds < 59) assertEquals(word, "answered 201");
    }
    // Not 60 itself: the end has whole milliseconds, so it may be rounded up, and the order may come before
    // it.
    for (const ageSeconds of [60.001, 61, 86_400]) {
      assertEquals((await orderAged(ageSeconds)).word, "answered quote_expired");
    }
  });

  it("in a series of orders across the expiry, none executes after the first refusal", async () => {
    const first = await plantQuote(books.sql, { ...TERMS, client, ageSeconds: 0 });
    const copies = await books.sql`
      insert into gold.quote (bucket, client_id, side, id, grams, price, total, created_at, expires_at)
      select bucket, client_id, side, gen_random_uuid(), grams, price, total, created_at, expires_at
      from gold.quote, generate_series(1, 120) where id = ${first} returning id`;
    const quotes = [first, ...copies.map(({ id }) => id as string)];
    // Make the quotes end after the first orders, however long their insertion took.
    await withoutTriggers(books.sql, async (sql) => {
      await sql`
        update gold.quote set created_at = now() - interval '56 seconds', expires_at = now() + interval '4 seconds'
        where id = any (${quotes}::uuid[])`;
    });
    const verdicts: boolean[] = [];
    for (const quote of quotes) {
      const outcome = await bookOrder(books.api, orderItem(client, quote));
      const [row] = await books.sql`
        select q.expires_at > o.executed_at - interval '1 millisecond' as in_time from gold.quote q
        left join gold.orders o on o.id = q.id where q.id = ${quote}`;
      if (outcome.status === 201) assertEquals(row!.in_time, true);
      verdicts.push(outcome.status === 201);
      await sleep(40);
    }
    const refused = verdicts.indexOf(false);
    assert(refused > 0, `the first refusal is at ${refused}`);
    assert(!verdicts.slice(refused).includes(true), verdicts.join());
  });

  it("an order that waited for its account until after the expiry is refused", async () => {
    const quote = await plantQuote(books.sql, { ...TERMS, client, ageSeconds: 59.7 });
    const holder = await lockAccount(books.sql, client);
    const waiting = bookOrder(books.api, orderItem(client, quote));
    await untilWaiting(books.sql);
    await holder.sql`select pg_sleep(0.4)`;
    await holder.release();
    assertEquals(wordOf(await waiting), "answered quote_expired");
  });

  it("the refusal says when the quote expired", async () => {
    const quote = await plantQuote(books.sql, { ...TERMS, client, ageSeconds: 61 });
    const { body } = await bookOrder(books.api, orderItem(client, quote));
    const [row] = await books.sql`select expires_at from gold.quote where id = ${quote}`;
    assertEquals(
      JSON.parse(body!).detail.split(". ")[0],
      `The quote was firm until ${(row!.expires_at as Date).toISOString()}`,
    );
  });
});
