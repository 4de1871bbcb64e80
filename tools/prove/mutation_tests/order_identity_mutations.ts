import type { Mutation } from "./mutation.ts";

const BOOK_ORDERS = "src/booking/trading/book_orders.sql";
const OUTCOME = "src/booking/idempotency/outcome.sql";
const SPEND_NONCE = "src/booking/nonce/spend_nonces.sql";
const BOOK_ORDERS_TEST = "src/booking/trading/book_orders.pg.test.ts";
const BATCH_EQUALS_SINGLES_TEST = "src/booking/trading/batch_equals_singles.pg.test.ts";
const REPLAY_TEST = "src/booking/idempotency/replay.pg.test.ts";
const LOCKS_TEST = "src/booking/trading/locks.pg.test.ts";
const SPEND_NONCE_TEST = "src/booking/nonce/spend_nonces.pg.test.ts";

export const ORDER_IDENTITY_MUTATIONS: readonly Mutation[] = [
  {
    name: "order: nonces are not spent",
    file: BOOK_ORDERS,
    from: "if asked.spent then",
    to: "if false then",
    tests: [REPLAY_TEST],
    short: true,
  },
  {
    name: "order: a nonce can be used twice within a batch",
    file: BOOK_ORDERS,
    from: "      asked.spent := asked.spent or asked.client || ' ' || asked.nonce = any (spent_names);\n",
    to: "",
    tests: [BATCH_EQUALS_SINGLES_TEST],
  },
  {
    name: "order: a request with a changed admission version spends its nonce",
    file: BOOK_ORDERS,
    from: "if early.outcome is not null then\n",
    to:
      "if early.outcome is not null then\n      spent := spent || row(holder.bucket, asked.client, asked.nonce, asked.request)::nonce;\n",
    tests: [BOOK_ORDERS_TEST],
  },
  {
    name: "order: the admission version is not compared",
    file: BOOK_ORDERS,
    from: "holder.admission_version = asked.admission);",
    to: "true);",
    tests: [BOOK_ORDERS_TEST],
    short: true,
  },
  {
    name: "order: idempotency keys of the same batch are not seen",
    file: BOOK_ORDERS,
    from: "if earlier is not null then",
    to: "if false then",
    tests: [BATCH_EQUALS_SINGLES_TEST],
  },
  {
    name: "order: the request fingerprint is not compared",
    file: BOOK_ORDERS,
    from: "return next settled(asked.n, false, asked.known_fingerprint = asked.fingerprint,",
    to: "return next settled(asked.n, false, true,",
    tests: [REPLAY_TEST],
    short: true,
  },
  {
    name: "order: the settle parameter is ignored",
    file: BOOK_ORDERS,
    from: "prior_outcome(asked.n, settle,",
    to: "prior_outcome(asked.n, false,",
    tests: [BOOK_ORDERS_TEST, REPLAY_TEST],
  },
  {
    name: "settle: a retry after a lost connection spends no nonce if the key is known",
    file: OUTCOME,
    from: "(known_request = request or spent_by = request)",
    to: "body is not null",
    tests: [REPLAY_TEST],
    short: true,
  },
  {
    name: "settle: a retry after a lost connection is rejected because of its own nonce",
    file: OUTCOME,
    from: "(known_request = request or spent_by = request)",
    to: "known_request = request",
    tests: [REPLAY_TEST],
  },
  {
    name: "settle: the result depends on the admission version",
    file: OUTCOME,
    from: "when settle and (",
    to: "when settle and is_admitted and (",
    tests: [REPLAY_TEST],
  },
  {
    name: "order: a quote can execute twice within a batch",
    file: BOOK_ORDERS,
    from:
      "      asked.executed := asked.executed or asked.client || ' ' || asked.quote = any (executed_names);\n",
    to: "",
    tests: [BATCH_EQUALS_SINGLES_TEST],
  },
  {
    name: "order: a batch assumes that each client occurs once",
    file: BOOK_ORDERS,
    from: "crowded := cardinality(locked) < cardinality(clients);",
    to: "crowded := false;",
    tests: [BATCH_EQUALS_SINGLES_TEST],
  },
  {
    name: "order: an executed quote can execute again",
    file: BOOK_ORDERS,
    from: "o.id is not null as executed",
    to: "false as executed",
    tests: [BOOK_ORDERS_TEST],
    short: true,
  },
  {
    name: "order: another partner's quote is accepted",
    file: BOOK_ORDERS,
    from: "from quote q where q.bucket = i.client % 64 and q.client_id = i.client and q.id = i.quote",
    to: "from quote q where q.id = i.quote",
    tests: [BOOK_ORDERS_TEST],
  },
  {
    name: "order: idempotency keys are shared by all clients",
    file: BOOK_ORDERS,
    from:
      "from idempotency_key k where k.bucket = i.client % 64 and k.client_id = i.client and k.key = i.key",
    to: "from idempotency_key k where k.key = i.key",
    tests: [BOOK_ORDERS_TEST, REPLAY_TEST, LOCKS_TEST],
    short: true,
  },
  {
    name: "order: a refusal does not store the idempotency key",
    file: BOOK_ORDERS,
    from: "    bound := bound || answer;\n",
    to: "    if refusal is null then bound := bound || answer; end if;\n",
    tests: [REPLAY_TEST],
    short: true,
  },
  {
    name: "nonce: every nonce counts as unused",
    file: SPEND_NONCE,
    from: "else 'nonce_reused'",
    to: "else 'answered'",
    tests: [SPEND_NONCE_TEST],
    short: true,
  },
  {
    name: "nonce: the admission version is not compared",
    file: SPEND_NONCE,
    from: "where versions[array_position(locked, i.client)] = i.admission",
    to: "where array_position(locked, i.client) is not null",
    tests: [SPEND_NONCE_TEST],
  },
  {
    name: "nonce: any request with a spent nonce counts as the request that spent it",
    file: SPEND_NONCE,
    from: "when s.request_id = i.request then 'answered'",
    to: "when s.request_id is not null then 'answered'",
    tests: [SPEND_NONCE_TEST],
    short: true,
  },
  {
    name: "nonce: a batch with one unused nonce counts as wholly unused",
    file: SPEND_NONCE,
    from: "if spent = cardinality(nonces) then",
    to: "if spent > 0 then",
    tests: [SPEND_NONCE_TEST],
    short: true,
  },
  {
    name: "nonce: a batch waits for a locked account",
    file: SPEND_NONCE,
    from: "lock_accounts(clients, wait)",
    to: "lock_accounts(clients, true)",
    tests: [SPEND_NONCE_TEST],
  },
];
