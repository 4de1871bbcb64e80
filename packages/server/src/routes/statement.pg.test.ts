import { Buffer } from "node:buffer";
import { expectProblem } from "../../testing/problem.ts";
import { suiteService } from "../../testing/service.ts";
import {
  parseSignedDecimal,
  POSTING_TEXTS,
  type StatementReply,
  statementReply,
} from "@gold-partner/protocol";
import { before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { hireOperator } from "../booking/operator_fixture.ts";
import { type Account, openAccount } from "./fixture.ts";
import { bookManyFundings } from "../../testing/long_day.ts";
import { withoutTriggers } from "../../testing/rows.ts";

const ACCOUNTS = ["available_sar", "held_sar", "gold_grams"] as const;
const DAY_MS = 86_400_000;
const RIYADH_AHEAD_MS = 3 * 3_600_000;
const EVENTS_OF_TWO_PAGES = 520;
const MANY = 100_001;

/** The number in units of 0.0001, which is exact for riyals and grams. */
const units = (value: number): bigint => parseSignedDecimal(`${value}`, 4n);

describe("GET /v1/statement", () => {
  const service = suiteService();
  let account: Account;
  let startedMs: number;
  before(async () => {
    startedMs = service.now();
    await service.books.addBar(10_000_000n);
    account = await openAccount(service);
    await account.fund(100_000);
    for (let n = 0; n < 5; n++) {
      await account.trade("buy", 0.1234);
      await account.trade("sell", 0.0101);
    }
    const operator = await hireOperator(service.books);
    assertEquals(
      await operator.rejectWithdrawal((await account.withdraw(12.5)).slice("wd_".length)),
      "done",
    );
    await operator.leave();
    await account.withdraw(7);
  });

  /**
   * Returns the date in Riyadh, `days` after the day on which the test began. Does not use the current day,
   * because midnight in Riyadh can pass during the test.
   */
  const dayFrom = (days: number) =>
    new Date(startedMs + RIYADH_AHEAD_MS + days * DAY_MS).toISOString().slice(0, "2026-01-31".length);
  const pathOf = (from: number, to: number) => `/v1/statement?from=${dayFrom(from)}&to=${dayFrom(to)}`;
  const read = (from = 0, to = 1, of = account) => of.read(pathOf(from, to), statementReply);
  const tableOf = async (from = 0, to = 1, of = account): Promise<string[][]> => {
    const reply = await of.get(pathOf(from, to), { Accept: "text/csv" });
    assertEquals([reply.status, reply.headers.get("Content-Type")], [
      200,
      "text/csv; charset=utf-8; header=present",
    ]);
    const text = await reply.text();
    assert(text.endsWith("\r\n"));
    return text.slice(0, -2).split("\r\n").map((line) => line.split(","));
  };

  function assertAddsUp({ opening_balance, closing_balance, postings }: StatementReply): void {
    const running = Object.fromEntries(ACCOUNTS.map((name) => [name, units(opening_balance[name])]));
    for (const { account, change, balance_after } of postings) {
      running[account]! += units(change);
      assertEquals(running[account], units(balance_after));
    }
    assertEquals(running, Object.fromEntries(ACCOUNTS.map((name) => [name, units(closing_balance[name])])));
  }

  it("adds up from the opening to the closing balance, in each account and line by line", async () => {
    const statement = await read();
    assertAddsUp(statement);
    assertEquals([statement.opening_balance, statement.postings.length], [
      { available_sar: 0, held_sar: 0, gold_grams: 0 },
      1 + 10 * 2 + 2 * 2 + 2,
    ]);
    const { sar, gold } = JSON.parse(await (await account.get("/v1/balances")).text());
    assertEquals(statement.closing_balance, {
      available_sar: sar.available,
      held_sar: sar.held,
      gold_grams: gold.grams,
    });
  });

  it("shows held and released money in both accounts, available and held", async () => {
    const { postings } = await read();
    const shown = postings.filter(({ type }) => type.startsWith("withdrawal.")).map((
      { type, account, change },
    ) => `${type} ${account} ${change}`);
    assertEquals(shown, [
      "withdrawal.created available_sar -12.5",
      "withdrawal.created held_sar 12.5",
      "withdrawal.rejected available_sar 12.5",
      "withdrawal.rejected held_sar -12.5",
      "withdrawal.created available_sar -7",
      "withdrawal.created held_sar 7",
    ]);
  });

  it("returns the same data as CSV, with the balances before and after the postings", async () => {
    const { opening_balance, closing_balance, postings } = await read();
    const [header, ...rows] = await tableOf();
    const first = [...Object.keys(postings[0]!), "reference", "account_label", "reserves_list_id"];
    const later = Object.keys(POSTING_TEXTS).filter((name) => !first.includes(name));
    assertEquals(header, [...first, ...later]);
    const balances = (type: string, of: typeof opening_balance) =>
      ACCOUNTS.map((account) => ({ type, account, balance_after: of[account] }));
    const expected: Record<string, unknown>[] = [
      ...balances("opening_balance", opening_balance),
      ...postings,
      ...balances("closing_balance", closing_balance),
    ];
    assertEquals(rows, expected.map((line) => header!.map((name) => `${line[name] ?? ""}`)));
  });

  it("has no CSV cell that needs quotes or that a spreadsheet reads as a formula", async () => {
    const [, ...rows] = await tableOf();
    for (const cell of rows.flat()) {
      assertMatch(cell, /^(?:-?[0-9.]+|[0-9TZ:.-]+|[a-z]{2,3}_[0-9a-f-]{36}|lst_[0-9]+|[a-z._]+|)$/);
    }
  });

  it("includes both days, cuts at midnight in Riyadh, and continues an earlier balance", async () => {
    const aged = await openAccount(service);
    for (let n = 0; n < 4; n++) await aged.fund(1);
    // In Riyadh time, event 1 is in the last millisecond of the day before yesterday, and event 2 in the
    // first millisecond of yesterday.
    const midnight = Date.parse(`${dayFrom(-1)}T00:00:00.000Z`) - RIYADH_AHEAD_MS;
    await withoutTriggers(service.books.sql, async (sql) => {
      for (const [sequence, ms] of [[1, midnight - 1], [2, midnight]] as const) {
        const at = new Date(ms).toISOString();
        const { client } = aged.partner;
        await sql`update gold.event set created_at = ${at}::text::timestamptz where client_id = ${client} and sequence = ${sequence}`;
        await sql`update gold.transfer set posted_at = ${at}::text::timestamptz where client_id = ${client} and sequence = ${sequence}`;
      }
    });
    const [before, yesterday, today] = [
      await read(-9, -2, aged),
      await read(-1, -1, aged),
      await read(0, 1, aged),
    ];
    assertEquals([before, yesterday, today].map(({ postings }) => postings.length), [1, 1, 2]);
    assertEquals(before.closing_balance, yesterday.opening_balance);
    assertEquals(yesterday.closing_balance, today.opening_balance);
    assertEquals(
      (await read(-9, 1, aged)).postings,
      [before, yesterday, today].flatMap(({ postings }) => postings),
    );
    assertEquals((await read(-9, -3, aged)).postings, []);
  });

  it("ends now if its days are in the future, and is empty for days before any posting", async () => {
    assertEquals((await read(0, 9)).postings, (await read()).postings);
    const { opening_balance, closing_balance, postings } = await read(2, 3);
    assertEquals([opening_balance, postings], [closing_balance, []]);
    const ever = await account.read("/v1/statement?from=0000-01-01&to=9999-12-31", statementReply);
    assertEquals(ever.postings, (await read()).postings);
    assertEquals(
      (await account.read("/v1/statement?from=0000-01-01&to=0000-12-31", statementReply)).postings,
      [],
    );
  });

  it("is complete beyond one page, and excludes postings that are added while it is read", async () => {
    const long = await openAccount(service);
    for (let n = 0; n < EVENTS_OF_TWO_PAGES; n++) await long.fund(0.01);
    const reply = await long.get(pathOf(0, 1));
    const reader = reply.body!.getReader();
    const parts = [(await reader.read()).value!];
    await long.fund(1000);
    for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
    assertEquals(parts.length, 4);
    const statement = statementReply.parse(JSON.parse(new TextDecoder().decode(Buffer.concat(parts))));
    assertEquals(statement.postings.length, EVENTS_OF_TWO_PAGES);
    assertAddsUp(statement);
    assertEquals((await tableOf(0, 1, long)).length, 1 + 3 + EVENTS_OF_TWO_PAGES + 1 + 3);
  });

  it("sends a day of more than 100,000 records as it reads it, and reads no more for a reader that left", async () => {
    const long = await openAccount(service);
    await bookManyFundings(service.books.sql, long.partner.client, MANY);
    for (const [accept, line] of [["application/json", "posted_at"], ["text/csv", "\r\n"]] as const) {
      const reply = await long.get(pathOf(0, 1), { Accept: accept });
      let [lines, bytes, last] = [0, 0, ""];
      const reader = reply.body!.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        last = Buffer.from(part.value).toString();
        lines += last.split(line).length - 1;
        bytes = Math.max(bytes, last.length);
      }
      assertEquals([lines, bytes < 300_000], [accept === "text/csv" ? MANY + 7 : MANY, true], accept);
      assertMatch(last, accept === "text/csv" ? /closing_balance,gold_grams,[^]*\r\n$/ : /\]\}$/);
    }
    const reader = (await long.get(pathOf(0, 1))).body!.getReader();
    await reader.read();
    const broken = () => service.log.filter((one) => one.includes("statement broken off")).length;
    const before = broken();
    await service.books.sql`alter function gold.list_postings rename to hidden_postings`;
    await reader.cancel();
    await service.books.sql`alter function gold.hidden_postings rename to list_postings`;
    assertEquals(broken(), before);
  });

  it("ends as an incomplete reply and is logged if a query fails midway", async () => {
    const broken = await account.get(pathOf(0, 1));
    const reader = broken.body!.getReader();
    await reader.read();
    const { sql } = service.books;
    await sql`alter function gold.list_postings rename to hidden_postings`;
    try {
      await assertRejects(() => reader.read());
    } finally {
      await sql`alter function gold.hidden_postings rename to list_postings`;
    }
    const line = service.log.find((one) => one.includes("statement broken off"));
    assertEquals(JSON.parse(line!).request_id, broken.headers.get("X-Request-Id"));
  });

  it("rejects days that are invalid, missing or in the wrong order, and names the parameter", async () => {
    const cases: [string, string][] = [
      ["?from=2026-02-30&to=2026-03-01", "from"],
      ["?from=2026-01-01&to=2026-1-2", "to"],
      ["?from=2026-01-02&to=2026-01-01", "to"],
      ["?from=2026-01-02", "to"],
      ["?from=2026-01-01&to=2026-01-01&page=1", "page"],
    ];
    for (const [query, name] of cases) {
      const { errors } = await expectProblem(account.get(`/v1/statement${query}`), "invalid_request");
      assertEquals(errors?.map((error) => "name" in error && error.name), [name], query);
    }
  });
});
