import type { Mutation } from "./mutation.ts";

const CHANGE_PRICE = "src/booking/trading/change_price.sql";
const BOOK_QUOTES = "src/booking/trading/book_quotes.sql";
const BOOK_QUOTES_TEST = "src/booking/trading/book_quotes.pg.test.ts";
const CHANGE_PRICE_TEST = "src/booking/trading/change_price.pg.test.ts";
const MARKET_TEST = "src/booking/trading/market_hours.pg.test.ts";

export const MARKET_MUTATIONS: readonly Mutation[] = [
  {
    name: "market: a closed market gives quotes",
    file: BOOK_QUOTES,
    from: "if shut and beyond is not true then",
    to: "if false then",
    tests: [MARKET_TEST],
    short: true,
  },
  {
    name: "market: market_closed takes precedence over the limits",
    file: BOOK_QUOTES,
    from: "if shut and beyond is not true then",
    to: "if shut then",
    tests: [BOOK_QUOTES_TEST],
  },
  {
    name: "market: the closing time itself counts as open",
    file: CHANGE_PRICE,
    from: "time < s.closes)",
    to: "time <= s.closes)",
    tests: [MARKET_TEST],
  },
  {
    name: "market: the opening time itself counts as closed",
    file: CHANGE_PRICE,
    from: "s.opens <= (at",
    to: "s.opens < (at",
    tests: [MARKET_TEST],
  },
  {
    name: "market: sessions use the weekday in UTC",
    file: CHANGE_PRICE,
    from: "s.day = extract(dow from at at time zone 'Asia/Riyadh')",
    to: "s.day = extract(dow from at at time zone 'UTC')",
    tests: [MARKET_TEST],
  },
  {
    name: "market: old sessions are not deleted",
    file: CHANGE_PRICE,
    from: "  delete from market_session;\n",
    to: "",
    tests: [MARKET_TEST],
  },
  {
    name: "tick: a tick overwrites a price source whose URL was changed in the meantime",
    file: CHANGE_PRICE,
    from:
      "(p.as_of, p.url, p.spread_basis_points) is not distinct from (known_as_of, known_url, known_spread)",
    to: "(p.as_of, p.spread_basis_points) is not distinct from (known_as_of, known_spread)",
    tests: [CHANGE_PRICE_TEST],
  },
  {
    name: "tick: a tick overwrites a spread that was changed in the meantime",
    file: CHANGE_PRICE,
    from:
      "(p.as_of, p.url, p.spread_basis_points) is not distinct from (known_as_of, known_url, known_spread)",
    to: "(p.as_of, p.url) is not distinct from (known_as_of, known_url)",
    tests: [CHANGE_PRICE_TEST],
    short: true,
  },
  {
    name: "tick: a tick overwrites a price that was set in the meantime",
    file: CHANGE_PRICE,
    from:
      "(p.as_of, p.url, p.spread_basis_points) is not distinct from (known_as_of, known_url, known_spread)",
    to: "(p.url, p.spread_basis_points) is not distinct from (known_url, known_spread)",
    tests: [CHANGE_PRICE_TEST],
  },
  {
    name: "tick: a tick changes a fixed price",
    file: CHANGE_PRICE,
    from: "where p.source <> 'fixed' and (",
    to: "where (",
    tests: [CHANGE_PRICE_TEST],
  },
  {
    name: "tick: a tick uses the current spread instead of the spread that it read",
    file: "src/booking/trading/price_ticker.ts",
    from: "${row.spread}::text::int, ${`${next.midPips}`}",
    to: "(select spread_basis_points from gold.current_price), ${`${next.midPips}`}",
    tests: ["src/booking/trading/price_ticker.pg.test.ts"],
  },
];
