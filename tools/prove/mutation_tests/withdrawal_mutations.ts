import type { Mutation } from "./mutation.ts";

const BOOK_WITHDRAWAL = "src/booking/withdrawal/book_withdrawal.sql";
const BOOK_WITHDRAWAL_TEST = "src/booking/withdrawal/book_withdrawal.pg.test.ts";
const STEPS_TEST = "src/booking/withdrawal/advance_withdrawal.pg.test.ts";
const TAKE_TURN_TEST = "src/booking/idempotency/take_turn.pg.test.ts";

export const WITHDRAWAL_MUTATIONS: readonly Mutation[] = [
  {
    name: "withdrawal: funds are not checked",
    file: BOOK_WITHDRAWAL,
    from: "elsif holder.sar_available < amount then",
    to: "elsif false then",
    tests: [BOOK_WITHDRAWAL_TEST],
    short: true,
  },
  {
    name: "withdrawal: funds equal to the amount are rejected",
    file: BOOK_WITHDRAWAL,
    from: "holder.sar_available < amount",
    to: "holder.sar_available <= amount",
    tests: [BOOK_WITHDRAWAL_TEST],
  },
  {
    name: "withdrawal: the amount has no upper limit",
    file: BOOK_WITHDRAWAL,
    from: "if amount > maximum then",
    to: "if false then",
    tests: [BOOK_WITHDRAWAL_TEST],
  },
  {
    name: "withdrawal: a reference that is in use is accepted again",
    file: BOOK_WITHDRAWAL,
    from: "elsif doubled is not null then",
    to: "elsif false then",
    tests: [BOOK_WITHDRAWAL_TEST],
  },
  {
    name: "withdrawal: references are shared by all clients",
    file: BOOK_WITHDRAWAL,
    from: "w.reference = reference and w.client_id = client",
    to: "w.reference = reference",
    tests: [BOOK_WITHDRAWAL_TEST],
  },
  {
    name: "withdrawal: the reference of a returned withdrawal stays in use",
    file: BOOK_WITHDRAWAL,
    from: "s.status in ('rejected', 'returned')",
    to: "s.status in ('rejected')",
    tests: [STEPS_TEST],
  },
  {
    name: "withdrawal: the reference of a paid withdrawal can be used again",
    file: BOOK_WITHDRAWAL,
    from: "s.status in ('rejected', 'returned')",
    to: "s.status in ('rejected', 'returned', 'paid')",
    tests: [STEPS_TEST],
  },
  {
    name: "withdrawal: a withdrawal without a nonce is accepted",
    file: BOOK_WITHDRAWAL,
    from: "if nonce is null then",
    to: "if false then",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "withdrawal: the whole IBAN is shown",
    file: BOOK_WITHDRAWAL,
    from: "return substr(iban, 1, 4) || repeat('*', length(iban) - 8) || right(iban, 4)",
    to: "return iban",
    tests: [BOOK_WITHDRAWAL_TEST],
  },
  {
    name: "withdrawal: no event is written",
    file: BOOK_WITHDRAWAL,
    from:
      "  perform post_event(client, holder.event_sequence + 1, id, id, at, 'withdrawal.created', case when signed_request is null then 1 else 2 end);\n",
    to: "",
    tests: [BOOK_WITHDRAWAL_TEST],
  },
];
