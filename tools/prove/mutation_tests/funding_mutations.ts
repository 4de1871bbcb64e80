import type { Mutation } from "./mutation.ts";

const BOOK_FUNDING = "src/booking/funding/book_funding.sql";
const BOOK_FUNDING_TEST = "src/booking/funding/book_funding.pg.test.ts";

export const FUNDING_MUTATIONS: readonly Mutation[] = [
  {
    name: "funding: the balance has no upper limit",
    file: BOOK_FUNDING,
    from: "return (holder).sar_available + (holder).sar_held + amount <= 99999999999999;",
    to: "return true;",
    tests: [BOOK_FUNDING_TEST],
  },
  {
    name: "funding: held money does not count towards the balance limit",
    file: BOOK_FUNDING,
    from: "(holder).sar_available + (holder).sar_held + amount <=",
    to: "(holder).sar_available + amount <=",
    tests: [BOOK_FUNDING_TEST],
  },
  {
    name: "funding: the amount has no upper limit",
    file: BOOK_FUNDING,
    from: "amount > maximum or ",
    to: "",
    tests: [BOOK_FUNDING_TEST],
    short: true,
  },
  {
    name: "funding: production accepts sandbox funding",
    file: BOOK_FUNDING,
    from: "if not exists (select from deployment d where d.environment = 'sandbox') then",
    to: "if false then",
    tests: [BOOK_FUNDING_TEST],
    short: true,
  },
];
