import type { Mutation } from "./mutation.ts";

const TAKE_TURN = "src/booking/idempotency/take_turn.sql";
const TAKE_TURN_TEST = "src/booking/idempotency/take_turn.pg.test.ts";

export const TURN_MUTATIONS: readonly Mutation[] = [
  {
    name: "take_turn: a write does not wait for a locked account",
    file: TAKE_TURN,
    from: "lock_accounts(array[take_turn.client], true)",
    to: "lock_accounts(array[take_turn.client], false)",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "take_turn: the clock is read before the lock",
    file: TAKE_TURN,
    from: "clock := clock_timestamp();",
    to: "clock := statement_timestamp();",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "take_turn: the admission version is not compared",
    file: TAKE_TURN,
    from: "holder.admission_version = take_turn.admission);",
    to: "true);",
    tests: [TAKE_TURN_TEST],
    short: true,
  },
  {
    name: "take_turn: a missing admission version is accepted",
    file: "src/booking/idempotency/outcome.sql",
    from: "when is_admitted is not true then",
    to: "when not is_admitted then",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "take_turn: the settle parameter is ignored",
    file: TAKE_TURN,
    from: "prior_outcome(1, settle,",
    to: "prior_outcome(1, false,",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "take_turn: spent nonces are not checked",
    file: TAKE_TURN,
    from: "  if is_spent then",
    to: "  if false then",
    tests: [TAKE_TURN_TEST],
    short: true,
  },
  {
    name: "take_turn: a replay spends no nonce",
    file: TAKE_TURN,
    from: "if take_turn.nonce is not null then",
    to: "if false then",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "take_turn: a withdrawal spends no nonce",
    file: "src/booking/withdrawal/book_withdrawal.sql",
    from: "  perform spend_nonce(holder, nonce, request);\n",
    to: "",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "take_turn: the request fingerprint is not compared",
    file: TAKE_TURN,
    from: "answer := settled(1, false, known.fingerprint = take_turn.fingerprint,",
    to: "answer := settled(1, false, true,",
    tests: [TAKE_TURN_TEST],
  },
];
