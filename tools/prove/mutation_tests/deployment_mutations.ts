import type { Mutation } from "./mutation.ts";

const MIGRATE = "src/database/migrate.ts";
const SETTLE_DEPLOYMENT = "src/database/settle_deployment.sql";
const MIGRATE_TEST = "src/database/migrate.pg.test.ts";
const SETTLE_DEPLOYMENT_TEST = "src/database/settle_deployment.pg.test.ts";

export const DEPLOYMENT_MUTATIONS: readonly Mutation[] = [
  {
    name: "migrate: two migrations can run at once",
    file: MIGRATE,
    from: "  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;\n",
    to: "",
    tests: [MIGRATE_TEST],
  },
  {
    name: "migrate: existing triggers are created again",
    file: "src/database/triggers.sql",
    from: "pg_get_triggerdef(t.oid) = item.definition",
    to: "false",
    tests: [MIGRATE_TEST],
  },
  {
    name: "migrate: existing views are created again",
    file: MIGRATE,
    from: "!kept.has(name)",
    to: "kept.has(name)",
    tests: [MIGRATE_TEST],
  },
  {
    name: "migrate: waits for a lock until Postgres detects a deadlock, which can abort an order",
    file: MIGRATE,
    from: "const LOCK_TIMEOUT_MS = 300;",
    to: "const LOCK_TIMEOUT_MS = 60_000;",
    tests: [MIGRATE_TEST],
  },
  {
    name: "deployment: the environment of a database can change",
    file: SETTLE_DEPLOYMENT,
    from: "if known.environment <> settle_deployment.environment then",
    to: "if false then",
    tests: [SETTLE_DEPLOYMENT_TEST],
  },
  {
    name: "deployment: a change writes no audit row",
    file: SETTLE_DEPLOYMENT,
    from: "  perform note('deployment.settle'",
    to: "  perform concat('deployment.settle'",
    tests: [SETTLE_DEPLOYMENT_TEST],
  },
  {
    name: "deployment: a change of only the webhook settings is ignored",
    file: SETTLE_DEPLOYMENT,
    from: "known.flood_per_second, known.webhook_ports, known.attempts_kept_days) is not distinct from",
    to:
      "known.flood_per_second, settle_deployment.webhook_ports, settle_deployment.attempts_kept_days) is not distinct from",
    tests: [SETTLE_DEPLOYMENT_TEST],
  },
  {
    name: "deployment: the webhook settings of the first run are never updated",
    file: SETTLE_DEPLOYMENT,
    from: ", webhook_ports = excluded.webhook_ports, attempts_kept_days = excluded.attempts_kept_days;",
    to: ";",
    tests: [SETTLE_DEPLOYMENT_TEST],
  },
];
