import type { Mutation } from "./mutation.ts";

const BOOK_ORDERS = "src/booking/trading/book_orders.sql";
const LOCK_ACCOUNTS = "src/booking/ledger/lock_accounts.sql";
const ISOLATION_TEST = "src/booking/isolation.pg.test.ts";
const STRIPES_TEST = "src/booking/ledger/stripes.pg.test.ts";
const BOOK_ORDERS_TEST = "src/booking/trading/book_orders.pg.test.ts";
const LOCKS_TEST = "src/booking/trading/locks.pg.test.ts";
const EXPIRY_TEST = "src/booking/trading/expiry.pg.test.ts";
const CHANGE_VAULT_TEST = "src/booking/ledger/change_vault.pg.test.ts";
const BATCH_EQUALS_SINGLES_TEST = "src/booking/trading/batch_equals_singles.pg.test.ts";
const REPLAY_TEST = "src/booking/idempotency/replay.pg.test.ts";
const PLANS_TEST = "src/booking/trading/plans.pg.test.ts";
const MIGRATE_TEST = "src/database/migrate.pg.test.ts";

export const ORDER_MUTATIONS: readonly Mutation[] = [
  {
    name: "lock: the isolation level is not checked",
    file: LOCK_ACCOUNTS,
    from: "  perform require_read_committed();\n",
    to: "",
    tests: [ISOLATION_TEST],
    short: true,
  },
  {
    name: "lock: accounts are not locked",
    file: LOCK_ACCOUNTS,
    from: " for no key update of a\n",
    to: " \n",
    tests: [LOCKS_TEST],
    short: true,
  },
  {
    name: "lock: skip locked is missing",
    file: LOCK_ACCOUNTS,
    from: "for no key update of a skip locked",
    to: "for no key update of a",
    tests: [LOCKS_TEST],
  },
  {
    name: "lock: accounts are locked in the order of the requests",
    file: LOCK_ACCOUNTS,
    from: "      order by a.client_id for no key update of a\n",
    to: "      order by array_position(clients, a.client_id) for no key update of a\n",
    tests: [LOCKS_TEST],
    short: true,
  },
  {
    name: "order: the clock is read before the locks",
    file: BOOK_ORDERS,
    from: "  clock := clock_timestamp();\n",
    to: "  clock := statement_timestamp();\n",
    tests: [EXPIRY_TEST],
  },
  {
    name: "order: quotes expire a tenth of a second late",
    file: BOOK_ORDERS,
    from: "asked.expires_at <= clock or asked.expires_at < instant",
    to: "asked.expires_at < clock - interval '100 milliseconds'",
    tests: [EXPIRY_TEST],
  },
  {
    name: "order: a quote's expiry is not checked",
    file: BOOK_ORDERS,
    from: "elsif asked.expires_at <= clock or asked.expires_at < instant then",
    to: "elsif false then",
    tests: [EXPIRY_TEST],
    short: true,
  },
  {
    name: "order: funds are not checked",
    file: BOOK_ORDERS,
    from: "holder.sar_available < asked.total",
    to: "false",
    tests: [BOOK_ORDERS_TEST],
    short: true,
  },
  {
    name: "order: funds equal to the total are rejected",
    file: BOOK_ORDERS,
    from: "holder.sar_available < asked.total",
    to: "holder.sar_available <= asked.total",
    tests: [BOOK_ORDERS_TEST],
  },
  {
    name: "order: gold is not checked",
    file: BOOK_ORDERS,
    from: "holder.gold < asked.grams",
    to: "false",
    tests: [BOOK_ORDERS_TEST],
  },
  {
    name: "order: gold equal to the sold quantity is rejected",
    file: BOOK_ORDERS,
    from: "holder.gold < asked.grams",
    to: "holder.gold <= asked.grams",
    tests: [BOOK_ORDERS_TEST],
  },
  {
    name: "order: inventory is not checked",
    file: BOOK_ORDERS,
    from: "asked.side = 'buy' and (free < asked.grams or is_short)",
    to: "false",
    tests: [BOOK_ORDERS_TEST],
  },
  {
    name: "order: inventory equal to the bought quantity is rejected",
    file: BOOK_ORDERS,
    from: "(free < asked.grams or",
    to: "(free <= asked.grams or",
    tests: [BOOK_ORDERS_TEST],
    short: true,
  },
  {
    name: "order: the vault is not locked",
    file: BOOK_ORDERS,
    from: "limit 1 for no key update skip locked;",
    to: "limit 1;",
    tests: [CHANGE_VAULT_TEST, STRIPES_TEST],
  },
  {
    name: "order: a sale does not free gold for the next purchase in the batch",
    file: BOOK_ORDERS,
    from: "        free := free + asked.grams;\n",
    to: "",
    tests: [BATCH_EQUALS_SINGLES_TEST],
  },
  {
    name: "order: the response shows the balances from before the order",
    file: BOOK_ORDERS,
    from: "balances_text(holder.sar_available, holder.sar_held,",
    to: "balances_text(holder.sar_available + asked.total, holder.sar_held,",
    tests: [BOOK_ORDERS_TEST],
  },
  {
    name: "order: executed_at may be earlier than the account's newest posting",
    file: BOOK_ORDERS,
    from: "instant := greatest(account_instant(holder, present), asked.quoted_at);",
    to: "instant := present;",
    tests: [BOOK_ORDERS_TEST],
  },
  {
    name: "order: no event is written",
    file: BOOK_ORDERS,
    from: "'order.executed', line from booked",
    to: "'order.executed', line from booked where false",
    tests: [BOOK_ORDERS_TEST, REPLAY_TEST],
  },
  {
    name: "order: the plan settings are missing",
    file: BOOK_ORDERS,
    from:
      " set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off",
    to: "",
    tests: [PLANS_TEST, MIGRATE_TEST],
  },
  {
    name: "order: JIT stays on",
    file: BOOK_ORDERS,
    from: " set jit = off",
    to: "",
    tests: [MIGRATE_TEST],
  },
  {
    name: "order: the instant is rounded down",
    file: BOOK_ORDERS,
    from: "present := ceil_millisecond(clock);",
    to: "present := date_trunc('milliseconds', clock);",
    tests: [BOOK_ORDERS_TEST, REPLAY_TEST, EXPIRY_TEST],
  },
];
