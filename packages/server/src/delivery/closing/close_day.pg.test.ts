import { createHash } from "node:crypto";
import { before, describe, it } from "node:test";
import { eventReply } from "@gold-partner/protocol";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { StoredRequest } from "../../admission/signature/stored_request.ts";
import { stamp } from "../../admission/ticket.ts";
import { closingToday, moveDayEndAway } from "../../../testing/close_today.ts";
import { suiteBooks } from "../../../testing/books.ts";
import {
  bookFunding,
  bookOrder,
  bookQuote,
  bookWithdrawal,
  byGrams,
  fundingItem,
  orderItem,
  plantQuote,
  quoteItem,
  untilWaiting,
  withdrawalItem,
  wordOf,
} from "../../booking/fixture.ts";
import { closeDays, startDayCloser } from "./day_closer.ts";
import { until } from "../../../../../tools/testing/until.ts";
import { withoutTriggers } from "../../../testing/rows.ts";
import { rulesBrokenBy } from "../../booking/ledger/tampered_fixture.ts";

const GRAM = byGrams("buy", 10_000n);
const HOUR_MS = 3_600_000;
const sha256 = (...parts: readonly (string | Uint8Array)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const hashOfLines = (lines: readonly string[]) =>
  sha256(...lines.map((line) => sha256(line))).toString("hex");

describe("the end of a day", () => {
  const books = suiteBooks();
  let riyadh: Record<string, unknown>;
  let today: string;
  let endOfToday: Date;
  before(async () => {
    [riyadh] = await books.sql`
      select gold.day_of('2026-01-31T20:59:59.999Z')::text as before, gold.day_of('2026-01-31T21:00:00Z')::text as after,
        gold.day_begin('2026-02-01') as begins, gold.day_end('2026-01-31T21:00:00Z') as ends` as [
      typeof riyadh,
    ];
    const aheadMs = await moveDayEndAway(books.sql) * HOUR_MS;
    today = new Date(Date.now() + aheadMs).toISOString().slice(0, 10);
    endOfToday = new Date(Date.parse(today) + 24 * HOUR_MS - aheadMs);
    await books.addBar(20_000n);
  });

  const rich = () => books.createClient({ halalas: 100_000_000n });
  const quote = async (client: number) => {
    const { body } = await bookQuote(books.api, quoteItem(client, GRAM));
    return (JSON.parse(body!) as { quote_id: string }).quote_id.slice("qt_".length);
  };
  const eventsOf = async (client: number) => {
    await books.sql`select gold.seal_chain(${client})`;
    const rows = await books.api`select body from gold.list_events(${client}, 0, 1000)`;
    return rows.map(({ body }) => eventReply.parse(JSON.parse(body)));
  };
  const closedDays = async (client: number) =>
    (await eventsOf(client)).flatMap((event) => event.type === "day.closed" ? [event] : []);
  const close = async (client: number) =>
    (await books.delivery`select gold.close_day(${client}::int) as taken`)[0]!.taken as boolean;
  /** An order whose signed request has this X-Timestamp. */
  const orderSent = (client: number, id: string, at: number) => {
    const text = [
      "POST",
      "/v1/orders",
      `${Math.floor(at / 1000)}`,
      "nonce",
      "jws",
      `{"quote_id":"qt_${id}"}`,
    ];
    const signedRequest = stamp<StoredRequest>(text.join("\n"));
    return bookOrder(books.api, orderItem(client, id, { signedRequest }));
  };

  it("is midnight in Riyadh", () => {
    assertEquals({ ...riyadh }, {
      before: "2026-01-31",
      after: "2026-02-01",
      begins: new Date("2026-01-31T21:00:00Z"),
      ends: new Date("2026-02-01T21:00:00Z"),
    });
  });

  it("is posted only after the end of a day, from the first whole day of the first epoch on", async () => {
    const client = await rich();
    assertEquals(await close(client), false);
    await closingToday(books.sql, () => Promise.resolve());
    assertEquals(await close(client), false);
    assertEquals((await closedDays(client)).length, 0);
  });

  it("is an event that states the day's events, balances, counts and hashes", async () => {
    const client = await rich();
    const [first, second] = [await quote(client), await quote(client)];
    const late = await plantQuote(books.sql, {
      ...{ client, side: "buy", grams: 10_000n, price: 3_210_000n, ageSeconds: 70 },
    });
    const words = [
      await orderSent(client, first, Date.now()),
      await orderSent(client, await books.quote(client, "buy", 100_000n), Date.now()),
      await orderSent(client, late, Date.now()),
      await orderSent(client, late, Date.now() - 15_000),
      await bookWithdrawal(books.api, withdrawalItem(client, 900_000_000n)),
    ].map(wordOf);
    assertEquals(words, [
      "answered 201",
      "answered insufficient_inventory",
      "answered quote_expired",
      "answered quote_expired",
      "answered insufficient_funds",
    ]);
    const before = await eventsOf(client);
    await closingToday(books.sql, () => closeDays(books.delivery));
    const [closed, ...more] = await closedDays(client);
    assertEquals([more.length, closed!.sequence], [0, before.length + 1]);
    assertEquals(closed!.created_at, endOfToday.toISOString());
    const { quotes_sha256, refusals_sha256, epoch, ...day } = closed!.data.day;
    assertEquals(day, {
      date: today,
      first_sequence: 1,
      last_sequence: before.length,
      opening_balance: { available_sar: 0, held_sar: 0, gold_grams: 0 },
      closing_balance: { available_sar: 1_000_000 - 321, held_sar: 0, gold_grams: 1 },
      ...{ quotes: 4, orders: 1, refusals: 4, broken: 2, quotes_executed: 1, quotes_expired: 3 },
    });
    assertEquals([epoch.number, epoch.timeline], [1, 1]);

    const quotes = await books.sql`
      select q.id, (extract(epoch from q.created_at) * 1000)::bigint::text as begins, (extract(epoch from q.expires_at) * 1000)::bigint::text as ends,
        q.grams::text, q.total::text, encode(gold.answer_of(k.key, k.fingerprint, k.status, k.request_id, k.body), 'hex') as answer
      from gold.quote q left join gold.idempotency_key k on k.client_id = q.client_id and k.result_id = q.id and k.result_kind = 'quote'
      where q.client_id = ${client} order by q.id`;
    assert(quotes.some(({ id }) => id === second));
    assertEquals(
      quotes_sha256,
      hashOfLines(
        quotes.map((row) =>
          `${row.id}|1|${row.grams}|3210000|${row.total}|${row.begins}|${row.ends}|${row.answer ?? ""}`
        ),
      ),
    );
    const refusals = await books.sql`
      select (extract(epoch from k.created_at) * 1000)::bigint::text as at,
        encode(gold.answer_of(k.key, k.fingerprint, k.status, k.request_id, k.body, k.request, k.signing_thumbprint), 'hex') as answer
      from gold.idempotency_key k where k.client_id = ${client} and k.result_kind = 'refusal' order by k.created_at, k.key`;
    assertEquals(refusals_sha256, hashOfLines(refusals.map(({ at, answer }) => `${at}|${answer}`)));
  });

  it("is posted for each partner with activity, and only once if several workers close the day", async () => {
    const [funded, quoted, refused, idle] = [await rich(), await rich(), await rich(), await rich()];
    await closingToday(books.sql, () => closeDays(books.delivery));
    for (const client of [funded, quoted, refused, idle]) {
      assertEquals((await closedDays(client)).length, 1);
    }
    // The event of a closed day belongs to the next day. It does not count as activity there.
    await closingToday(books.sql, () => closeDays(books.delivery), "-48 hours");
    assertEquals((await closedDays(idle)).length, 1);
    const another = await rich();
    await closingToday(books.sql, async () => {
      const workers = [
        books.connect("gold_delivery", 1),
        books.connect("gold_delivery", 1),
        books.connect("gold_delivery", 1),
      ];
      await Promise.all(workers.map((worker) => closeDays(worker)));
    });
    assertEquals((await closedDays(another)).length, 1);
  });

  it("is posted only for a day with a quote, a refusal or an event of another type", async () => {
    const clients = await Promise.all([rich(), rich(), rich()]);
    // Move everything before this point to an earlier day. Only the quote and the refusal below are then in
    // this day.
    await withoutTriggers(books.sql, async (sql) => {
      for (const table of ["event", "idempotency_key", "funding"]) {
        await sql`update gold.${
          sql(table)
        } set created_at = created_at - interval '30 days' where client_id in ${sql(clients)}`;
      }
      await sql`update gold.transfer set posted_at = posted_at - interval '30 days' where client_id in ${
        sql(clients)
      }`;
      await sql`update gold.account set last_posted_at = last_posted_at - interval '30 days' where client_id in ${
        sql(clients)
      }`;
    });
    await bookQuote(books.api, quoteItem(clients[0]!, GRAM));
    assertEquals(
      wordOf(await bookQuote(books.api, quoteItem(clients[1]!, byGrams("buy", 1_000_000_000_000n)))),
      "answered limit_exceeded",
    );
    await closingToday(books.sql, () => closeDays(books.delivery));
    const closed = await Promise.all(clients.map(closedDays));
    assertEquals(
      closed.map((events) =>
        events.map(({ data: { day } }) => [day.first_sequence, day.quotes, day.refusals].join(" "))
      ),
      [[" 1 0"], [" 0 1"], []],
    );
    assertEquals(closed[0]![0]!.data.day.opening_balance, closed[0]![0]!.data.day.closing_balance);
  });

  it("is completed by the next call after a crash between the two transactions, or within the second", async () => {
    const client = await rich();
    await closingToday(books.sql, async () => {
      assertEquals(await close(client), true);
      const [account] = await books.sql`select last_posted_at from gold.account where client_id = ${client}`;
      assertEquals(account!.last_posted_at, endOfToday);
      assertEquals((await closedDays(client)).length, 0);
      await books.delivery.begin(async (sql) => {
        await sql`select gold.close_day(${client}::int)`;
        throw new Error("crash");
      }).catch(() => {});
      assertEquals((await closedDays(client)).length, 0);
      await closeDays(books.delivery);
    });
    assertEquals((await closedDays(client)).length, 1);
    assertEquals(await books.defects(), []);
  });

  it("waits for a booking in progress, whose rows then belong to the day", async () => {
    const client = await rich();
    const item = quoteItem(client, GRAM);
    await closingToday(books.sql, async () => {
      let closing: Promise<unknown> | undefined;
      await books.sql.begin(async (sql) => {
        await bookQuote(sql as never, item);
        closing = closeDays(books.delivery);
        await untilWaiting(books.sql);
      });
      await closing;
    });
    const [closed] = await closedDays(client);
    assertEquals(closed!.data.day.quotes, 1);
  });

  it("is posted only after the last quote of the day has ended, and counts it by its end", async () => {
    const client = await rich();
    const executed = await quote(client);
    await quote(client);
    await bookOrder(books.api, orderItem(client, executed));
    const lastEnd = new Date(endOfToday.getTime() + 50_000);
    await books.sql`
      insert into gold.quote (bucket, client_id, side, id, grams, price, total, created_at, expires_at)
      select ${
      client % 64
    }, ${client}, 'buy', gold.first_id_at(at), 10000, 3210000, 32100, at, at + interval '1 minute'
      from (select ${lastEnd}::timestamptz - interval '1 minute' as at) made`;
    // The day ended 25 seconds ago, and its last quote ends in 25 seconds.
    const ahead = Math.round((lastEnd.getTime() - Date.now()) / 1000) - 25;
    await closingToday(books.sql, async () => assertEquals(await close(client), false), `-${ahead} seconds`);
    await closingToday(books.sql, async () => {
      assertEquals(await close(client), true);
      const [account] = await books.sql`select last_posted_at from gold.account where client_id = ${client}`;
      assertEquals(account!.last_posted_at, lastEnd);
      await closeDays(books.delivery);
    });
    const [closed] = await closedDays(client);
    const { quotes, quotes_executed, quotes_expired } = closed!.data.day;
    assertEquals([quotes, quotes_executed, quotes_expired], [3, 1, 2]);
  });

  it("has no counts of executed quotes if a version before 0.7.0 closed it", async () => {
    const client = await rich();
    await quote(client);
    await closingToday(books.sql, () => closeDays(books.delivery));
    await withoutTriggers(books.sql, async (sql) => {
      await sql`update gold.closed_day set quotes_executed = null where client_id = ${client}`;
    });
    const [closed] = await closedDays(client);
    assertEquals(Object.keys(closed!.data.day).slice(-2), ["refusals_sha256", "epoch"]);
    assertEquals(await books.defects(), []);
  });

  it("prevents later additions to the day, even while the clock is still within the day", async () => {
    const client = await rich();
    const known = await quote(client);
    await closingToday(books.sql, () => closeDays(books.delivery));
    const outcomes = [
      await bookQuote(books.api, quoteItem(client, GRAM)),
      await bookOrder(books.api, orderItem(client, known)),
      await bookFunding(books.api, fundingItem(client, 1n)),
      await bookFunding(books.api, fundingItem(client, 100_000_000_000_000n)),
      await bookWithdrawal(books.api, withdrawalItem(client, 1n)),
      await bookWithdrawal(books.api, withdrawalItem(client, 900_000_000n)),
    ].map(wordOf);
    assertEquals(outcomes, [
      ...["service_unavailable null", "service_unavailable null"],
      ...["answered 201", "answered limit_exceeded", "answered 201", "answered insufficient_funds"],
    ]);
    const newest = await books.sql`
      select result_kind, created_at from gold.idempotency_key where client_id = ${client} order by request_id desc limit 4`;
    const kinds = newest.map(({ result_kind }) => result_kind).sort();
    assertEquals(kinds, ["funding", "refusal", "refusal", "withdrawal"]);
    for (const { created_at } of newest) assert(created_at >= endOfToday, created_at.toISOString());
    assertEquals(await books.defects(), []);
  });

  it("is never later than the next account_instant, for any clock and any answered balance", async () => {
    const [row] = await books.sql`
      select bool_and(gold.account_instant(jsonb_populate_record(a, jsonb_build_object('last_posted_at', p.newest, 'closed_until', c.closed)), k.clock) >= p.newest) as holds,
        count(*)::int as cases
      from gold.account a,
        (select '2026-02-01T21:00:00Z'::timestamptz as newest) p,
        (select '2026-02-01T21:00:00Z'::timestamptz + make_interval(secs => s) as clock from generate_series(-100000.0, 20, 7001.003) s) k,
        (select '2026-02-01T21:00:00Z'::timestamptz + make_interval(secs => s) as closed from generate_series(-20000.0, 20000, 1.001 * 500) s) c
      where a.client_id = 0`;
    assert(row!.cases > 500, `${row!.cases}`);
    assertEquals(row!.holds, true);
  });

  it("no longer matches the rows of the day after one of them was changed", async () => {
    const client = await rich();
    const id = await quote(client);
    await bookWithdrawal(books.api, withdrawalItem(client, 900_000_000n));
    await closingToday(books.sql, () => closeDays(books.delivery));
    assertEquals(await books.defects(), []);
    const edits = [
      `update gold.idempotency_key set fingerprint = '\\x01' where result_id = '${id}'`,
      `update gold.quote set expires_at = expires_at + interval '1 second' where id = '${id}'`,
      `update gold.idempotency_key set fingerprint = '\\x01' where client_id = ${client} and result_kind = 'refusal'`,
      `delete from gold.refusal where client_id = ${client}`,
      `update gold.closed_day set broken = 1 where client_id = ${client}`,
      `update gold.closed_day set quotes_executed = 1 where client_id = ${client}`,
      `delete from gold.event where client_id = ${client} and type = 'day.closed'`,
    ];
    for (const edit of edits) {
      assertStringIncludes(await rulesBrokenBy(books.sql, edit), "day_is_closed", edit);
    }
  });

  it("is posted for the other partners even if one partner's day cannot be closed", async () => {
    const [broken, other] = [await rich(), await rich()];
    assert(broken < other);
    await withoutTriggers(books.sql, async (sql) => {
      await sql`update gold.event set sequence = sequence + 7 where client_id = ${broken}`;
      await sql`update gold.account set event_sequence = 0 where client_id = ${broken}`;
      await sql`insert into gold.event select bucket, client_id, 1, gen_random_uuid(), subject, created_at - interval '9 days', type, line from gold.event where client_id = ${broken}`;
      await sql`delete from gold.account where client_id = ${broken}`;
    });
    const closer = { stop: () => {} };
    await closingToday(books.sql, async () => {
      const { stop } = startDayCloser(() => Object.assign(books.connect("gold_delivery", 1)));
      closer.stop = stop;
      await until(async () => (await closedDays(other)).length === 1);
    });
    closer.stop();
  });
});
