import type { Mutation } from "./mutation.ts";

const GRANTS = "src/database/grants.sql";
const CHANGE_VAULT = "src/booking/ledger/change_vault.sql";
const ROLES_TEST = "src/database/roles.pg.test.ts";

export const ROLES_MUTATIONS: readonly Mutation[] = [
  {
    name: "roles: the service can read a table",
    file: GRANTS,
    from: "grant select on gold.current_price, gold.market_hours to gold_api;",
    to: "grant select on gold.current_price, gold.market_hours, gold.account to gold_api;",
    tests: [ROLES_TEST],
    short: true,
  },
  {
    name: "roles: the service can suspend partners",
    file: GRANTS,
    from: "grant execute on function gold.read_registry,",
    to: "grant execute on function gold.suspend_partner, gold.read_registry,",
    tests: [ROLES_TEST],
  },
  {
    name: "roles: the booking role can write a balance",
    file: GRANTS,
    from: "grant update (admission_version, event_sequence,",
    to: "grant update (admission_version, sar_available, event_sequence,",
    tests: [ROLES_TEST],
    short: true,
  },
  {
    name: "roles: the booking role can delete",
    file: GRANTS,
    from: "grant select on all tables in schema gold to gold_book;",
    to: "grant select, delete on all tables in schema gold to gold_book;",
    tests: [ROLES_TEST],
  },
  {
    name: "roles: operators may not call two functions that a view calls",
    file: GRANTS,
    from: ", gold.market_open, gold.is_stale, gold.held_until to gold_operator;",
    to: ", gold.market_open to gold_operator;",
    tests: [ROLES_TEST],
  },
  {
    name: "roles: PUBLIC can call functions",
    file: GRANTS,
    from: "    execute format('revoke all on function %s from public', item.name);\n",
    to: "",
    tests: [ROLES_TEST],
  },
  {
    name: "roles: a security definer function has no search_path",
    file: CHANGE_VAULT,
    from: "language plpgsql volatile security definer set search_path = gold, pg_temp as $$\ndeclare\n  fine",
    to: "language plpgsql volatile security definer as $$\ndeclare\n  fine",
    tests: [ROLES_TEST],
  },
  {
    name: "roles: the transfer trigger runs as the booking role",
    file: GRANTS,
    from: "'post_transfers', 'refuse_change'",
    to: "'refuse_change'",
    tests: [ROLES_TEST],
  },
];
