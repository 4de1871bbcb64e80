// Compares the settings of the server and of sessions that can lose or hide data, or stop trading.
import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";

/** The values of settings that keep every commit, every check and every row. */
const SAFE: Readonly<Record<string, (value: string) => boolean>> = {
  fsync: (value) => value === "on",
  full_page_writes: (value) => value === "on",
  synchronous_commit: (value) => value !== "off" && value !== "local",
  session_replication_role: (value) => value === "origin",
  zero_damaged_pages: (value) => value === "off",
  ignore_checksum_failure: (value) => value === "off",
};

/**
 * The shortest time in milliseconds that each timeout may have. The release gives its logins these values
 * (session_limits.sql). With a shorter one, the service's statements fail or its connections end.
 */
const SHORTEST_MS: Readonly<Record<string, number>> = {
  lock_timeout: 2_000,
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 5_000,
  transaction_timeout: 10_000,
  idle_session_timeout: 60_000,
};
/** Settings of roles that change no result. */
export const TIMEOUTS: readonly string[] = Object.keys(SHORTEST_MS);

const LIBRARIES = ["shared_preload_libraries", "session_preload_libraries", "local_preload_libraries"];
/** Parts of Postgres that only measure or log. */
const KNOWN_LIBRARIES = ["pg_stat_statements", "auto_explain"];

const UNITS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

export async function compareSettings(sql: Connection, findings: Findings): Promise<void> {
  // reset_val is the value with which this session began. The audit itself changes some of these settings.
  const rows: readonly Row[] = await sql.unsafe("select name, reset_val from pg_show_all_settings()");
  const values = new Map<string, string>(rows.map(({ name, reset_val }) => [name, reset_val]));
  for (const [name, isSafe] of Object.entries(SAFE)) {
    const value = values.get(name)!;
    if (!isSafe(value)) {
      findings.add("setting_is_safe", `setting ${name}`, "a value that keeps every commit and check", value);
    }
  }
  for (const name of TIMEOUTS) checkTimeout(findings, `setting ${name}`, name, values.get(name));
  const own: readonly Row[] = await sql.unsafe(`
    select coalesce(r.rolname, 'every role') as role, unnest(s.setconfig) as setting
    from pg_db_role_setting s left join pg_roles r on r.oid = s.setrole
    where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))`);
  for (const { role, setting } of own) {
    const [name, value] = setting.split("=", 2);
    checkTimeout(findings, `role ${role} setting ${name}`, name, value);
  }
  for (const name of LIBRARIES) {
    const value = values.get(name);
    if (value === undefined) {
      findings.skip(`setting ${name}`, "needs a superuser or the role pg_read_all_settings");
    }
    for (const library of value?.split(/[\s,"]+/) ?? []) {
      if (library !== "" && !KNOWN_LIBRARIES.includes(library)) {
        findings.warn(`setting ${name}`, `only ${KNOWN_LIBRARIES.join(" or ")}`, library);
      }
    }
  }
  await compareHba(sql, findings);
}

function checkTimeout(findings: Findings, row: string, name: string, value = "0"): void {
  const [, number, unit = "ms"] = /^(\d+)\s*(\w*)$/.exec(value) ?? [];
  const milliseconds = Number(number) * (UNITS[unit || "ms"] ?? NaN);
  const shortest = SHORTEST_MS[name];
  if (shortest !== undefined && milliseconds !== 0 && !(milliseconds >= shortest)) {
    findings.warn(row, `0 or at least ${shortest} ms`, value);
  }
}

/** With the method `trust`, anyone who reaches the server is any login. */
async function compareHba(sql: Connection, findings: Findings): Promise<void> {
  const [may] = await sql.unsafe("select has_function_privilege('pg_hba_file_rules()', 'execute') as read");
  if (!may!.read) return findings.skip("pg_hba_file_rules", "needs a superuser");
  const rules: readonly Row[] = await sql.unsafe(`
    select line_number, type, array_to_string(user_name, ',') as users, auth_method
    from pg_hba_file_rules()`);
  for (const { line_number, type, users, auth_method } of rules) {
    if (auth_method === "trust") {
      findings.add(
        "setting_is_safe",
        `pg_hba.conf line ${line_number}`,
        "a method that proves who connects",
        `${type} ${users} trust`,
      );
    }
  }
}
