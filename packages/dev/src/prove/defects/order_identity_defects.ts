import type { Defect } from "./defect.ts";

const BOOK_ORDERS = "src/booking/trading/book_orders.sql";
const SPEND_NONCE = "src/booking/nonce/spend_nonce.sql";
const BOOK_ORDERS_TEST = "src/booking/trading/book_orders.pg.test.ts";
const BATCH_EQUALS_SINGLES_TEST = "src/booking/trading/batch_equals_singles.pg.test.ts";
const REPLAY_TEST = "src/booking/idempotency/replay.pg.test.ts";
const LOCKS_TEST = "src/booking/trading/locks.pg.test.ts";
const SPEND_NONCE_TEST = "src/booking/nonce/spend_nonce.pg.test.ts";

export const ORDER_IDENTITY_DEFECTS: readonly Defect[] = [
  {
    name: "order: nonces are not spent",
    file: BOOK_ORDERS,
    from: "array_position(fresh, asked.nonce) is null",
    to: "false",
    tests: [REPLAY_TEST],
    short: true,
  },
  {
    name: "order: a nonce serves twice within a batch",
    file: BOOK_ORDERS,
    from: "    fresh[array_position(fresh, asked.nonce)] := null;\n",
    to: "",
    tests: [BATCH_EQUALS_SINGLES_TEST],
  },
  {
    name: "order: a changed admission spends its nonce",
    file: BOOK_ORDERS,
    from: "    where versions[array_position(locked, i.client)] = i.admission\n",
    to: "",
    tests: [BOOK_ORDERS_TEST],
  },
  {
    name: "order: the admission is not compared",
    file: BOOK_ORDERS,
    from: "elsif versions[at] <> asked.admission then",
    to: "elsif false then",
    tests: [BOOK_ORDERS_TEST],
    short: true,
  },
  {
    name: "order: keys bound in the same batch are not seen",
    file: BOOK_ORDERS,
    from: "if asked.known_body is null and array_position(bound_names, asked.name) is not null then",
    to: "if false then",
    tests: [BATCH_EQUALS_SINGLES_TEST],
  },
  {
    name: "order: the fingerprint is not compared",
    file: BOOK_ORDERS,
    from: "return next settled(asked.n, false, asked.known_fingerprint = asked.fingerprint,",
    to: "return next settled(asked.n, false, true,",
    tests: [REPLAY_TEST],
    short: true,
  },
  {
    name: "order: settle is ignored",
    file: BOOK_ORDERS,
    from: "elsif settle and asked.known_body is not null then",
    to: "elsif false then",
    tests: [BOOK_ORDERS_TEST, REPLAY_TEST],
  },
  {
    name: "order: settle looks after the admission",
    file: BOOK_ORDERS,
    from: "elsif settle and asked.known_body is not null then",
    to: "elsif settle and asked.known_body is not null and versions[at] = asked.admission then",
    tests: [REPLAY_TEST],
  },
  {
    name: "order: a quote executes twice within a batch",
    file: BOOK_ORDERS,
    from: "asked.executed or array_position(executed_names, asked.client || ' ' || asked.quote) is not null",
    to: "asked.executed",
    tests: [BATCH_EQUALS_SINGLES_TEST],
  },
  {
    name: "order: a quote that was executed is forgotten",
    file: BOOK_ORDERS,
    from: "asked.executed or array_position",
    to: "array_position",
    tests: [BOOK_ORDERS_TEST],
    short: true,
  },
  {
    name: "order: a foreign quote is taken",
    file: BOOK_ORDERS,
    from: "left join quote q on q.bucket = i.client % 64 and q.client_id = i.client and q.id = i.quote",
    to: "left join quote q on q.id = i.quote",
    tests: [BOOK_ORDERS_TEST],
  },
  {
    name: "order: keys are one for all clients",
    file: BOOK_ORDERS,
    from:
      "left join idempotency_key k on k.bucket = i.client % 64 and k.client_id = i.client and k.key = i.key",
    to: "left join idempotency_key k on k.key = i.key",
    tests: [BOOK_ORDERS_TEST, REPLAY_TEST, LOCKS_TEST],
    short: true,
  },
  {
    name: "order: a refusal binds no key",
    file: BOOK_ORDERS,
    from: "    bound := bound || answer;\n    bound_names := bound_names || asked.name;\n",
    to:
      "    if refusal is null then bound := bound || answer; bound_names := bound_names || asked.name; end if;\n",
    tests: [REPLAY_TEST],
    short: true,
  },
  {
    name: "nonce: the account is not locked",
    file: SPEND_NONCE,
    from: "spend_nonce.client for no key update;",
    to: "spend_nonce.client;",
    tests: [SPEND_NONCE_TEST],
  },
  {
    name: "nonce: always fresh",
    file: SPEND_NONCE,
    from: "case when found then 'answered' else 'nonce_reused' end",
    to: "'answered'",
    tests: [SPEND_NONCE_TEST],
    short: true,
  },
  {
    name: "nonce: the admission is not compared",
    file: SPEND_NONCE,
    from: "if version <> spend_nonce.admission then",
    to: "if false then",
    tests: [SPEND_NONCE_TEST],
  },
];
