import type { Mutation } from "./mutation.ts";

const BOOK_QUOTES = "src/booking/trading/book_quotes.sql";
const QUANTITIES = "src/booking/ledger/quantities.sql";
const PROBLEM_TEXT = "src/booking/idempotency/problem_text.sql";
const BOOK_QUOTES_TEST = "src/booking/trading/book_quotes.pg.test.ts";
const LOCKS_TEST = "src/booking/trading/locks.pg.test.ts";
const ROUNDING_TEST = "src/booking/trading/rounding.pg.test.ts";
const BATCH_EQUALS_SINGLES_TEST = "src/booking/trading/batch_equals_singles.pg.test.ts";
const MIGRATE_TEST = "src/database/migrate.pg.test.ts";
const PLANS_TEST = "src/booking/trading/plans.pg.test.ts";
const BOOK_ORDERS_TEST = "src/booking/trading/book_orders.pg.test.ts";
const REPLAY_TEST = "src/booking/idempotency/replay.pg.test.ts";

const CHANGE_PRICE = "src/booking/trading/change_price.sql";
const PRICE_HISTORY_TEST = "src/booking/trading/price_history.pg.test.ts";

export const QUOTE_MUTATIONS: readonly Mutation[] = [
  {
    name: "quote: the percentage of a simulation is not kept",
    file: BOOK_QUOTES,
    from: "if percent is not null then",
    to: "if false then",
    tests: [PRICE_HISTORY_TEST],
  },
  {
    name: "quote: a price from the future of a clock that stepped back is not stored again",
    file: BOOK_QUOTES,
    from: "if current.stored_at > horizon then",
    to: "if false then",
    tests: [PRICE_HISTORY_TEST],
  },
  {
    name: "price: a row of the history does not commit to the row before",
    file: CHANGE_PRICE,
    from: "where h.id = added.id - 1",
    to: "where false",
    tests: [PRICE_HISTORY_TEST],
    short: true,
  },
  {
    name: "quote: a batch waits for a locked account",
    file: BOOK_QUOTES,
    from: "lock_accounts(clients, wait)",
    to: "lock_accounts(clients, true)",
    tests: [BOOK_QUOTES_TEST, LOCKS_TEST],
  },
  {
    name: "quote: the clock is read before the locks",
    file: BOOK_QUOTES,
    from: "clock := clock_timestamp();",
    to: "clock := statement_timestamp();",
    tests: [BOOK_QUOTES_TEST],
  },
  {
    name: "quote: grams from an amount are rounded up for a buy",
    file: BOOK_QUOTES,
    from: "when 'buy' then asked.amount * 1000000 / unit_price",
    to: "when 'buy' then (asked.amount * 1000000 + unit_price - 1) / unit_price",
    tests: [ROUNDING_TEST],
  },
  {
    name: "quote: grams from an amount are rounded down for a sell",
    file: BOOK_QUOTES,
    from: "else (asked.amount * 1000000 + unit_price - 1) / unit_price end",
    to: "else asked.amount * 1000000 / unit_price end",
    tests: [ROUNDING_TEST],
  },
  {
    name: "quote: the total of a buy is rounded down",
    file: BOOK_QUOTES,
    from: "(grams * unit_price + 999999) / 1000000",
    to: "grams * unit_price / 1000000",
    tests: [ROUNDING_TEST],
    short: true,
  },
  {
    name: "quote: the total of a sell is rounded up",
    file: BOOK_QUOTES,
    from: "else grams * unit_price / 1000000 end",
    to: "else (grams * unit_price + 999999) / 1000000 end",
    tests: [ROUNDING_TEST],
  },
  {
    name: "quote: buy and sell prices are swapped",
    file: BOOK_QUOTES,
    from: "when 'buy' then current.buy else current.sell",
    to: "when 'buy' then current.sell else current.buy",
    tests: [ROUNDING_TEST],
  },
  {
    name: "quote: the largest allowed order is rejected",
    file: BOOK_QUOTES,
    from: "grams between asked.minimum and asked.maximum",
    to: "grams between asked.minimum and asked.maximum - 1",
    tests: [ROUNDING_TEST],
  },
  {
    name: "quote: a stale price gives quotes",
    file: BOOK_QUOTES,
    from: "if beyond is not true and unpriced then",
    to: "if false then",
    tests: [BOOK_QUOTES_TEST],
  },
  {
    name: "quote: a price becomes stale a second late",
    file: "src/booking/trading/change_price.sql",
    from: "clock >= (given).as_of + make_interval(secs => (given).stale_after_seconds)",
    to: "clock >= (given).as_of + make_interval(secs => (given).stale_after_seconds + 1)",
    tests: [BOOK_QUOTES_TEST],
  },
  {
    name: "quote: price staleness takes precedence over the limits",
    file: BOOK_QUOTES,
    from: "if beyond is not true and unpriced then",
    to: "if unpriced then",
    tests: [BOOK_QUOTES_TEST],
  },
  {
    name: "quote: the grams of an amount above the maximum are reported",
    file: BOOK_QUOTES,
    from: "case when asked.amount <= 1000000000000 then",
    to: "case when asked.amount is not null then",
    tests: [BOOK_QUOTES_TEST],
  },
  {
    name: "quote: a price that was never set does not prevent quotes",
    file: BOOK_QUOTES,
    from: "unpriced := current.one is null or stale;",
    to: "unpriced := stale;",
    tests: [BOOK_QUOTES_TEST],
  },
  {
    name: "quote: the admission version is not compared",
    file: BOOK_QUOTES,
    from: "holder.admission_version = asked.admission);",
    to: "true);",
    tests: [BOOK_QUOTES_TEST],
  },
  {
    name: "quote: the settle parameter is ignored",
    file: BOOK_QUOTES,
    from: "prior_outcome(asked.n, settle,",
    to: "prior_outcome(asked.n, false,",
    tests: [BOOK_QUOTES_TEST],
  },
  {
    name: "quote: idempotency keys of the same batch are not seen",
    file: BOOK_QUOTES,
    from: "if asked.known_body is null and array_position(bound_names, asked.name) is not null then",
    to: "if false then",
    tests: [BATCH_EQUALS_SINGLES_TEST],
  },
  {
    name: "quote: the plan settings are missing",
    file: BOOK_QUOTES,
    from:
      " set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off",
    to: "",
    tests: [MIGRATE_TEST, PLANS_TEST],
  },
  {
    name: "text: SAR amounts lose their last decimal",
    file: QUANTITIES,
    from: "return trim_scale(quantity * unit)::text",
    to: "return trim_scale(round(quantity * unit, 3))::text",
    tests: [ROUNDING_TEST],
  },
  {
    name: "text: instants lose their milliseconds",
    file: QUANTITIES,
    from: 'SS.MS"Z"',
    to: 'SS".000Z"',
    tests: [BOOK_QUOTES_TEST],
  },
  {
    name: "text: a stored refusal loses its status",
    file: PROBLEM_TEXT,
    from: "p.status",
    to: "400",
    tests: [BOOK_ORDERS_TEST, REPLAY_TEST],
  },
];
