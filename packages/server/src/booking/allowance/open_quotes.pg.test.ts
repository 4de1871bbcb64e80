import { suiteBooks } from "../../../testing/books.ts";
import { PROBLEM_REGISTRY, type ProblemCode } from "@gold-partner/protocol";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { Outcome } from "../outcome.ts";
import { sendQuotes } from "../trading/book_quotes.ts";
import {
  bookOrder,
  bookQuote,
  byGrams,
  newUuid,
  orderItem,
  quoteItem,
  readBooks,
  wordOf,
} from "../fixture.ts";
import { limitClient, type Limits, readAllowance } from "./allowance_fixture.ts";

const REFUSED = "answered open_quotes_exceeded";
const MADE = "answered 201";
const grams = (goldTenthMilligrams: bigint) => byGrams("buy", goldTenthMilligrams);

describe("the limit on open quotes", () => {
  const books = suiteBooks();
  before(async () => {
    await books.setPrice(3_210_000n, 3_190_000n);
    await books.addBar(1_000_000n);
  });

  async function limited(limits: Limits): Promise<number> {
    const client = await books.createClient({ halalas: 100_000_000n });
    await limitClient(books.sql, client, limits);
    return client;
  }
  const quote = (client: number, tenthMilligrams = 10n) =>
    bookQuote(books.api, quoteItem(client, grams(tenthMilligrams)));
  const execute = (client: number, { body }: Outcome) =>
    bookOrder(books.api, orderItem(client, (JSON.parse(body!) as { quote_id: string }).quote_id.slice(3)));
  /** Expires the client's quotes, as if they had been made a minute ago. */
  async function expire(client: number): Promise<void> {
    await books.sql.begin(async (sql) => {
      await sql`alter table gold.quote disable trigger append_only`;
      await sql`update gold.quote set expires_at = clock_timestamp() - interval '1 millisecond' where client_id = ${client}`;
      await sql`alter table gold.quote enable trigger append_only`;
      await sql`update gold.allowance set exact_until = clock_timestamp() - interval '1 second' where client_id = ${client}`;
    });
  }

  it("refuses one quote more than the limit, and says how long to wait", async () => {
    const client = await limited({ open_quotes: 2 });
    const item = quoteItem(client, grams(10n));
    assertEquals([await quote(client), await quote(client)].map(wordOf), [MADE, MADE]);
    const outcome = await bookQuote(books.api, item);
    const { status, retryable, binds_key } = PROBLEM_REGISTRY["open_quotes_exceeded" as ProblemCode];
    assertEquals([outcome.status, status, retryable, binds_key], [429, 429, true, false]);
    const { code, request_id, limit } = JSON.parse(outcome.body!);
    assertEquals([code, request_id], ["open_quotes_exceeded", `req_${item.requestId}`]);
    const { reset_seconds, ...policy } = limit;
    assertEquals(policy, { policy: "open_quotes", quota: 2, window_seconds: 60, remaining: 0 });
    assert(reset_seconds > 50 && reset_seconds <= 60, `${reset_seconds}`);
  });

  it("refuses more grams than may be open, and accepts a smaller quote that fits", async () => {
    const client = await limited({ open_grams: 30_000 });
    assertEquals(wordOf(await quote(client, 20_000n)), MADE);
    const outcome = await quote(client, 10_001n);
    assertEquals(wordOf(outcome), REFUSED);
    const { reset_seconds: _, ...policy } = JSON.parse(outcome.body!).limit;
    assertEquals(policy, { policy: "open_grams", quota: 3, window_seconds: 60, remaining: 1 });
    assertEquals(wordOf(await quote(client, 10_000n)), MADE);
    assertEquals(wordOf(await quote(client, 1n)), REFUSED);
  });

  it("answers limit_exceeded if one quote exceeds the limit, because waiting does not help", async () => {
    const client = await limited({ open_grams: 30_000 });
    assertEquals(wordOf(await quote(client, 30_001n)), "answered limit_exceeded");
    assertEquals(wordOf(await quote(client, 30_000n)), MADE);
  });

  it("binds no key and stores nothing when it refuses a quote", async () => {
    const client = await limited({ open_quotes: 1 });
    const open = await quote(client);
    const before = await readBooks(books.sql);
    const item = quoteItem(client, grams(10n));
    assertEquals(wordOf(await bookQuote(books.api, item)), REFUSED);
    assertEquals(await readBooks(books.sql), before);
    await execute(client, open);
    assertEquals(wordOf(await bookQuote(books.api, item)), MADE);
  });

  it("does not refuse the retry of a key", async () => {
    const client = await limited({ open_quotes: 1 });
    const item = quoteItem(client, grams(10n));
    await bookQuote(books.api, item);
    assertEquals(wordOf(await bookQuote(books.api, item)), "replayed 201");
  });

  it("counts neither executed nor expired quotes", async () => {
    const client = await limited({ open_quotes: 3 });
    const made = [await quote(client), await quote(client), await quote(client)];
    assertEquals(wordOf(await quote(client)), REFUSED);
    for (const one of made.slice(1)) assertEquals((await execute(client, one)).status, 201);
    const after = [await quote(client), await quote(client), await quote(client)];
    assertEquals(after.map(wordOf), [MADE, MADE, REFUSED]);
    await expire(client);
    const renewed = [await quote(client), await quote(client), await quote(client), await quote(client)];
    assertEquals(renewed.map(wordOf), [MADE, MADE, MADE, REFUSED]);
  });

  it("counts the quotes that were open when the limit was set", async () => {
    const client = await books.createClient({ halalas: 100_000_000n });
    const made = [await quote(client), await quote(client), await quote(client)];
    await execute(client, made[0]!);
    await limitClient(books.sql, client, { open_quotes: 3 });
    assertEquals([await quote(client), await quote(client)].map(wordOf), [MADE, REFUSED]);
  });

  it("counts quotes that were made before the clock stepped back, because they become executable again", async () => {
    const client = await limited({ open_quotes: 2 });
    await quote(client);
    await expire(client);
    await quote(client);
    await books.sql.begin(async (sql) => {
      await sql`alter table gold.quote disable trigger append_only`;
      await sql`update gold.quote set created_at = created_at + interval '8 seconds', expires_at = expires_at + interval '8 seconds'
        where client_id = ${client} and expires_at > clock_timestamp()`;
      await sql`alter table gold.quote enable trigger append_only`;
    });
    assertEquals([wordOf(await quote(client)), wordOf(await quote(client))], [MADE, REFUSED]);
  });

  it("counts every open quote, even if their ids are not in the order of their creation", async () => {
    const client = await limited({ open_quotes: 3 });
    const ids = [newUuid(), newUuid(), newUuid()];
    for (const n of [1, 0, 2]) {
      assertEquals(wordOf(await bookQuote(books.api, quoteItem(client, grams(10n), { id: ids[n]! }))), MADE);
    }
    await books
      .sql`update gold.allowance set exact_until = clock_timestamp() - interval '1 second' where client_id = ${client}`;
    assertEquals(wordOf(await quote(client)), REFUSED);
  });

  it("accepts exactly ten of fifty concurrent quotes at a limit of ten", async () => {
    const client = await limited({ open_quotes: 10 });
    const pool = books.connect("gold_api", 10);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => bookQuote(pool, quoteItem(client, grams(10n)))),
    );
    const words = outcomes.map(wordOf);
    assertEquals(words.filter((word) => word === MADE).length, 10);
    assertEquals(words.filter((word) => word === REFUSED).length, 40);
    const [row] = await books.sql`select count(*)::int as quotes from gold.quote where client_id = ${client}`;
    assertEquals(row!.quotes, 10);
  });

  it("applies within a batch, to each of its partners separately", async () => {
    const [one, other, free] = [
      await limited({ open_quotes: 2 }),
      await limited({ open_quotes: 1 }),
      await books.createClient(),
    ];
    const clients = [one, other, free, one, other, free, one, free];
    const outcomes = await sendQuotes(books.api)(
      clients.map((client) => quoteItem(client, grams(10n))),
      { wait: true, settle: false },
    );
    assertEquals(outcomes.map(wordOf), [MADE, MADE, MADE, MADE, REFUSED, MADE, REFUSED, MADE]);
  });

  it("writes nothing when it refuses a partner that stays at its limit", async () => {
    const client = await limited({ open_quotes: 1 });
    await quote(client);
    await quote(client);
    const before = await readAllowance(books.sql, client);
    for (let n = 0; n < 5; n++) assertEquals(wordOf(await quote(client)), REFUSED);
    assertEquals(await readAllowance(books.sql, client), before);
  });
});
