import type { Mutation } from "./mutation.ts";

const CHANGE_REGISTRY = "src/admission/registry/change_registry.sql";
const CHANGE_AUTHORITY = "src/admission/registry/change_authority.sql";
const AUDIT = "src/database/audit.sql";
const READ_REGISTRY = "src/admission/registry/read_registry.sql";
const CHANGE_REGISTRY_TEST = "src/admission/registry/change_registry.pg.test.ts";
const READ_REGISTRY_TEST = "src/admission/registry/read_registry.pg.test.ts";
const WRITE_PROBE_TEST = "src/database/write_probe.pg.test.ts";
const MALFORMED_ROWS_TEST = "src/admission/registry/malformed_rows.pg.test.ts";

export const REGISTRY_MUTATIONS: readonly Mutation[] = [
  {
    name: "registry: a suspension does not raise the admission version",
    file: CHANGE_REGISTRY,
    from: "  perform end_admission(subject.id);\n  update partner set suspended_at = clock_timestamp()",
    to: "  update partner set suspended_at = clock_timestamp()",
    tests: [CHANGE_REGISTRY_TEST, READ_REGISTRY_TEST],
    short: true,
  },
  {
    name: "registry: a revocation does not raise the admission version",
    file: CHANGE_AUTHORITY,
    from: "  perform end_admission(subject.partner_id);\n",
    to: "",
    tests: [CHANGE_REGISTRY_TEST, READ_REGISTRY_TEST],
    short: true,
  },
  {
    name: "registry: a partner can be suspended twice",
    file: CHANGE_REGISTRY,
    from: "where id = subject.id and suspended_at is null;",
    to: "where id = subject.id;",
    tests: [CHANGE_REGISTRY_TEST, READ_REGISTRY_TEST],
  },
  {
    name: "registry: a certificate can be revoked twice",
    file: CHANGE_AUTHORITY,
    from: "  where c.fingerprint = subject.fingerprint and c.revoked_at is null;",
    to: "  where c.fingerprint = subject.fingerprint;",
    tests: [CHANGE_REGISTRY_TEST, READ_REGISTRY_TEST],
  },
  {
    name: "registry: services are not notified of a suspension",
    file: CHANGE_REGISTRY,
    from: "  perform note('partner.suspend', public, '{}');\n  perform registry_changed();\n",
    to: "  perform note('partner.suspend', public, '{}');\n",
    tests: [CHANGE_REGISTRY_TEST, READ_REGISTRY_TEST],
  },
  {
    name: "registry: the audit contains the role instead of the login",
    file: AUDIT,
    from: "perform note_as(session_user, action",
    to: "perform note_as(current_user, action",
    tests: [CHANGE_REGISTRY_TEST, READ_REGISTRY_TEST],
  },
  {
    name: "registry: a suspension writes no audit row",
    file: CHANGE_REGISTRY,
    from: "  perform note('partner.suspend', public, '{}');\n",
    to: "",
    tests: [CHANGE_REGISTRY_TEST, READ_REGISTRY_TEST],
  },
  {
    name: "registry: the document is sent even if the service knows its version",
    file: READ_REGISTRY,
    from: "case when v.version is distinct from known_version then",
    to: "case when true then",
    tests: [CHANGE_REGISTRY_TEST, READ_REGISTRY_TEST],
  },
  {
    name: "registry: revoked certificates are reported as valid",
    file: READ_REGISTRY,
    from: "'revoked', c.revoked_at is not null",
    to: "'revoked', false",
    tests: [CHANGE_REGISTRY_TEST, READ_REGISTRY_TEST],
  },
  {
    name: "registry: a malformed signing key makes the registry unreadable",
    file: "src/admission/registry/snapshot.ts",
    from: "    } catch (error) {\n",
    to: "    } catch (error) {\n      throw error;\n",
    tests: [MALFORMED_ROWS_TEST],
    short: true,
  },
  {
    name: "registry: malformed keys are stored",
    file: "src/admission/registry/public_key.sql",
    from: "  if fault is not null then\n",
    to: "  if false then\n",
    tests: ["src/admission/registry/public_key.pg.test.ts"],
  },
  {
    name: "registry: a partner's name can contain control characters",
    file: "src/database/plain_text.sql",
    from: "[\\u0001-",
    to: "[\\u0001",
    tests: ["src/database/plain_text.pg.test.ts"],
  },
  {
    name: "writes: continue without a synchronous standby",
    file: "src/database/probe_write.sql",
    from: "current_setting('synchronous_standby_names') = ''",
    to: "false",
    tests: [WRITE_PROBE_TEST],
    short: true,
  },
  {
    name: "writes: a read-only database counts as writable",
    file: "src/database/probe_write.sql",
    from: "pg_is_in_recovery() or current_setting('transaction_read_only')::boolean",
    to: "pg_is_in_recovery()",
    tests: [WRITE_PROBE_TEST],
  },
  {
    name: "writes: a cancelled statement counts as not executed",
    file: "src/database/classify_sql_error.ts",
    from: '"in_doubt"],',
    to: '"unavailable"],',
    tests: ["src/database/classify_sql_error.test.ts"],
    short: true,
  },
];
