import { describe, it } from "node:test";
import { type AccountEvent, type ChainBalances, Quantity } from "@gold-partner/client";
import { assertEquals } from "@std/assert";
import { DayCheck } from "./day_check.ts";
import { Report } from "./rules.ts";

const EMPTY = { available: 0n, held: 0n, gold: 0n };
const RICH = { available: 1000n, held: 0n, gold: 7n };

const balance = ({ available, held, gold }: ChainBalances) => ({
  available_sar: new Quantity("SAR", available),
  held_sar: new Quantity("SAR", held),
  gold_grams: new Quantity("g", gold),
});
const DAY = {
  date: "2026-02-01",
  first_sequence: 1 as number | null,
  last_sequence: 2 as number | null,
  opening_balance: balance(EMPTY),
  closing_balance: balance(RICH),
  orders: 1,
};

/**
 * A chain of four events. The second one is the last of 1 February in Riyadh, and the fourth closes that day.
 */
function check(closed: Partial<typeof DAY> = {}, from = 1): string[] {
  const check = new DayCheck(new Report(), from);
  const events = [
    ["funding.completed", "2026-01-31T21:00:00.000Z", EMPTY, RICH],
    ["order.executed", "2026-02-01T20:59:59.999Z", RICH, RICH],
    ["webhook.test", "2026-02-01T21:00:00.000Z", RICH, RICH],
    ["day.closed", "2026-02-01T21:05:00.000Z", RICH, RICH],
  ] as const;
  return events.flatMap(([type, created_at, before, after], index) => {
    const event = { type, created_at, sequence: from + index, data: { day: { ...DAY, ...closed } } };
    return [...check.check(event as unknown as AccountEvent, before, after)].map(({ detail }) => detail);
  });
}

describe("the audit of closed days", () => {
  it("accepts a closed day that matches its events", () => {
    assertEquals(check(), []);
  });

  it("accepts a day without events if its balances are those at the end of the day before", () => {
    const none = { first_sequence: null, last_sequence: null, orders: 0 };
    const [opening_balance, closing_balance] = [balance(EMPTY), balance(EMPTY)];
    assertEquals(check({ ...none, date: "2026-01-31", opening_balance, closing_balance }), []);
  });

  it("reports a wrong event range, balance or number of orders", () => {
    const wrong = [
      { first_sequence: 2 },
      { last_sequence: 3 },
      { opening_balance: balance(RICH) },
      { closing_balance: balance(EMPTY) },
      { orders: 2 },
      { first_sequence: null, last_sequence: null },
    ];
    for (const change of wrong) {
      const [detail, ...more] = check(change);
      assertEquals([detail?.startsWith("event 4: expected events 1 to 2, 1 orders, from 0 SAR"), more], [
        true,
        [],
      ]);
    }
  });

  it("does not compare the first day if the audit does not begin at event 1, because that day may be incomplete", () => {
    assertEquals(check({ first_sequence: 3 }, 5), []);
  });
});
