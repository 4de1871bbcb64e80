import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";
import { TIMEOUTS } from "./settings.ts";
import type { ExpectedTables } from "../registry/expected.ts";

/** What a role may do beyond its own objects. The file of `gold audit keys` lists it for each role. */
export interface KeptRole {
  readonly role: string;
  readonly powers: readonly string[];
}

/** The roles that this release creates, and what each of them may do. */
const RELEASE: Readonly<Record<string, readonly string[]>> = {
  gold_owner: [],
  gold_book: [],
  gold_operator: ["treasury", "credentials", "pricing", "keys", "audit"].map((role) =>
    `member of gold_${role}`
  ),
  gold_treasury: [],
  gold_credentials: [],
  gold_pricing: [],
  gold_keys: [],
  gold_audit: [],
  gold_api: ["login"],
  gold_delivery: ["login"],
  gold_ticker: ["login"],
  gold_trust: ["login"],
  gold_simulation_maker: [],
  gold_simulation_checker: [],
};

export const ROLE_STATEMENTS: readonly string[] = [
  `select r.oid::int8 as oid, r.rolname, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolreplication,
    r.rolbypassrls, r.rolcanlogin, r.rolinherit, r.rolconnlimit, d.oid is not null as owns_database
  from pg_authid r left join pg_database d on d.datname = current_database() and d.datdba = r.oid
  order by r.rolname`,
  // A chain of memberships can lead through a role that does not exist.
  `select coalesce(g.rolname, a.roleid::text) as group_name, coalesce(m.rolname, a.member::text) as member_name,
    bool_or(a.admin_option) as admin, a.member = 10 as is_initial
  from pg_auth_members a left join pg_authid g on g.oid = a.roleid left join pg_authid m on m.oid = a.member
  group by 1, 2, 4`,
  `select r.rolname, s.setconfig::text as settings
  from pg_db_role_setting s left join pg_authid r on r.oid = s.setrole
  where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))`,
];

/** Returns the attributes, memberships and settings of every role that can affect these books. */
export async function readRoles(sql: Connection, findings: Findings): Promise<KeptRole[]> {
  const [may] = await sql.unsafe("select has_table_privilege('pg_authid', 'select') as read");
  if (!may!.read) findings.skip("pg_authid", "needs a superuser; the view pg_roles was read instead");
  const [roles, members, settings] = await Promise.all(
    ROLE_STATEMENTS.map((statement): PromiseLike<readonly Row[]> =>
      sql.unsafe(may!.read ? statement : statement.replaceAll("pg_authid", "pg_roles"))
    ),
  ) as [readonly Row[], readonly Row[], readonly Row[]];
  const powers = new Map<string, Set<string>>();
  const give = (role: string, power: string) => powers.set(role, (powers.get(role) ?? new Set()).add(power));
  for (const row of roles) {
    if (row.rolcanlogin && /^(gold_|pg_)/.test(row.rolname)) give(row.rolname, "login");
    if (RELEASE[row.rolname]?.includes("login")) checkLogin(findings, row);
    // Leave out the superuser that initdb created, because every server has it.
    if (row.oid === 10n) continue;
    for (const [column, power] of Object.entries(POWERS)) if (row[column]) give(row.rolname, power);
    if (row.owns_database) give(row.rolname, "owns the database");
  }
  const initial = roles.find(({ oid }) => oid === 10n)?.rolname;
  const isPowerful = (name: string) => /^(gold_|pg_)/.test(name) || name === initial || powers.has(name);
  for (const [member, groups] of reachedBy(members.filter(({ is_initial }) => !is_initial))) {
    // Leave out roles of other databases, which lead to nothing of this database.
    if (![member, ...groups.keys()].some(isPowerful)) continue;
    for (const [group, admin] of groups) {
      const isBuiltin = member === "pg_monitor" && BUILTIN_GROUPS.includes(group) && !admin;
      if (!isBuiltin) give(member, `member of ${group}${admin ? WITH_ADMIN : ""}`);
    }
  }
  for (const { rolname, settings: list } of settings) {
    for (const setting of list.replace(/^\{|\}$/g, "").split(",")) {
      const name = setting.replace(/^"/, "").split("=")[0];
      if (!TIMEOUTS.includes(name!)) give(rolname ?? "every role", `setting ${setting}`);
    }
  }
  for (const role of Object.keys(RELEASE)) if (!powers.has(role)) powers.set(role, new Set());
  return [...powers].map(([role, own]) => ({ role, powers: [...own].sort() })).sort((left, right) =>
    left.role < right.role ? -1 : 1
  );
}

/** Warns about attributes with which a login of the service cannot connect often enough, or cannot do its work. */
function checkLogin(findings: Findings, { rolname, rolcanlogin, rolinherit, rolconnlimit }: Row): void {
  const found = [
    ...rolcanlogin ? [] : ["nologin"],
    ...rolinherit ? [] : ["noinherit"],
    ...rolconnlimit === -1 ? [] : [`connection limit ${rolconnlimit}`],
  ];
  if (found.length === 0) return;
  findings.warn(
    "role_is_expected",
    `role ${rolname}`,
    "login, inherit and no connection limit",
    found.join(", "),
  );
}

/** What initdb makes pg_monitor a member of. */
const BUILTIN_GROUPS = ["pg_read_all_settings", "pg_read_all_stats", "pg_stat_scan_tables"];
const WITH_ADMIN = " with admin option";

/**
 * The roles that each role is a member of, through any chain of memberships, and whether it may grant them. A
 * role with the admin option can make itself a member, so memberships without SET and INHERIT count, too.
 */
function reachedBy(memberships: readonly Row[]): Map<string, Map<string, boolean>> {
  const reached = new Map<string, Map<string, boolean>>();
  for (const { member_name } of memberships) {
    const groups = new Map<string, boolean>();
    const left = [member_name];
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      for (const { group_name, admin } of memberships.filter((each) => each.member_name === name)) {
        if (!groups.has(group_name)) left.push(group_name);
        groups.set(group_name, groups.get(group_name) || admin);
      }
    }
    reached.set(member_name, groups);
  }
  return reached;
}

const POWERS: Readonly<Record<string, string>> = {
  rolsuper: "superuser",
  rolcreaterole: "may create roles",
  rolcreatedb: "may create databases",
  rolreplication: "may replicate",
  rolbypassrls: "bypasses row security",
};

/**
 * Compares the roles with the release, with the operators of the audit trail, and with the file of
 * `gold audit keys`. The database's owner runs the migrations, so it is a member of the owning roles.
 */
export function compareRoles(
  findings: Findings,
  roles: readonly KeptRole[],
  expected: ExpectedTables,
  kept: readonly KeptRole[],
): void {
  const outside = new Map(kept.map(({ role, powers }) => [role, powers]));
  const operators = expected.of("operator");
  const owner = roles.find(({ role, powers }) =>
    powers.includes("owns the database") && isOwnersLogin(role, operators) &&
    (kept.length === 0 || outside.get(role)?.includes("owns the database"))
  )?.role;
  // Since Postgres 16, the creator of a role becomes a member of that role, with the admin option.
  const created = [...operators.keys(), ...Object.keys(RELEASE)].map((role) =>
    `member of ${role}${WITH_ADMIN}`
  );
  const ownOf = (role: string): readonly string[] => [
    ...RELEASE[role] ?? [],
    ...outside.get(role) ?? [],
    ...groupsOf(operators.get(role)),
    ...(role === owner ? [...OWNERS_POWERS, ...created] : []),
  ];
  const allowedTo = (role: string): Set<string> => {
    const allowed = new Set(ownOf(role));
    // The set grows in this loop, which visits the new members, too.
    for (const power of allowed) {
      const [, group] = /^member of (\S+)/.exec(power) ?? [];
      const more = group === undefined ? [] : ownOf(group);
      for (const each of more) if (each.startsWith("member of ")) allowed.add(each);
    }
    return allowed;
  };
  for (const { role, powers } of roles) {
    const allowed = allowedTo(role);
    const surplus = powers.filter((power) => !allowed.has(power));
    if (surplus.length > 0) {
      findings.add(
        "role_is_expected",
        `role ${role}`,
        [...allowed].join(", ") || "nothing of this kind",
        surplus.join(", "),
      );
    }
  }
  const powersOf = new Map(roles.map(({ role, powers }) => [role, powers]));
  for (const [name, operator] of operators) {
    const missing = groupsOf(operator).filter((group) => !powersOf.get(name)?.includes(group));
    if (missing.length > 0) findings.add("role_is_expected", `role ${name}`, missing.join(", "), "nothing");
  }
}

/** The database belongs to the login of the migrations, which is neither an operator nor a role of the release. */
export const isOwnersLogin = (role: string, operators: ReadonlyMap<string, Row>): boolean =>
  !operators.has(role) && !Object.hasOwn(RELEASE, role) && !role.startsWith("pg_");

/** What an operator of the audit trail is a member of. 0.4.0 recorded no roles and gave all of them. */
function groupsOf(operator: Row | undefined): readonly string[] {
  if (!operator) return [];
  const roles = operator.roles as readonly string[] | undefined;
  return roles?.map((role) => `member of gold_${role}`) ?? ["member of gold_operator"];
}

const OWNERS_POWERS = [
  "owns the database",
  "login",
  "may create roles",
  ...Object.keys(RELEASE).filter((role) => !role.startsWith("gold_simulation_")).map((role) =>
    `member of ${role}`
  ),
];
