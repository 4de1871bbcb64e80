import type { Mutation } from "./mutation.ts";

const CHANGE_DEPOSIT = "src/booking/deposit/change_deposit.sql";
const TRIGGERS = "src/database/triggers.sql";
const APPEND_ONLY = "src/booking/ledger/append_only.sql";
const TABLES = "migrations/0001_contract.sql";
const APPEND_ONLY_TEST = "src/booking/ledger/append_only.pg.test.ts";
const SET_PARTNER_TEST = "src/admission/registry/set_partner.pg.test.ts";
const DEPOSIT_TEST = "src/booking/deposit/change_deposit.pg.test.ts";
const CONSTRAINTS_TEST = "src/booking/withdrawal/withdrawal_constraints.pg.test.ts";

export const DEPOSIT_MUTATIONS: readonly Mutation[] = [
  {
    name: "deposit: the function lets one operator record and approve a deposit",
    file: CHANGE_DEPOSIT,
    from: "elsif given.recorded_by = actor then",
    to: "elsif false then",
    tests: [DEPOSIT_TEST],
  },
  {
    name: "deposit: a deposit can be approved twice",
    file: CHANGE_DEPOSIT,
    from: "elsif given.approved_at is not null then\n    raise exception 'the deposit was approved already",
    to: "elsif false then\n    raise exception 'the deposit was approved already",
    tests: [DEPOSIT_TEST],
  },
  {
    name: "deposit: a deposit can be reversed twice",
    file: CHANGE_DEPOSIT,
    from: "if given.reversed_at is not null then\n    raise exception 'the deposit was reversed already",
    to: "if false then\n    raise exception 'the deposit was reversed already",
    tests: [DEPOSIT_TEST],
    short: true,
  },
  {
    name: "deposit: a reversed deposit can be approved",
    file: CHANGE_DEPOSIT,
    from: "if given.reversed_at is not null then\n    raise exception 'the deposit was reversed' using",
    to: "if false then\n    raise exception 'the deposit was reversed' using",
    tests: [DEPOSIT_TEST],
  },
  {
    name: "deposit: the function reverses a deposit although the money was spent",
    file: CHANGE_DEPOSIT,
    from: "elsif given.approved_at is not null and holder.sar_available < given.amount then",
    to: "elsif false then",
    tests: [DEPOSIT_TEST],
  },
  {
    name: "deposit: held money counts as available for a reversal",
    file: CHANGE_DEPOSIT,
    from: "holder.sar_available < given.amount then",
    to: "holder.sar_available + holder.sar_held < given.amount then",
    tests: [DEPOSIT_TEST],
  },
  {
    name: "deposit: the account is not locked",
    file: CHANGE_DEPOSIT,
    from: "a.client_id = found_deposit.client_id for no key update;",
    to: "a.client_id = found_deposit.client_id;",
    tests: [DEPOSIT_TEST],
  },
  {
    name: "deposit: the deposit is not read again under the lock",
    file: CHANGE_DEPOSIT,
    from:
      "  select d.* into strict found_deposit from deposit d where d.id = lock_deposit.id for no key update;\n",
    to: "",
    tests: [DEPOSIT_TEST],
  },
  {
    name: "deposit: the balance has no upper limit",
    file: CHANGE_DEPOSIT,
    from: "elsif not has_room_for(locked.holder, given.amount) then",
    to: "elsif false then",
    tests: [DEPOSIT_TEST],
  },
  {
    name: "deposit: a negative amount is accepted",
    file: CHANGE_DEPOSIT,
    from: "record_deposit_as.amount <= 0 or ",
    to: "",
    tests: [DEPOSIT_TEST],
  },
  {
    name: "schema: a bank reference can occur twice",
    file: TABLES,
    from:
      'CREATE UNIQUE INDEX "deposit_bank_reference" ON "gold"."deposit" USING btree ("bank_reference") WHERE reversed_at is null',
    to:
      'CREATE UNIQUE INDEX "deposit_bank_reference" ON "gold"."deposit" USING btree ("bank_reference", "id") WHERE reversed_at is null',
    tests: [DEPOSIT_TEST],
  },
  {
    name: "schema: one operator can record and approve a deposit",
    file: TABLES,
    from: 'CHECK ("gold"."deposit"."approved_by" <> "gold"."deposit"."recorded_by")',
    to: "CHECK (true)",
    tests: [CONSTRAINTS_TEST],
  },
  {
    name: "deposit: completed steps can be overwritten",
    file: TRIGGERS,
    from: "BEFORE UPDATE ON gold.deposit",
    to: "BEFORE INSERT ON gold.deposit",
    tests: [APPEND_ONLY_TEST],
    short: true,
  },
  {
    name: "deposit: a direct update can approve a reversed deposit",
    file: APPEND_ONLY,
    from: "(old.approved_at is not null or old.reversed_at is not null)",
    to: "old.approved_at is not null",
    tests: [APPEND_ONLY_TEST],
  },
  {
    name: "deposit: a direct update can reverse a deposit again",
    file: APPEND_ONLY,
    from: "    or old.reversed_at is not null\n      and",
    to: "    or false and",
    tests: [APPEND_ONLY_TEST],
  },
  {
    name: "deposit: a deposit can be deleted",
    file: TRIGGERS,
    from: "BEFORE DELETE OR TRUNCATE ON gold.deposit",
    to: "BEFORE TRUNCATE ON gold.deposit",
    tests: [APPEND_ONLY_TEST],
  },
  {
    name: "deposit: the isolation level is not checked",
    file: CHANGE_DEPOSIT,
    from: "  perform require_read_committed();\n",
    to: "",
    tests: ["src/booking/isolation.pg.test.ts"],
  },
  {
    name: "schema: a deposit can have an empty bank reference",
    file: TABLES,
    from: 'CHECK ("gold"."deposit"."bank_reference" <> \'\')',
    to: "CHECK (true)",
    tests: [CONSTRAINTS_TEST],
  },
  {
    name: "schema: a rate can be zero",
    file: TABLES,
    from: 'CHECK ("gold"."partner"."rate_per_second" > 0 and "gold"."partner"."burst" > 0)',
    to: "CHECK (true)",
    tests: [SET_PARTNER_TEST],
  },
  {
    name: "schema: the maximum order size has no upper limit",
    file: TABLES,
    from: 'CHECK ("gold"."partner"."maximum_grams" between 1 and 1000000000)',
    to: "CHECK (true)",
    tests: [SET_PARTNER_TEST],
  },
  {
    name: "schema: a price can have a spread of zero",
    file: TABLES,
    from: 'CHECK ("gold"."price"."spread_basis_points" > 0 and "gold"."price"."stale_after_seconds" > 0)',
    to: "CHECK (true)",
    tests: ["src/booking/trading/change_price.pg.test.ts"],
  },
];
