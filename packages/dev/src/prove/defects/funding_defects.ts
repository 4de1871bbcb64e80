import type { Defect } from "./defect.ts";

const BOOK_FUNDING = "src/booking/funding/book_funding.sql";
const BOOK_FUNDING_TEST = "src/booking/funding/book_funding.pg.test.ts";

export const FUNDING_DEFECTS: readonly Defect[] = [
  {
    name: "funding: the account is not locked",
    file: BOOK_FUNDING,
    from: "book_funding.client for no key update;",
    to: "book_funding.client;",
    tests: [BOOK_FUNDING_TEST],
  },
  {
    name: "funding: the admission is not compared",
    file: BOOK_FUNDING,
    from: "elsif holder.admission_version <> book_funding.admission then",
    to: "elsif false then",
    tests: [BOOK_FUNDING_TEST],
  },
  {
    name: "funding: the balance is not bounded",
    file: BOOK_FUNDING,
    from: "or holder.sar_available + holder.sar_held + book_funding.amount > 99999999999999",
    to: "",
    tests: [BOOK_FUNDING_TEST],
  },
  {
    name: "funding: held money does not count",
    file: BOOK_FUNDING,
    from: "holder.sar_available + holder.sar_held + book_funding.amount >",
    to: "holder.sar_available + book_funding.amount >",
    tests: [BOOK_FUNDING_TEST],
  },
  {
    name: "funding: the amount is not bounded",
    file: BOOK_FUNDING,
    from: "book_funding.amount > book_funding.maximum or ",
    to: "",
    tests: [BOOK_FUNDING_TEST],
    short: true,
  },
  {
    name: "funding: production makes money",
    file: BOOK_FUNDING,
    from: "if not exists (select from deployment d where d.environment = 'sandbox') then",
    to: "if false then",
    tests: [BOOK_FUNDING_TEST],
    short: true,
  },
];
