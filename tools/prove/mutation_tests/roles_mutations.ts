import type { Mutation } from "./mutation.ts";

const GRANTS = "src/database/grants.sql";
const PRIVILEGES = "src/database/privileges.sql";
const CHANGE_VAULT = "src/booking/ledger/change_vault.sql";
const ROLES_TEST = "src/database/roles.pg.test.ts";

export const ROLES_MUTATIONS: readonly Mutation[] = [
  {
    name: "roles: the service can read a table",
    file: PRIVILEGES,
    from: "  execute format('grant usage on schema gold to %s', everybody);\n",
    to:
      "  execute format('grant usage on schema gold to %s', everybody);\n  grant select on account to gold_api;\n",
    tests: [ROLES_TEST],
    short: true,
  },
  {
    name: "roles: the service can suspend partners",
    file: PRIVILEGES,
    from: "    ('gold_treasury gold_credentials',\n      'suspend_partner'),\n",
    to: "    ('gold_treasury gold_credentials gold_api',\n      'suspend_partner'),\n",
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
    file: PRIVILEGES,
    from: "operator_key_overview is_stale is_outside_band market_open",
    to: "operator_key_overview is_outside_band market_open",
    tests: [ROLES_TEST],
  },
  {
    name: "roles: audit can set the price",
    file: PRIVILEGES,
    from: "      'audit_link_overview chain_link_overview",
    to: "      'set_price audit_link_overview chain_link_overview",
    tests: ["src/database/security_model.pg.test.ts"],
    short: true,
  },
  {
    name: "roles: a proposal can be approved without the role of its kind",
    file: "src/database/proposals/propose.sql",
    from: "  perform require_role_of(session_user, given.kind, true);\n",
    to: "",
    tests: ["../operator/src/commands/operator_roles.pg.test.ts"],
    short: true,
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
