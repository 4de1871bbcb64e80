import type { Mutation } from "./mutation.ts";

const LIST = "src/reads/list_records.sql";
const FIND = "src/reads/find_record.sql";
const TEXT = "src/reads/record_text.sql";
const STATEMENT = "src/reads/read_statement.sql";
const BALANCE_AT = "src/booking/ledger/balance_at.sql";
const LISTS_TEST = "src/routes/lists.pg.test.ts";
const RECORDS_TEST = "src/routes/records.pg.test.ts";
const QUOTES_TEST = "src/routes/quotes.pg.test.ts";
const STATEMENT_TEST = "src/routes/statement.pg.test.ts";
const BALANCE_AT_TEST = "src/reads/balance_at.pg.test.ts";
const BALANCES_TEST = "src/routes/balances.pg.test.ts";
const ISOLATION_TEST = "src/booking/isolation.pg.test.ts";
const CURSOR_TEST = "src/reads/cursor.test.ts";

export const READ_MUTATIONS: readonly Mutation[] = [
  {
    name: "list: records at created_before itself are included",
    file: LIST,
    from: "sequence_at(client, created_before - interval '1 millisecond') + 1",
    to: "sequence_at(client, created_before) + 1",
    tests: [LISTS_TEST],
    short: true,
  },
  {
    name: "list: a page starts with the last record of the previous page",
    file: LIST,
    from: "below := coalesce(least(next_below,",
    to: "below := coalesce(least(next_below + 1,",
    tests: [LISTS_TEST, "src/routes/walk.pg.test.ts"],
  },
  {
    name: "list: an idempotency key finds results of any kind",
    file: LIST,
    from: "k.key = result_of.key and k.result_kind = result_of.kind",
    to: "k.key = result_of.key",
    tests: [LISTS_TEST],
  },
  {
    name: "cursor: another partner's cursor is accepted",
    file: "src/reads/cursor.ts",
    from: "return hostBytes.base64url(hostBytes.utf8(`${list}.${clientId}.${sequence}`));",
    to: "return hostBytes.base64url(hostBytes.utf8(`${list}.${clientId.length}.${sequence}`));",
    tests: [CURSOR_TEST],
  },
  {
    name: "quote: an executed quote is reported as expired",
    file: FIND,
    from: "return quote_text(given, 'executed');",
    to: "return quote_text(given, 'expired');",
    tests: [QUOTES_TEST],
  },
  {
    name: "quote: a read does not wait for an order that is being written",
    file: FIND,
    from: "for round in 1..2 loop",
    to: "for round in 1..1 loop",
    tests: [QUOTES_TEST],
  },
  {
    name: "quote: a read does not lock the account of an order that is being written",
    file: "src/booking/ledger/lock_accounts.sql",
    from: "a.client_id = client for share;",
    to: "a.client_id = client;",
    tests: [QUOTES_TEST],
  },
  {
    name: "order: another partner's order is returned",
    file: FIND,
    from: "o.bucket = client % 64 and o.client_id = client and o.id = find_order.id",
    to: "o.id = find_order.id",
    tests: [RECORDS_TEST],
    short: true,
  },
  {
    name: "withdrawal: an event shows a later step",
    file: TEXT,
    from: "and s.sequence <= coalesce(as_of, s.sequence)",
    to: "",
    tests: [RECORDS_TEST],
  },
  {
    name: "balance at an instant: a read does not wait for a posting that is being written",
    file: BALANCE_AT,
    from: "perform close_past(balance_at.client, balance_at.at);",
    to: "null;",
    tests: [BALANCE_AT_TEST],
    short: true,
  },
  {
    name: "balance at an instant: postings at that instant are omitted",
    file: BALANCE_AT,
    from: "    ) <= at then",
    to: "    ) < at then",
    tests: [BALANCE_AT_TEST],
  },
  {
    name: "balance at an instant: an instant in the future is accepted",
    file: BALANCE_AT,
    from: "if balance_at.at > greatest(clock, holder.last_posted_at, closed) then\n    return;\n  elsif",
    to: "if",
    tests: [BALANCE_AT_TEST],
  },
  {
    name: "balance now: a read does not wait for a posting that is being written",
    file: BALANCE_AT,
    from: "a.client_id = balance_now.client for no key update;",
    to: "a.client_id = balance_now.client;",
    tests: [BALANCES_TEST, BALANCE_AT_TEST],
    short: true,
  },
  {
    name: "balance now: as_of can be earlier than the newest posting",
    file: BALANCE_AT,
    from: "present := greatest(date_trunc('milliseconds', clock), holder.last_posted_at);",
    to: "present := date_trunc('milliseconds', clock);",
    tests: [BALANCES_TEST, BALANCE_AT_TEST],
    short: true,
  },
  {
    name: "balance now: the isolation level is not checked",
    file: BALANCE_AT,
    from: "  perform require_read_committed();\n  if current_setting(",
    to: "  if current_setting(",
    tests: [ISOLATION_TEST],
  },
  {
    name: "balance at an instant: the isolation level is not checked",
    file: BALANCE_AT,
    from:
      "  perform require_read_committed();\n  select a.* into strict holder from account a where a.bucket = balance_at",
    to: "  select a.* into strict holder from account a where a.bucket = balance_at",
    tests: [ISOLATION_TEST],
  },
  {
    name: "statement: days begin at midnight UTC",
    file: STATEMENT,
    from: "first_day::timestamp at time zone 'Asia/Riyadh'",
    to: "first_day::timestamp at time zone 'UTC'",
    tests: [STATEMENT_TEST],
  },
  {
    name: "statement: the last day is omitted",
    file: STATEMENT,
    from: "(last_day + 1)::timestamp",
    to: "last_day::timestamp",
    tests: [STATEMENT_TEST],
    short: true,
  },
  {
    name: "statement: the held amount is omitted",
    file: STATEMENT,
    from: "      (2, 'held_sar', case",
    to: "      (2, 'held_sar', case when true then null",
    tests: [STATEMENT_TEST],
  },
  {
    name: "reserves: the figure changes within the hour",
    file: "src/reads/read_reserves.sql",
    from: "clock - interval '1 hour'",
    to: "clock - interval '50 minutes'",
    tests: ["src/reads/read_reserves.pg.test.ts"],
  },
  {
    name: "record: a member of the table names another column",
    file: "../protocol/src/schema/order.ts",
    from: 'gramsIn("grams",',
    to: 'gramsIn("total",',
    tests: ["../audit/src/books/record_writer.test.ts"],
    short: true,
  },
  {
    name: "record: the database writes a member from another column",
    file: "src/reads/record_members.sql",
    from: `',"total_sar":' || gold.decimal_text((given).total, 0.01)\n  || ',"status":"executed"`,
    to: `',"total_sar":' || gold.decimal_text((given).price, 0.01)\n  || ',"status":"executed"`,
    tests: ["src/reads/record_members.pg.test.ts"],
    short: true,
  },
  {
    name: "change: two people can put an older price back",
    file: "src/database/proposals/kinds.sql",
    from: "  when 'price.set' then kind\n",
    to: "",
    tests: ["src/database/proposals/outdated.pg.test.ts"],
  },
];
