import { suiteBooks } from "../../../testing/books.ts";
import { moveDayEndAway } from "../../../testing/close_today.ts";
import type { QuoteRequest } from "@gold-partner/protocol";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { sendNonces } from "../nonce/spend_nonces.ts";
import type { Outcome } from "../outcome.ts";
import { sendRedelivery, sendWebhookTest } from "../redelivery/book_redelivery.ts";
import { sendOrders } from "../trading/book_orders.ts";
import {
  bookFunding,
  bookOrder,
  bookQuote,
  bookWithdrawal,
  byGrams,
  fundingItem,
  newUuid,
  newWrite,
  orderItem,
  quoteItem,
  readBooks,
  withdrawalItem,
  wordOf,
} from "../fixture.ts";
import { until } from "../../../../../tools/testing/until.ts";
import { limitClient } from "./allowance_fixture.ts";

const SPENT = "answered daily_budget_exceeded";
const GRAM: QuoteRequest = byGrams("buy", 10n);
const WAITING = { wait: true, settle: false };
const TOO_MUCH = 100_000_000_000_000n;

describe("the daily budget of records", () => {
  const books = suiteBooks();
  before(async () => {
    await moveDayEndAway(books.sql);
    await books.setPrice(3_210_000n, 3_190_000n);
    await books.addBar(1_000_000n);
  });

  async function limited(records: number): Promise<number> {
    const client = await books.createClient({ halalas: 100_000_000n });
    await limitClient(books.sql, client, { daily_records: records });
    return client;
  }
  const quote = (client: number) => bookQuote(books.api, quoteItem(client, GRAM));
  const quoteIdOf = ({ body }: Outcome) => (JSON.parse(body!) as { quote_id: string }).quote_id.slice(3);
  const order = (client: number, quoted: Outcome | null) => orderItem(client, quoted && quoteIdOf(quoted));
  const probe = async (client: number, nonce = newUuid()) => {
    const item = { client, admissionVersion: "1", nonce, requestId: newUuid() };
    return (await sendNonces(books.api)([item], WAITING))[0]!;
  };

  it("refuses a quote after the day's last record, until the day ends", async () => {
    const client = await limited(2);
    assertEquals([await quote(client), await quote(client)].map(wordOf), ["answered 201", "answered 201"]);
    const outcome = await quote(client);
    assertEquals([wordOf(outcome), outcome.status], [SPENT, 429]);
    const { reset_seconds, ...policy } = JSON.parse(outcome.body!).limit;
    assertEquals(policy, { policy: "daily_records", quota: 2, window_seconds: 86_400, remaining: 0 });
    const [row] = await books.sql`
      select extract(epoch from gold.day_end(clock_timestamp()) - clock_timestamp())::float8 as left`;
    assert(
      reset_seconds >= row!.left && reset_seconds < row!.left + 3600,
      `${reset_seconds} and ${row!.left}`,
    );
  });

  it("starts again from zero on the next day", async () => {
    const client = await limited(1);
    await quote(client);
    assertEquals(wordOf(await quote(client)), SPENT);
    await books
      .sql`update gold.allowance set day_ends_at = clock_timestamp() - interval '1 second' where client_id = ${client}`;
    assertEquals([wordOf(await quote(client)), wordOf(await quote(client))], ["answered 201", SPENT]);
  });

  it("goes on with today's records after the clock stepped back from a later day", async () => {
    const client = await limited(1);
    await quote(client);
    await books
      .sql`update gold.allowance set day_ends_at = day_ends_at + interval '10 days' where client_id = ${client}`;
    const outcome = await quote(client);
    assertEquals(wordOf(outcome), SPENT);
    assert(JSON.parse(outcome.body!).limit.reset_seconds <= 86_400);
    const [row] = await books.sql`
      update gold.allowance set day_ends_at = day_ends_at - interval '1 day' where client_id = ${client} returning day_ends_at < clock_timestamp() as ended`;
    assertEquals([row!.ended, wordOf(await quote(client))], [true, "answered 201"]);
  });

  it("frees no record of today for the order of a quote that was made yesterday", async () => {
    const client = await limited(1);
    const yesterday = `${(Date.now() - 86_400_000).toString(16).padStart(12, "0")}`;
    const id = `${yesterday.slice(0, 8)}-${yesterday.slice(8)}${newUuid().slice(13)}`;
    const made = await bookQuote(books.api, quoteItem(client, GRAM, { id }));
    const outcomes = await sendOrders(books.api)([order(client, made), order(client, null)], WAITING);
    assertEquals(outcomes.map(wordOf), ["answered 201", SPENT]);
    assertEquals(wordOf(await quote(client)), SPENT);
    const [limits] = await books.sql`select records::int from gold.read_limits(${client})`;
    assertEquals(limits!.records, 1);
  });

  it("executes open quotes when the budget is used up, and each frees one record", async () => {
    const client = await limited(2);
    const made = [await quote(client), await quote(client)];
    assertEquals(wordOf(await quote(client)), SPENT);
    assertEquals(wordOf(await bookOrder(books.api, order(client, made[0]!))), "answered 201");
    assertEquals([wordOf(await quote(client)), wordOf(await quote(client))], ["answered 201", SPENT]);
  });

  /** Requests that would each store one record of the daily budget. */
  const records: Record<string, (client: number) => Promise<Outcome>> = {
    "a quote": quote,
    "a quote's binding refusal": (client) =>
      bookQuote(books.api, quoteItem(client, GRAM, { maximumTenthMilligrams: 1n })),
    "an order's binding refusal": (client) => bookOrder(books.api, order(client, null)),
    "a withdrawal's binding refusal": (client) => bookWithdrawal(books.api, withdrawalItem(client, TOO_MUCH)),
    "a funding's binding refusal": (client) => bookFunding(books.api, fundingItem(client, TOO_MUCH)),
    "a probe": (client) => probe(client),
    "a webhook test": async (client) =>
      (await sendWebhookTest(books.api)([{ ...newWrite(client), id: newUuid() }], WAITING))[0]!,
    "a redelivery": async (client) => {
      const [row] = await books.sql`select id from gold.event where client_id = ${client} limit 1`;
      const item = { ...newWrite(client), event: row!.id as string };
      return (await sendRedelivery(books.api)([item], WAITING))[0]!;
    },
  };
  for (const [name, send] of Object.entries(records)) {
    it(`counts ${name} as one record, and refuses it when the budget is used up`, async () => {
      const client = await limited(1);
      assert(wordOf(await send(client)) !== SPENT);
      const before = await readBooks(books.sql);
      assertEquals(wordOf(await send(client)), SPENT);
      assertEquals(await readBooks(books.sql), before);
      assertEquals(wordOf(await quote(client)), SPENT);
    });
  }

  it("executes withdrawals and fundings when the budget is used up", async () => {
    const client = await limited(1);
    await quote(client);
    const withdrawal = withdrawalItem(client, 100n);
    assertEquals(wordOf(await bookWithdrawal(books.api, withdrawal)), "answered 201");
    assertEquals(wordOf(await bookFunding(books.api, fundingItem(client, 100n))), "answered 201");
    assertEquals(wordOf(await probe(client, withdrawal.nonce)), "nonce_reused");
  });

  it("answers the retry of a key when the budget is used up, and stores its nonce", async () => {
    const client = await limited(1);
    const item = order(client, null);
    await bookOrder(books.api, item);
    const retry = { ...item, nonce: newUuid() };
    assertEquals(wordOf(await bookOrder(books.api, retry)), "replayed not_found");
    assertEquals(wordOf(await bookOrder(books.api, retry)), "nonce_reused");
  });

  it("stores neither the nonce nor the key of a refused request, so both can be used again", async () => {
    const client = await limited(1);
    const made = await quote(client);
    const item = order(client, null);
    assertEquals(wordOf(await bookOrder(books.api, item)), SPENT);
    const sound = { ...order(client, made), nonce: item.nonce, key: item.key };
    assertEquals(wordOf(await bookOrder(books.api, sound)), "answered 201");
  });

  it("answers a replay if a step back of the clock left replays_paid_at in the future", async () => {
    const client = await limited(10);
    const item = order(client, null);
    await bookOrder(books.api, item);
    await books.sql`
      update gold.allowance set replays_paid_at = clock_timestamp() + interval '1 hour' where client_id = ${client}`;
    const retry = { ...item, nonce: newUuid(), requestId: newUuid() };
    assertEquals(wordOf(await bookOrder(books.api, retry)), "replayed not_found");
  });

  it("limits replays separately to five a second, with a burst of five hundred", async () => {
    const client = await limited(1);
    const item = order(client, null);
    await bookOrder(books.api, item);
    await books.sql`
      update gold.allowance set replays_paid_at = clock_timestamp() + interval '99 seconds' where client_id = ${client}`;
    const replays = Array.from({ length: 64 }, () => ({ ...item, nonce: newUuid(), requestId: newUuid() }));
    const outcomes = await sendOrders(books.api)(replays, WAITING);
    const words = outcomes.map(wordOf);
    assertEquals(words[0], "replayed not_found");
    assertEquals(words.at(-1), "answered rate_limited");
    const { reset_seconds, policy, quota, window_seconds } = JSON.parse(outcomes.at(-1)!.body!).limit;
    assertEquals([policy, quota, window_seconds, reset_seconds], ["replays", 500, 100, 1]);
    // One more replay is allowed every 200 ms. A busy machine may need longer than that for the withdrawal.
    await until(async () => {
      await books.sql`
        update gold.allowance set replays_paid_at = clock_timestamp() + interval '99.95 seconds' where client_id = ${client}`;
      return wordOf(await bookWithdrawal(books.api, withdrawalItem(client, 100n, { key: item.key }))) ===
        "answered rate_limited";
    });
  });

  it("frees the record of a quote that was executed earlier in the same batch", async () => {
    const client = await limited(1);
    const made = await quote(client);
    const outcomes = await sendOrders(books.api)(
      [order(client, null), order(client, made), order(client, null), order(client, null)],
      WAITING,
    );
    assertEquals(outcomes.map(wordOf), [SPENT, "answered 201", "answered not_found", SPENT]);
  });

  it("stores as many records as the budget allows, for concurrent probes and refused orders", async () => {
    const client = await limited(10);
    const api = books.connect("gold_api", 8);
    const outcomes = await Promise.all(
      Array.from(
        { length: 40 },
        (_, n) => n % 2 === 0 ? probe(client) : bookOrder(api, order(client, null)),
      ),
    );
    assertEquals(outcomes.filter((outcome) => wordOf(outcome) === SPENT).length, 30);
  });
});
