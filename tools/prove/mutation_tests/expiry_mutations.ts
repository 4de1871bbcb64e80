import type { Mutation } from "./mutation.ts";

const POST_NOTICES = "src/delivery/expiry/post_expiry_notices.sql";
const NOTICES = "src/delivery/expiry/expiry_notices.ts";
const POST_NOTICES_TEST = "src/delivery/expiry/post_expiry_notices.pg.test.ts";
const NOTICES_TEST = "src/delivery/expiry/expiry_notices.pg.test.ts";

export const EXPIRY_MUTATIONS: readonly Mutation[] = [
  {
    name: "expiry: all notices whose time has come are posted, not only the nearest",
    file: POST_NOTICES,
    from: "select min(days) as days_ahead from unnest",
    to: "select days as days_ahead from unnest",
    tests: [POST_NOTICES_TEST],
    short: true,
  },
  {
    name: "expiry: a notice is posted a moment too late",
    file: POST_NOTICES,
    from: "where c.ends_at <= at + make_interval",
    to: "where c.ends_at < at + make_interval",
    tests: [POST_NOTICES_TEST],
  },
  {
    name: "expiry: a notice is posted for an expired credential",
    file: POST_NOTICES,
    from: "where c.ends_at > at and not exists",
    to: "where not exists",
    tests: [POST_NOTICES_TEST],
  },
  {
    name: "expiry: a notice is posted for a revoked credential",
    file: POST_NOTICES,
    from: " where revoked_at is null\n",
    to: "\n",
    tests: [POST_NOTICES_TEST],
  },
  {
    name: "expiry: no new notice is posted when the expiry changes",
    file: POST_NOTICES,
    from: "      and n.expires_at = c.ends_at and n.days_ahead",
    to: "      and n.days_ahead",
    tests: [POST_NOTICES_TEST],
  },
  {
    name: "expiry: a credential gets only one of the notices of 30, 7 and 1 days",
    file: POST_NOTICES,
    from: " and n.days_ahead = d.days_ahead\n",
    to: "\n",
    tests: [POST_NOTICES_TEST],
  },
  {
    name: "expiry: two concurrent runs do not wait for each other",
    file: POST_NOTICES,
    from: "  order by a.client_id for no key update of a;",
    to: "  order by a.client_id;",
    tests: [POST_NOTICES_TEST],
    short: true,
  },
  {
    name: "expiry: a notice can be dated before the account's newest posting",
    file: POST_NOTICES,
    from: "at := account_instant(holder, ceil_millisecond(clock_timestamp()));",
    to: "at := ceil_millisecond(clock_timestamp());",
    tests: [POST_NOTICES_TEST],
  },
  {
    name: "expiry: the account's event sequence is not updated",
    file: POST_NOTICES,
    from: "    perform take_sequence(holder.client_id, holder.event_sequence + 1, at);\n",
    to: "",
    tests: [POST_NOTICES_TEST],
  },
  {
    name: "expiry: one transaction handles all partners",
    file: POST_NOTICES,
    from: " order by d.client_id limit most);",
    to: " order by d.client_id);",
    tests: [POST_NOTICES_TEST],
  },
  {
    name: "expiry: the isolation level is not checked",
    file: POST_NOTICES,
    from: "  perform require_read_committed();\n",
    to: "",
    tests: [POST_NOTICES_TEST],
  },
  {
    name: "expiry: a run handles only one group of partners",
    file: NOTICES,
    from: "while (!stopping && await postTurn() === CLIENTS_PER_TURN);",
    to: "await postTurn();",
    tests: [NOTICES_TEST],
  },
  {
    name: "expiry: no notices are posted at the start",
    file: NOTICES,
    from: "  void post();\n",
    to: "",
    tests: [NOTICES_TEST],
  },
  {
    name: "expiry: no run follows a failed run",
    file: NOTICES,
    from: "    } finally {\n      isRunning = false;",
    to: "      return;\n    }\n    {\n      isRunning = false;",
    tests: [NOTICES_TEST],
  },
  {
    name: "expiry: stopping waits for the whole backlog",
    file: NOTICES,
    from: "while (!stopping && await",
    to: "while (await",
    tests: [NOTICES_TEST],
  },
  {
    name: "expiry: the hash chain omits the contents of a notice",
    file: "src/booking/outbox/seal_chain.sql",
    from: "case when e.type = 'credential.expiring' then (",
    to: "case when false then (",
    tests: [POST_NOTICES_TEST],
  },
];
