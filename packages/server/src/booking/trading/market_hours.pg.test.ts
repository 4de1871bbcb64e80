import { suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { verdictOf } from "../operator_fixture.ts";
import { bookOrder, bookQuote, byGrams, orderItem, quoteItem, readBooks, wordOf } from "../fixture.ts";
import { valueOf } from "../../../testing/rows.ts";

interface Session {
  /** 0 is Sunday. */
  readonly day: number;
  readonly opens: string;
  readonly closes: string;
}

const WEEK: readonly Session[] = Array.from(
  { length: 7 },
  (_, day) => ({ day, opens: "00:00", closes: "24:00" }),
);

describe("the market's hours", () => {
  const books = suiteBooks();
  let client: number;
  before(async () => {
    await books.addBar(10_000n);
    client = await books.createClient({ halalas: 1_000_000n });
  });

  const setHours = (alwaysOpen: boolean | null, sessions: readonly Session[] = []): Promise<string> =>
    verdictOf(
      books.sql`select gold.set_market_hours(${alwaysOpen}, ${JSON.stringify(sessions)}::text::jsonb)`,
    );
  async function isOpen(at: string): Promise<boolean> {
    return await valueOf(books.api`select gold.market_open(${at}::text::timestamptz) as open`);
  }
  const gram = () => quoteItem(client, byGrams("buy", 100n));

  it("are in Riyadh time: open from the start of a session, closed from its end on", async () => {
    // Sunday 2026-03-01 in Riyadh begins at 21:00 UTC on Saturday.
    await setHours(false, [{ day: 0, opens: "09:30", closes: "17:00" }]);
    const cases: [string, boolean][] = [
      ["2026-03-01T06:29:59.999999Z", false],
      ["2026-03-01T06:30:00Z", true],
      ["2026-03-01T13:59:59.999999Z", true],
      ["2026-03-01T14:00:00Z", false],
      ["2026-03-02T07:00:00Z", false],
      ["2026-02-28T07:00:00Z", false],
      ["2026-03-08T07:00:00Z", true],
    ];
    for (const [at, open] of cases) assertEquals(await isOpen(at), open, at);
  });

  it("can end a day at 24:00 and continue at 00:00 without a gap", async () => {
    await setHours(false, [{ day: 6, opens: "20:00", closes: "24:00" }, {
      day: 0,
      opens: "00:00",
      closes: "01:00",
    }]);
    const cases: [string, boolean][] = [
      ["2026-02-28T16:59:59.999999Z", false],
      ["2026-02-28T17:00:00Z", true],
      ["2026-02-28T20:59:59.999999Z", true],
      ["2026-02-28T21:00:00Z", true],
      ["2026-02-28T21:59:59.999999Z", true],
      ["2026-02-28T22:00:00Z", false],
    ];
    for (const [at, open] of cases) assertEquals(await isOpen(at), open, at);
  });

  it("do not depend on the time zone of the connection", async () => {
    await setHours(false, [{ day: 0, opens: "00:00", closes: "24:00" }]);
    const foreign = books.connect("gold_api", 1);
    for (const zone of ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"]) {
      await foreign.unsafe(`set time zone '${zone}'`);
      const rows = await foreign`
        select gold.market_open('2026-02-28T20:59:59Z') as before, gold.market_open('2026-02-28T21:00:00Z') as first,
          gold.market_open('2026-03-01T20:59:59Z') as last, gold.market_open('2026-03-01T21:00:00Z') as after`;
      assertEquals(Object.values(rows[0]!), [false, true, true, false], zone);
    }
  });

  it("refuse a quote while closed and store no key, and still execute a firm quote", async () => {
    await setHours(true);
    const firm = gram();
    assertEquals(wordOf(await bookQuote(books.api, firm)), "answered 201");
    await setHours(false);
    const item = gram();
    const before = await readBooks(books.sql);
    assertEquals(wordOf(await bookQuote(books.api, item)), "market_closed");
    assertEquals(await readBooks(books.sql), before);
    assertEquals(wordOf(await bookOrder(books.api, orderItem(client, firm.id))), "answered 201");
    const repeated = { ...firm, requestId: item.requestId };
    assertEquals(wordOf(await bookQuote(books.api, repeated)), "replayed 201");
    await setHours(false, WEEK);
    assertEquals(wordOf(await bookQuote(books.api, item)), "answered 201");
  });

  it("need no session if always open; otherwise the market is closed without a session", async () => {
    await setHours(true);
    assertEquals(await isOpen("2026-03-01T00:00:00Z"), true);
    await setHours(false);
    assertEquals(await isOpen("2026-03-01T00:00:00Z"), false);
  });

  it("are replaced as a whole and written to the audit; invalid hours are refused", async () => {
    await setHours(false, [{ day: 1, opens: "10:00", closes: "11:00" }]);
    const rowsOf = async () =>
      (await books
        .api`select concat_ws(' ', day, opens, closes) as row from gold.market_hours order by day, opens`)
        .map(({ row }) => row);
    assertEquals(await rowsOf(), ["1 10:00:00 11:00:00"]);
    const [note] = await books
      .sql`select subject, detail - 'mode' as detail from gold.audit where action = 'market.set' order by id desc limit 1`;
    assertEquals({ ...note }, {
      subject: "by sessions",
      detail: { sessions: [{ day: 1, opens: "10:00", closes: "11:00" }] },
    });
    const wrong: [readonly Session[], RegExp][] = [
      [[{ day: 7, opens: "10:00", closes: "11:00" }], /^23514 .*"market_session_day"/],
      [[{ day: 1, opens: "11:00", closes: "11:00" }], /^23514 .*"market_session_span"/],
      [[{ day: 1, opens: "22:00", closes: "02:00" }], /^23514 .*"market_session_span"/],
      [[{ day: 1, opens: "10:00", closes: "24:01" }], /^22008 /],
      [[...WEEK, WEEK[0]!], /^23505 /],
    ];
    for (const [sessions, refusal] of wrong) assertMatch(await setHours(false, sessions), refusal);
    assertMatch(await setHours(null), /^GR409 market hours need/);
    assertEquals(await rowsOf(), ["1 10:00:00 11:00:00"]);
  });

  it("are never a mixture if many operators set them concurrently", async () => {
    const pool = books.connect("gold_operator", 10);
    const verdicts = await Promise.all(Array.from({ length: 10 }, (_, n) => {
      const opens = `0${n}:00`;
      const sessions = [1, 2, 3].map((day) => ({ day, opens, closes: "23:00" }));
      return verdictOf(pool`select gold.set_market_hours(false, ${JSON.stringify(sessions)}::text::jsonb)`);
    }));
    assertEquals(verdicts.filter((verdict) => verdict !== "done"), []);
    const rows = await books.sql`select opens, count(*)::int as days from gold.market_session group by opens`;
    assertEquals(rows.map(({ days }) => days), [3]);
    await pool.end();
  });
});
