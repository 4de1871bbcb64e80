import type { Defect } from "./defect.ts";

const CHANGE_PRICE = "src/booking/trading/change_price.sql";
const BOOK_QUOTES = "src/booking/trading/book_quotes.sql";
const BOOK_QUOTES_TEST = "src/booking/trading/book_quotes.pg.test.ts";
const CHANGE_PRICE_TEST = "src/booking/trading/change_price.pg.test.ts";
const MARKET_TEST = "src/booking/trading/market_hours.pg.test.ts";

export const MARKET_DEFECTS: readonly Defect[] = [
  {
    name: "market: a closed one quotes",
    file: BOOK_QUOTES,
    from: "if not open and beyond is not true then",
    to: "if false then",
    tests: [MARKET_TEST],
    short: true,
  },
  {
    name: "market: closed before the limits are told",
    file: BOOK_QUOTES,
    from: "if not open and beyond is not true then",
    to: "if not open then",
    tests: [BOOK_QUOTES_TEST],
  },
  {
    name: "market: the last instant counts",
    file: CHANGE_PRICE,
    from: "time < s.closes)",
    to: "time <= s.closes)",
    tests: [MARKET_TEST],
  },
  {
    name: "market: the first instant does not count",
    file: CHANGE_PRICE,
    from: "s.opens <= (at",
    to: "s.opens < (at",
    tests: [MARKET_TEST],
  },
  {
    name: "market: the day of London",
    file: CHANGE_PRICE,
    from: "s.day = extract(dow from at at time zone 'Asia/Riyadh')",
    to: "s.day = extract(dow from at at time zone 'UTC')",
    tests: [MARKET_TEST],
  },
  {
    name: "market: the old sessions stay",
    file: CHANGE_PRICE,
    from: "  delete from market_session;\n",
    to: "",
    tests: [MARKET_TEST],
  },
  {
    name: "tick: another URL was set meanwhile",
    file: CHANGE_PRICE,
    from:
      "(p.as_of, p.url, p.spread_basis_points) is not distinct from (known_as_of, known_url, known_spread)",
    to: "(p.as_of, p.spread_basis_points) is not distinct from (known_as_of, known_spread)",
    tests: [CHANGE_PRICE_TEST],
  },
  {
    name: "tick: another spread was set meanwhile",
    file: CHANGE_PRICE,
    from:
      "(p.as_of, p.url, p.spread_basis_points) is not distinct from (known_as_of, known_url, known_spread)",
    to: "(p.as_of, p.url) is not distinct from (known_as_of, known_url)",
    tests: [CHANGE_PRICE_TEST],
    short: true,
  },
  {
    name: "tick: another price was set meanwhile",
    file: CHANGE_PRICE,
    from:
      "(p.as_of, p.url, p.spread_basis_points) is not distinct from (known_as_of, known_url, known_spread)",
    to: "(p.url, p.spread_basis_points) is not distinct from (known_url, known_spread)",
    tests: [CHANGE_PRICE_TEST],
  },
  {
    name: "tick: a fixed price moves",
    file: CHANGE_PRICE,
    from: "where p.source <> 'fixed' and (",
    to: "where (",
    tests: [CHANGE_PRICE_TEST],
  },
  {
    name: "tick: the ticker knows every spread",
    file: "src/booking/trading/price_ticker.ts",
    from: "${row.spread}::text::int, ${`${next.midPips}`}",
    to: "(select spread_basis_points from gold.current_price), ${`${next.midPips}`}",
    tests: ["src/booking/trading/price_ticker.pg.test.ts"],
  },
];
