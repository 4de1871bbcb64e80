// Compares the settings of the server and of sessions that can lose or hide data, or stop trading.
import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";

/** The values of settings that keep every commit, every check and every row. Another value is a finding. */
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
/** Settings that name code which Postgres loads or runs, with their values on a new server. */
const CODE: Readonly<Record<string, string>> = {
  dynamic_library_path: "$libdir",
  jit_provider: "llvmjit",
  oauth_validator_libraries: "",
  archive_library: "",
  archive_command: "",
};
/** Settings with which writes fail, or policies and triggers do nothing, with their values on a new server. */
const SWITCHES: Readonly<Record<string, string>> = {
  row_security: "on",
  event_triggers: "on",
  default_transaction_read_only: "off",
};
const COMPARED = [
  ...[SAFE, SHORTEST_MS, CODE, SWITCHES].flatMap((settings) => Object.keys(settings)),
  ...LIBRARIES,
];
/** The versions of Postgres in which newer settings appeared. */
const SINCE: Readonly<Record<string, number>> = {
  transaction_timeout: 17,
  event_triggers: 17,
  oauth_validator_libraries: 18,
};

/** The methods with which this server itself checks who connects. */
const METHODS = ["scram-sha-256", "md5", "password", "cert", "peer", "reject"];

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
  const version = Math.floor(Number(values.get("server_version_num")) / 10_000);
  for (const name of COMPARED) {
    const value = values.get(name);
    if (value !== undefined) compareValue(findings, `setting ${name}`, name, value);
    else if (version >= (SINCE[name] ?? 0)) {
      findings.skip(`setting ${name}`, "needs a superuser or the role pg_read_all_settings");
    }
  }
  const own: readonly Row[] = await sql.unsafe(`
    select coalesce(r.rolname, 'every role') as role, unnest(s.setconfig) as setting
    from pg_db_role_setting s left join pg_roles r on r.oid = s.setrole
    where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))`);
  // Other settings of roles are findings: see readRoles().
  for (const { role, setting } of own) {
    const [name, value] = setting.split("=", 2);
    if (TIMEOUTS.includes(name)) compareValue(findings, `role ${role} setting ${name}`, name, value);
  }
  const waiting = await compareWaiting(sql, findings, values);
  const isTlsOff = [values, waiting].some((each) => canonical("ssl", each.get("ssl") ?? "on") === "off");
  await compareHba(sql, findings, isTlsOff);
  await compareMaps(sql, findings);
}

function compareValue(findings: Findings, row: string, name: string, value: string): void {
  const found = canonical(name, value);
  const usual = CODE[name] ?? SWITCHES[name];
  const shortest = SHORTEST_MS[name];
  if (SAFE[name]?.(found) === false) {
    findings.add("setting_is_safe", row, "a value that keeps every commit and check", value);
  } else if (usual !== undefined && found !== usual) {
    findings.warn("setting_is_safe", row, usual || "no value", value);
  } else if (shortest !== undefined && found !== "0" && !(Number(found) >= shortest)) {
    findings.warn("setting_is_safe", row, `0 or at least ${shortest} ms`, value);
  } else if (LIBRARIES.includes(name)) {
    for (const library of value.split(/[\s,"]+/)) {
      if (library === "" || KNOWN_LIBRARIES.includes(library)) continue;
      findings.warn("setting_is_safe", row, `only ${KNOWN_LIBRARIES.join(" or ")}`, library);
    }
  }
}

/** Returns the value in the server's spelling. A file may contain `no` for `off`, or `10s` for `10000`. */
function canonical(name: string, value: string): string {
  if (name in CODE || LIBRARIES.includes(name)) return value;
  if (name in SHORTEST_MS) {
    const [, number, unit] = /^(\d+)\s*(\w*)$/.exec(value) ?? [];
    return `${Number(number) * (UNITS[unit || "ms"] ?? NaN)}`;
  }
  const text = value.toLowerCase();
  if (/^(on|1|tr?|true?|ye?|yes)$/.test(text)) return "on";
  return /^(off?|0|no?|fa?|fals?|false)$/.test(text) ? "off" : text;
}

/** Compares the values in the files of settings that take effect only after a reload or a restart. */
async function compareWaiting(
  sql: Connection,
  findings: Findings,
  values: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const waiting = new Map<string, string>();
  if (!await mayRead(sql, findings, "pg_file_settings", "pg_show_all_file_settings")) return waiting;
  // Servers that get a setting on the command line usually have another value in the file, with an error.
  const rows: readonly Row[] = await sql.unsafe(`
    select coalesce(lower(f.name), 'line ' || f.sourceline) as name, f.setting, f.error,
      coalesce(s.source in ('command line', 'environment variable'), false) as is_overridden
    from pg_show_all_file_settings() f left join pg_show_all_settings() s on lower(s.name) = lower(f.name)
    order by f.seqno`);
  // The last of several values counts.
  for (
    const { name, setting, error, is_overridden } of new Map(rows.map((row) => [row.name, row])).values()
  ) {
    const row = `pg_file_settings ${name}`;
    const value = values.get(name);
    if (setting !== null) waiting.set(name, setting);
    if (COMPARED.includes(name) && value !== undefined && setting !== null) {
      if (canonical(name, setting) !== canonical(name, value)) compareValue(findings, row, name, setting);
    } else if (error !== null && !is_overridden) {
      findings.warn("setting_is_safe", row, "a value that the server can apply", error);
    }
  }
  return waiting;
}

/**
 * With the method `trust`, anyone who reaches the server can log in under any name. With a method such as
 * `ldap` or `ident`, another system decides who logs in. `isTlsOff`: the setting `ssl` is off, now or after a
 * restart.
 */
async function compareHba(sql: Connection, findings: Findings, isTlsOff: boolean): Promise<void> {
  if (!await mayRead(sql, findings, "pg_hba_file_rules")) return;
  // The options can contain passwords of LDAP and RADIUS.
  const rules: readonly Row[] = await sql.unsafe(`
    select line_number, type, array_to_string(user_name, ',') as users, address, netmask, auth_method, error,
      (select string_agg(o, ' ') from unnest(options) o where o !~ '^(ldapbindpasswd|radiussecrets)=') as options
    from pg_hba_file_rules()`);
  const remote: string[] = [];
  for (const { line_number, type, users, address, netmask, auth_method, options, error } of rules) {
    const row = `pg_hba.conf line ${line_number}`;
    if (error !== null) findings.warn("setting_is_safe", row, "a line without an error", error);
    // A line with an error has no method, except a hostssl line of a server without TLS.
    if (auth_method === null) continue;
    if (!METHODS.includes(auth_method)) {
      const found = [type, users, auth_method, ...options === null ? [] : [options]].join(" ");
      findings.add("setting_is_safe", row, "a method that proves who connects", found);
    }
    if (type !== "local" && auth_method !== "reject" && !isLoopback(address, netmask)) {
      remote.push(`line ${line_number} is ${type} ${users} ${address}`);
    }
  }
  if (isTlsOff && remote[0]) {
    const expected = "on, because pg_hba.conf admits other machines";
    findings.warn("setting_is_safe", "setting ssl", expected, `off, and ${remote[0]}`);
  }
}

const isLoopback = (address: string, netmask: string | null): boolean =>
  ["samehost", "localhost"].includes(address) || /^127\./.test(address) && /^255\./.test(netmask ?? "") ||
  address === "::1" && /^(ffff:){7}ffff$/.test(netmask ?? "");

/**
 * With a map, an account of the machine or a certificate can log in under another name. Postgres 16 and later read
 * `/…` as a regular expression, `+…` as the members of a role, and `all` as every role.
 */
async function compareMaps(sql: Connection, findings: Findings): Promise<void> {
  if (!await mayRead(sql, findings, "pg_ident_file_mappings")) return;
  const maps: readonly Row[] = await sql.unsafe(`
    select line_number, map_name, sys_name, pg_username, error from pg_ident_file_mappings()`);
  for (const { line_number, map_name, sys_name, pg_username, error } of maps) {
    if (error !== null) {
      const row = `pg_ident.conf line ${line_number}`;
      findings.warn("setting_is_safe", row, "a line without an error", error);
    } else if (sys_name !== pg_username || /^(\/|\+|all$)/.test(pg_username)) {
      const [row, found] = [`pg_ident.conf map ${map_name}`, `${sys_name} as ${pg_username}`];
      findings.add("setting_is_safe", row, "no name that logs in as another", found);
    }
  }
}

/** Returns whether the login may call the function that reads this file. If not, the file is skipped. */
async function mayRead(sql: Connection, findings: Findings, name: string, routine = name): Promise<boolean> {
  const [may] = await sql.unsafe(`select has_function_privilege('${routine}()', 'execute') as read`);
  if (!may!.read) findings.skip(name, "needs a superuser");
  return may!.read;
}
