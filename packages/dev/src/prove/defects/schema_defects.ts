import type { Defect } from "./defect.ts";

const TABLES = "migrations/0000_books.sql";
const POST_TRANSFERS_TEST = "src/booking/ledger/post_transfers.pg.test.ts";
const PLANS_TEST = "src/booking/trading/plans.pg.test.ts";
const SPEND_NONCE_TEST = "src/booking/nonce/spend_nonces.pg.test.ts";

export const SCHEMA_DEFECTS: readonly Defect[] = [
  {
    name: "schema: no check of the transfer form",
    file: TABLES,
    from: "('SAR', 'held', 'bank'), ",
    to: "",
    tests: [POST_TRANSFERS_TEST],
    short: true,
  },
  {
    name: "schema: any pair of accounts",
    file: TABLES,
    from: "('XAU', 'vault', 'gold')",
    to: "('XAU', 'bank', 'gold'), ('XAU', 'vault', 'gold')",
    tests: [POST_TRANSFERS_TEST],
    short: true,
  },
  {
    name: "schema: clients may move bars",
    file: TABLES,
    from:
      '\tCONSTRAINT "transfer_owner" CHECK (("gold"."transfer"."client_id" = 0) = ("gold"."transfer"."debit" = \'bars\' or "gold"."transfer"."credit" = \'bars\'))',
    to: '\tCONSTRAINT "transfer_owner" CHECK (true)',
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "schema: a foreign bucket",
    file: TABLES,
    from: '"transfer_bucket" CHECK ("gold"."transfer"."bucket" = "gold"."transfer"."client_id" % 64)',
    to: '"transfer_bucket" CHECK (true)',
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "schema: balances below zero",
    file: TABLES,
    from: '"account_not_negative" CHECK ("gold"."account"."sar_available" >= 0 and',
    to: '"account_not_negative" CHECK (',
    tests: [POST_TRANSFERS_TEST],
    short: true,
  },
  {
    name: "schema: the vault below zero",
    file: TABLES,
    from: '"vault_not_negative" CHECK ("gold"."vault"."free" >= 0)',
    to: '"vault_not_negative" CHECK (true)',
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "schema: a second index behind the owner",
    file: TABLES,
    from: 'CONSTRAINT "orders_rounding"',
    to: 'CONSTRAINT "orders_sequence" UNIQUE("bucket","client_id","sequence"), CONSTRAINT "orders_rounding"',
    tests: [PLANS_TEST],
  },
  {
    name: "schema: a nonce is not unique",
    file: TABLES,
    from: 'CONSTRAINT "nonce_bucket_client_id_nonce_pk" PRIMARY KEY("bucket","client_id","nonce")',
    to: "CHECK (true)",
    tests: [SPEND_NONCE_TEST],
    short: true,
  },
  {
    name: "schema: a key is not unique",
    file: TABLES,
    from: 'CONSTRAINT "idempotency_key_bucket_client_id_key_pk" PRIMARY KEY("bucket","client_id","key")',
    to: "CHECK (true)",
    tests: [PLANS_TEST],
  },
  {
    name: "schema: an order is not unique",
    file: TABLES,
    from: 'CONSTRAINT "orders_bucket_client_id_id_pk" PRIMARY KEY("bucket","client_id","id")',
    to: "CHECK (true)",
    tests: [PLANS_TEST],
  },
  {
    name: "schema: a transfer is not unique",
    file: TABLES,
    from:
      'CONSTRAINT "transfer_bucket_client_id_sequence_leg_pk" PRIMARY KEY("bucket","client_id","sequence","leg")',
    to: "CHECK (true)",
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "schema: an account is not unique",
    file: TABLES,
    from: 'CONSTRAINT "account_bucket_client_id_pk" PRIMARY KEY("bucket","client_id")',
    to: "CHECK (true)",
    tests: [PLANS_TEST],
  },
];
