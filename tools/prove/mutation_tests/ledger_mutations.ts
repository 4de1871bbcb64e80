import type { Mutation } from "./mutation.ts";

const POST_TRANSFERS = "src/booking/ledger/post_transfers.sql";
const TRIGGERS = "src/database/triggers.sql";
const POST_TRANSFERS_TEST = "src/booking/ledger/post_transfers.pg.test.ts";
const APPEND_ONLY_TEST = "src/booking/ledger/append_only.pg.test.ts";

export const LEDGER_MUTATIONS: readonly Mutation[] = [
  {
    name: "ledger: the stated balances are not compared with the account",
    file: POST_TRANSFERS,
    from:
      "      and array[a.sar_available + moved.available, a.sar_held + moved.held, a.gold + moved.gold] = moved.last[3:5]\n",
    to: "",
    tests: [POST_TRANSFERS_TEST],
    short: true,
  },
  {
    name: "ledger: a posting may repeat the account's last sequence number",
    file: POST_TRANSFERS,
    from: "a.event_sequence < moved.last[1]",
    to: "a.event_sequence <= moved.last[1]",
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "ledger: posting times may go back",
    file: POST_TRANSFERS,
    from: "      and a.last_posted_at <= moved.posted_at\n",
    to: "",
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "ledger: a transfer of an unknown client is ignored",
    file: POST_TRANSFERS,
    from: "if owners <> followed then",
    to: "if followed = 0 then",
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "ledger: the vault's balance is not updated",
    file: POST_TRANSFERS,
    from: "where v.stripe = moved.stripe and moved.free <> 0",
    to: "where false",
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "ledger: the held balance is not updated",
    file: POST_TRANSFERS,
    from: "sar_held = a.sar_held + moved.held",
    to: "sar_held = a.sar_held",
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "ledger: the trigger on transfers is missing",
    file: TRIGGERS,
    from: "AFTER INSERT ON gold.transfer",
    to: "AFTER INSERT ON gold.funding",
    tests: [POST_TRANSFERS_TEST],
    short: true,
  },
  {
    name: "ledger: a past balance omits postings at exactly the requested instant",
    file: "src/booking/ledger/balance_at.sql",
    from: ") <= at then",
    to: ") < at then",
    tests: ["src/booking/ledger/random_history.pg.test.ts"],
  },
  {
    name: "ledger: transfers can be updated",
    file: TRIGGERS,
    from: "'transfer', 'orders', ",
    to: "'orders', ",
    tests: [APPEND_ONLY_TEST],
    short: true,
  },
  {
    name: "ledger: history can be truncated",
    file: TRIGGERS,
    from: "BEFORE DELETE OR UPDATE OR TRUNCATE",
    to: "BEFORE DELETE OR UPDATE",
    tests: [APPEND_ONLY_TEST],
    short: true,
  },
];
