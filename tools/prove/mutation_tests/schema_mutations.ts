import type { Mutation } from "./mutation.ts";

const TABLES = "migrations/0000_books.sql";
const POST_TRANSFERS_TEST = "src/booking/ledger/post_transfers.pg.test.ts";
const PLANS_TEST = "src/booking/trading/plans.pg.test.ts";
const SPEND_NONCE_TEST = "src/booking/nonce/spend_nonces.pg.test.ts";

export const SCHEMA_MUTATIONS: readonly Mutation[] = [
  {
    name: "schema: a transfer from held money to the bank is rejected",
    file: TABLES,
    from: "('SAR', 'held', 'bank'), ",
    to: "",
    tests: [POST_TRANSFERS_TEST],
    short: true,
  },
  {
    name: "schema: a forbidden pair of accounts is accepted",
    file: TABLES,
    from: "('XAU', 'vault', 'gold')",
    to: "('XAU', 'bank', 'gold'), ('XAU', 'vault', 'gold')",
    tests: [POST_TRANSFERS_TEST],
    short: true,
  },
  {
    name: "schema: a client's transfer can move bars",
    file: TABLES,
    from:
      '\tCONSTRAINT "transfer_owner" CHECK (("gold"."transfer"."client_id" = 0) = ("gold"."transfer"."debit" = \'bars\' or "gold"."transfer"."credit" = \'bars\'))',
    to: '\tCONSTRAINT "transfer_owner" CHECK (true)',
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "schema: a row can have another client's bucket",
    file: TABLES,
    from: '"transfer_bucket" CHECK ("gold"."transfer"."bucket" = "gold"."transfer"."client_id" % 64)',
    to: '"transfer_bucket" CHECK (true)',
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "schema: balances can be negative",
    file: TABLES,
    from: '"account_not_negative" CHECK ("gold"."account"."sar_available" >= 0 and',
    to: '"account_not_negative" CHECK (',
    tests: [POST_TRANSFERS_TEST],
    short: true,
  },
  {
    name: "schema: the vault's free gold can be negative",
    file: TABLES,
    from: '"vault_not_negative" CHECK ("gold"."vault"."free" >= 0)',
    to: '"vault_not_negative" CHECK (true)',
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "schema: orders have a second index by owner",
    file: TABLES,
    from: 'CONSTRAINT "orders_rounding"',
    to: 'CONSTRAINT "orders_sequence" UNIQUE("bucket","client_id","sequence"), CONSTRAINT "orders_rounding"',
    tests: [PLANS_TEST],
  },
  {
    name: "schema: nonces are not unique",
    file: TABLES,
    from: 'CONSTRAINT "nonce_bucket_client_id_nonce_pk" PRIMARY KEY("bucket","client_id","nonce")',
    to: "CHECK (true)",
    tests: [SPEND_NONCE_TEST],
    short: true,
  },
  {
    name: "schema: idempotency keys are not unique",
    file: TABLES,
    from: 'CONSTRAINT "idempotency_key_bucket_client_id_key_pk" PRIMARY KEY("bucket","client_id","key")',
    to: "CHECK (true)",
    tests: [PLANS_TEST],
  },
  {
    name: "schema: orders are not unique",
    file: TABLES,
    from: 'CONSTRAINT "orders_bucket_client_id_id_pk" PRIMARY KEY("bucket","client_id","id")',
    to: "CHECK (true)",
    tests: [PLANS_TEST],
  },
  {
    name: "schema: transfers are not unique",
    file: TABLES,
    from:
      'CONSTRAINT "transfer_bucket_client_id_sequence_leg_pk" PRIMARY KEY("bucket","client_id","sequence","leg")',
    to: "CHECK (true)",
    tests: [POST_TRANSFERS_TEST],
  },
  {
    name: "schema: accounts are not unique",
    file: TABLES,
    from: 'CONSTRAINT "account_bucket_client_id_pk" PRIMARY KEY("bucket","client_id")',
    to: "CHECK (true)",
    tests: [PLANS_TEST],
  },
  {
    name: "schema: a process starts before the migration",
    file: "src/database/schema_version.ts",
    from: "Number(row.version) >= newest",
    to: "Number(row.version) > 0",
    tests: ["src/database/schema_version.pg.test.ts"],
    short: true,
  },
  {
    name: "schema: an earlier version migrates a later schema",
    file: "src/database/migrations.ts",
    from: "if (at > migrations.at(-1)!.folderMillis) {",
    to: "if (at < 0) {",
    tests: ["src/database/schema_version.pg.test.ts"],
  },
  {
    name: "schema: an interrupted build of an index is kept",
    file: "src/database/concurrent_indexes.ts",
    from: "valid.get(name) !== true",
    to: "!valid.has(name)",
    tests: ["src/database/concurrent_indexes.pg.test.ts"],
  },
];
