import type { Defect } from "./defect.ts";

const MIGRATE = "src/database/migrate.ts";
const SETTLE_DEPLOYMENT = "src/database/settle_deployment.sql";
const MIGRATE_TEST = "src/database/migrate.pg.test.ts";
const SETTLE_DEPLOYMENT_TEST = "src/database/settle_deployment.pg.test.ts";

export const DEPLOYMENT_DEFECTS: readonly Defect[] = [
  {
    name: "migrate: no lock",
    file: MIGRATE,
    from: "  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;\n",
    to: "",
    tests: [MIGRATE_TEST],
  },
  {
    name: "migrate: triggers that are there already are written again",
    file: "src/database/triggers.sql",
    from: "pg_get_triggerdef(t.oid) = item.definition",
    to: "false",
    tests: [MIGRATE_TEST],
  },
  {
    name: "migrate: views that are there already are written again",
    file: MIGRATE,
    from: "!kept.has(name)",
    to: "kept.has(name)",
    tests: [MIGRATE_TEST],
  },
  {
    name: "migrate: waits for a lock until Postgres sees a deadlock, which may end an order",
    file: MIGRATE,
    from: "const LOCK_TIMEOUT_MS = 300;",
    to: "const LOCK_TIMEOUT_MS = 60_000;",
    tests: [MIGRATE_TEST],
  },
  {
    name: "deployment: changes its environment",
    file: SETTLE_DEPLOYMENT,
    from: "if known.environment <> settle_deployment.environment then",
    to: "if false then",
    tests: [SETTLE_DEPLOYMENT_TEST],
  },
  {
    name: "deployment: changes without a note",
    file: SETTLE_DEPLOYMENT,
    from: "  perform note('deployment.settle'",
    to: "  if false then perform note('x', 'y', '{}'); end if; -- ",
    tests: [SETTLE_DEPLOYMENT_TEST],
  },
  {
    name: "deployment: a change of webhooks' terms alone is none",
    file: SETTLE_DEPLOYMENT,
    from:
      "known.flood_per_second,\n      known.webhook_ports, known.attempts_kept_days) is not distinct from",
    to:
      "known.flood_per_second,\n      settle_deployment.webhook_ports, settle_deployment.attempts_kept_days) is not distinct from",
    tests: [SETTLE_DEPLOYMENT_TEST],
  },
  {
    name: "deployment: webhooks' terms are those of the first time",
    file: SETTLE_DEPLOYMENT,
    from: ",\n    webhook_ports = excluded.webhook_ports, attempts_kept_days = excluded.attempts_kept_days;",
    to: ";",
    tests: [SETTLE_DEPLOYMENT_TEST],
  },
];
