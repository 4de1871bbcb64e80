import type { Defect } from "./defect.ts";

const TAKE_TURN = "src/booking/idempotency/take_turn.sql";
const TAKE_TURN_TEST = "src/booking/idempotency/take_turn.pg.test.ts";

export const TURN_DEFECTS: readonly Defect[] = [
  {
    name: "turn: the account is not locked",
    file: TAKE_TURN,
    from: "take_turn.client for no key update;",
    to: "take_turn.client;",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "turn: the clock is read before the lock",
    file: TAKE_TURN,
    from: "clock := clock_timestamp();",
    to: "clock := statement_timestamp();",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "turn: the admission version is not compared",
    file: TAKE_TURN,
    from: "elsif holder.admission_version is distinct from take_turn.admission then",
    to: "elsif false then",
    tests: [TAKE_TURN_TEST],
    short: true,
  },
  {
    name: "turn: a missing admission version is accepted",
    file: TAKE_TURN,
    from: "holder.admission_version is distinct from take_turn.admission",
    to: "holder.admission_version <> take_turn.admission",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "turn: the settle check depends on the admission version",
    file: TAKE_TURN,
    from: "if settle and known.key is not null and (",
    to: "if settle and known.key is not null and holder.admission_version = take_turn.admission and (",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "turn: the settle parameter is ignored",
    file: TAKE_TURN,
    from: "if settle and known.key is not null and (",
    to: "if false and (",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "turn: a retry after a lost connection spends no nonce if the key is known",
    file: TAKE_TURN,
    from: "if settle and known.key is not null and (",
    to: "if settle and known.key is not null and (true or ",
    tests: [TAKE_TURN_TEST],
    short: true,
  },
  {
    name: "turn: a retry after a lost connection is rejected because of its own nonce",
    file: TAKE_TURN,
    from: " and n.request_id = take_turn.request",
    to: " and false",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "turn: spent nonces are not checked",
    file: TAKE_TURN,
    from: "  if exists (select from nonce n where",
    to: "  if false and exists (select from nonce n where",
    tests: [TAKE_TURN_TEST],
    short: true,
  },
  {
    name: "turn: a replay spends no nonce",
    file: TAKE_TURN,
    from: "if take_turn.nonce is not null then",
    to: "if false then",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "turn: a withdrawal spends no nonce",
    file: "src/booking/withdrawal/book_withdrawal.sql",
    from: "  perform spend_nonce(holder, nonce, request);\n",
    to: "",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "turn: the request fingerprint is not compared",
    file: TAKE_TURN,
    from: "answer := settled(1, false, known.fingerprint = take_turn.fingerprint,",
    to: "answer := settled(1, false, true,",
    tests: [TAKE_TURN_TEST],
  },
  {
    name: "turn: the isolation level is not checked",
    file: TAKE_TURN,
    from: "  perform require_read_committed();\n",
    to: "",
    tests: ["src/booking/withdrawal/book_withdrawal.pg.test.ts"],
  },
  {
    name: "nonce: the isolation level is not checked",
    file: "src/booking/nonce/spend_nonces.sql",
    from: "  perform require_read_committed();\n",
    to: "",
    tests: ["src/booking/isolation.pg.test.ts"],
  },
];
