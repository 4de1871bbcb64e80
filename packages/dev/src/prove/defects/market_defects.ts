import type { Defect } from "./defect.ts";

const CHANGE_PRICE = "src/booking/trading/change_price.sql";
const BOOK_QUOTES = "src/booking/trading/book_quotes.sql";
const MARKET_TEST = "src/booking/trading/market_hours.pg.test.ts";

export const MARKET_DEFECTS: readonly Defect[] = [
  {
    name: "market: a closed one quotes",
    file: BOOK_QUOTES,
    from: "if not open then",
    to: "if false then",
    tests: [MARKET_TEST],
    short: true,
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
];
