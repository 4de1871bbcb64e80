import type { Mutation } from "./mutation.ts";

const ACCOUNT_INSTANT = "src/booking/ledger/account_instant.sql";
const BALANCE_AT = "src/booking/ledger/balance_at.sql";
const BOOK_ORDERS = "src/booking/trading/book_orders.sql";
const BOOK_QUOTES = "src/booking/trading/book_quotes.sql";
const CLOCK_TESTS = ["src/booking/ledger/account_instant.pg.test.ts"];

export const CLOCK_MUTATIONS: readonly Mutation[] = [
  {
    name: "clock: a posting can get an instant for which a balance was already read",
    file: ACCOUNT_INSTANT,
    from: "gold.closed_end(holder, present) + interval '1 millisecond')",
    to: "gold.closed_end(holder, present))",
    tests: CLOCK_TESTS,
    short: true,
  },
  {
    name: "clock: after a large step back of the clock, an earlier balance read blocks the account",
    file: ACCOUNT_INSTANT,
    from: "when (holder).closed_until <= greatest(present, (holder).last_posted_at) + gold.clock_tolerance()",
    to: "when true",
    tests: CLOCK_TESTS,
  },
  {
    name: "clock: reading a balance does not close the past for postings",
    file: BALANCE_AT,
    from: "perform close_past(balance_now.client, present);",
    to: "null;",
    tests: CLOCK_TESTS,
    short: true,
  },
  {
    name: "clock: an order checks a quote's expiry only against the clock",
    file: BOOK_ORDERS,
    from: "asked.expires_at <= clock or asked.expires_at < instant",
    to: "asked.expires_at <= clock",
    tests: CLOCK_TESTS,
    short: true,
  },
  {
    name: "clock: orders execute while the clock is far behind",
    file: BOOK_ORDERS,
    from: "if greatest(holder.last_posted_at, asked.quoted_at) > horizon and asked.known_body is null then",
    to: "if false then",
    tests: CLOCK_TESTS,
    short: true,
  },
  {
    name: "clock: a quote from before a step back of the clock executes",
    file: BOOK_ORDERS,
    from: "if greatest(holder.last_posted_at, asked.quoted_at) > horizon and",
    to: "if holder.last_posted_at > horizon and",
    tests: CLOCK_TESTS,
  },
  {
    name: "clock: a retry of a completed request is rejected while the clock is far behind",
    file: BOOK_ORDERS,
    from: "if greatest(holder.last_posted_at, asked.quoted_at) > horizon and asked.known_body is null then",
    to: "if greatest(holder.last_posted_at, asked.quoted_at) > horizon then",
    tests: CLOCK_TESTS,
  },
  {
    name: "clock: quotes are made while the clock is far behind",
    file: BOOK_QUOTES,
    from: "if holder.last_posted_at > horizon then",
    to: "if false then",
    tests: CLOCK_TESTS,
  },
  {
    name: "clock: a quote takes its instants only from the clock",
    file: BOOK_QUOTES,
    from: "made_at := account_instant(holder, present);",
    to: "made_at := present;",
    tests: CLOCK_TESTS,
  },
  {
    name: "clock: a read reports a quote as open although no order can execute it",
    file: "src/reads/find_record.sql",
    from: " and given.expires_at >= account_instant(holder, ceil_millisecond(clock))",
    to: "",
    tests: CLOCK_TESTS,
  },
  {
    name: "clock: a price from before a step back of the clock counts as fresh",
    file: "src/booking/trading/change_price.sql",
    from: "or (given).as_of > clock + gold.clock_tolerance()",
    to: "or false",
    tests: CLOCK_TESTS,
  },
];
