import type { Defect } from "./defect.ts";

const ACCOUNT_INSTANT = "src/booking/ledger/account_instant.sql";
const BALANCE_AT = "src/booking/ledger/balance_at.sql";
const BOOK_ORDERS = "src/booking/trading/book_orders.sql";
const BOOK_QUOTES = "src/booking/trading/book_quotes.sql";
const CLOCK_TESTS = ["src/booking/ledger/account_instant.pg.test.ts"];

export const CLOCK_DEFECTS: readonly Defect[] = [
  {
    name: "clock: a posting may have an instant for which a balance was answered",
    file: ACCOUNT_INSTANT,
    from: "gold.closed_end(holder, present) + interval '1 millisecond')",
    to: "gold.closed_end(holder, present))",
    tests: CLOCK_TESTS,
    short: true,
  },
  {
    name: "clock: a balance that was read before a large step back stops the account",
    file: ACCOUNT_INSTANT,
    from: "when (holder).closed_until <= greatest(present, (holder).last_posted_at) + gold.clock_tolerance()",
    to: "when true",
    tests: CLOCK_TESTS,
  },
  {
    name: "clock: a balance is read and the past stays open",
    file: BALANCE_AT,
    from: "perform close_past(balance_now.client, present);",
    to: "null;",
    tests: CLOCK_TESTS,
    short: true,
  },
  {
    name: "clock: an order is judged by the clock alone",
    file: BOOK_ORDERS,
    from: "asked.expires_at <= clock or asked.expires_at < instant",
    to: "asked.expires_at <= clock",
    tests: CLOCK_TESTS,
    short: true,
  },
  {
    name: "clock: orders go on while it is far behind",
    file: BOOK_ORDERS,
    from: "if greatest(holder.last_posted_at, asked.quoted_at) > horizon and asked.known_body is null then",
    to: "if false then",
    tests: CLOCK_TESTS,
    short: true,
  },
  {
    name: "clock: a quote from before a step back executes",
    file: BOOK_ORDERS,
    from: "if greatest(holder.last_posted_at, asked.quoted_at) > horizon and",
    to: "if holder.last_posted_at > horizon and",
    tests: CLOCK_TESTS,
  },
  {
    name: "clock: a retry of what was answered is refused while it is far behind",
    file: BOOK_ORDERS,
    from: "if greatest(holder.last_posted_at, asked.quoted_at) > horizon and asked.known_body is null then",
    to: "if greatest(holder.last_posted_at, asked.quoted_at) > horizon then",
    tests: CLOCK_TESTS,
  },
  {
    name: "clock: quotes go on while it is far behind",
    file: BOOK_QUOTES,
    from: "if holder.last_posted_at > horizon then",
    to: "if false then",
    tests: CLOCK_TESTS,
  },
  {
    name: "clock: a quote takes its instants from the clock alone",
    file: BOOK_QUOTES,
    from: "made_at := account_instant(holder, present);",
    to: "made_at := present;",
    tests: CLOCK_TESTS,
  },
  {
    name: "clock: a read calls a quote open that no order can execute",
    file: "src/reads/find_record.sql",
    from: " and given.expires_at >= account_instant(holder, ceil_millisecond(clock))",
    to: "",
    tests: CLOCK_TESTS,
  },
  {
    name: "clock: a price from before the step back is fresh",
    file: "src/booking/trading/change_price.sql",
    from: "or (given).as_of > clock + gold.clock_tolerance()",
    to: "or false",
    tests: CLOCK_TESTS,
  },
];
