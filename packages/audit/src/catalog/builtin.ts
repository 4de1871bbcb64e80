// Compares the rows with which initdb fills pg_catalog. A superuser who replaces one of Postgres's own
// functions, operators or views can hide rows and roles from every statement that uses it. So
// BUILTIN_STATEMENTS read plain columns of base tables, and use no function, operator or view. Only the name
// of the first superuser comes from the view pg_roles, after its rule was compared.
import { readFileSync } from "node:fs";
import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";
import { sha256Hex } from "../values.ts";

const FILE = new URL("../../builtin.json", import.meta.url);
/** Objects below have fixed OIDs. The OIDs from here to FIRST_NORMAL_OID depend on the machine of initdb. */
export const FIRST_UNPINNED_OID = 12_000;
export const FIRST_NORMAL_OID = 16_384;
const PG_CATALOG_OID = 11;

/** The compared columns of each table, after its key. The type regproc is read as oid. */
const COLUMNS: Readonly<Record<string, string>> = {
  pg_proc: `
    oid proname pronamespace proowner prolang provariadic prosupport::oid prokind prosecdef proleakproof
    proisstrict proretset provolatile proparallel pronargs pronargdefaults prorettype proargtypes
    proallargtypes proargmodes proargnames proargdefaults protrftypes prosrc probin prosqlbody proconfig`,
  pg_rewrite: "oid rulename ev_class ev_type ev_enabled is_instead ev_qual ev_action",
  pg_operator: `
    oid oprname oprnamespace oprowner oprkind oprcanmerge oprcanhash oprleft oprright oprresult oprcom
    oprnegate oprcode::oid oprrest::oid oprjoin::oid`,
  pg_cast: "oid castsource casttarget castfunc castcontext castmethod",
  pg_aggregate: `
    aggfnoid::oid aggkind aggnumdirectargs aggtransfn::oid aggfinalfn::oid aggcombinefn::oid
    aggserialfn::oid aggdeserialfn::oid aggmtransfn::oid aggminvtransfn::oid aggmfinalfn::oid
    aggfinalextra aggmfinalextra aggfinalmodify aggmfinalmodify aggsortop aggtranstype aggmtranstype
    agginitval aggminitval`,
  pg_type: `
    oid typname typnamespace typowner typlen typbyval typalign typtype typcategory typispreferred
    typisdefined typdelim typrelid typsubscript::oid typelem typarray typinput::oid typoutput::oid
    typreceive::oid typsend::oid typmodin::oid typmodout::oid typbasetype typtypmod typndims typnotnull
    typcollation typdefaultbin typdefault`,
  pg_class: "oid relname relnamespace relowner relkind reltype relam relrowsecurity",
  pg_language: "oid lanname lanowner lanispl lanpltrusted lanplcallfoid laninline lanvalidator",
  pg_amop:
    "oid amopfamily amoplefttype amoprighttype amopstrategy amoppurpose amopopr amopmethod amopsortfamily",
  pg_amproc: "oid amprocfamily amproclefttype amprocrighttype amprocnum amproc::oid",
  pg_am: "oid amname amhandler::oid amtype",
  pg_opfamily: "oid opfname opfmethod opfnamespace opfowner",
  pg_range: "rngtypid rngsubtype rngmultitypid rngcollation rngsubopc rngcanonical::oid rngsubdiff::oid",
  pg_conversion: "oid conname connamespace conowner conforencoding contoencoding conproc::oid condefault",
  pg_opclass: "oid opcmethod opcname opcnamespace opcowner opcfamily opcintype opcdefault opckeytype",
  // What initdb granted. These rows say which grants of a builtin object are more than that.
  pg_init_privs: "objoid classoid objsubid privtype initprivs",
};
/**
 * The tables with grants: the prefix of their columns, and what everybody may do where pg_init_privs has no
 * row. Everybody may read the views of information_schema, for which it has none.
 */
const GRANTED: Readonly<Record<string, readonly [prefix: string, byDefault: string]>> = {
  pg_proc: ["pro", "X"],
  pg_type: ["typ", "U"],
  pg_language: ["lan", "U"],
  pg_class: ["rel", "r"],
  pg_attribute: ["att", ""],
  pg_namespace: ["nsp", "U"],
};

/** What everybody may do with an object whose list of grants is null. */
const WITHOUT_LIST: Readonly<Record<string, string>> = {
  pg_proc: "{=X/x}",
  pg_type: "{=U/x}",
  pg_language: "{=U/x}",
};

const columnsOf = (table: string) => COLUMNS[table]!.trim().split(/\s+/);
const digestStatement = (table: string) => {
  const list = columnsOf(table).map((column, index) => `${column} as c${index}`).join(", ");
  return `select xmin, ${list} from pg_catalog.${table}`;
};
const grantsStatement = (table: string) => {
  const [prefix] = GRANTED[table]!;
  const key = table === "pg_attribute" ? "attrelid as oid, attnum as part" : "oid, 0 as part";
  return `select ${key}, ${prefix}name as name, ${prefix}acl as acl from pg_catalog.${table}`;
};
export const BUILTIN_STATEMENTS: readonly string[] = [
  ...Object.keys(COLUMNS).map(digestStatement),
  ...Object.keys(GRANTED).map(grantsStatement),
];

/**
 * For each major version of Postgres and each table, the digests of the rows below FIRST_NORMAL_OID. There
 * are several if a minor version changed what initdb writes.
 */
export type BuiltinFile = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

interface Builtin {
  readonly digests: Readonly<Record<string, string>>;
  /** The rows of each table, with the transaction that wrote each. */
  readonly rows: ReadonlyMap<string, readonly { name: string; xmin: number }[]>;
}

export async function majorVersion(sql: Connection): Promise<string> {
  const [{ server_version_num }] = await sql.unsafe("show server_version_num") as unknown as [Row];
  return `${Math.floor(Number(server_version_num) / 10_000)}`;
}

export async function readBuiltin(sql: Connection): Promise<Builtin> {
  const names = await readNames(sql);
  const digests: Record<string, string> = {};
  const rows = new Map<string, { name: string; xmin: number }[]>();
  for (const table of Object.keys(COLUMNS)) {
    const found: { name: string; xmin: number; text: string }[] = [];
    const list = columnsOf(table);
    for (const { xmin, ...row } of await sql.unsafe(digestStatement(table))) {
      if (row.c0 >= FIRST_NORMAL_OID) continue;
      const key = row.c0 < FIRST_UNPINNED_OID ? row.c0 : names.get(row.c0) ?? "";
      const values = list.slice(1).map((_, index) => row[`c${index + 1}`]);
      found.push({
        name: `${row.c1}`,
        xmin: Number(xmin),
        text: spell([key, ...values].map(String).join("\x1f"), names),
      });
    }
    found.sort((one, another) => one.text < another.text ? -1 : 1);
    digests[table] = sha256Hex(...found.map(({ text }) => `${text}\n`)).slice(0, 32);
    rows.set(table, found);
  }
  return { digests, rows };
}

/** Names the objects whose OIDs depend on the machine. */
async function readNames(sql: Connection): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  for (const table of ["pg_namespace", "pg_class", "pg_type", "pg_proc", "pg_language"]) {
    const [prefix] = GRANTED[table]!;
    const schema = /^pg_(class|type|proc)$/.test(table) ? `${prefix}namespace` : "0";
    const named: readonly Row[] = await sql.unsafe(
      `select oid, ${prefix}name as name, ${schema} as schema from pg_catalog.${table}`,
    );
    for (const { oid, name, schema: within } of named) {
      if (oid >= FIRST_UNPINNED_OID && oid < FIRST_NORMAL_OID) {
        names.set(oid, `${table} ${names.get(within) ?? within}.${spell(name, names)}`);
      }
    }
  }
  return names;
}

/**
 * Stored expressions have OIDs, and before Postgres 17 also positions in the text that was parsed. The name of
 * a TOAST table is an OID.
 */
const spell = (text: string, names: ReadonlyMap<number, string>): string =>
  text.replaceAll(/:(stmt_)?(location|len) -?\d+/g, "").replaceAll(/pg_toast_\d+/g, "pg_toast")
    .replaceAll(
      /\b1[2-6]\d{3}\b/g,
      (digits) => names.get(Number(digits)) ?? digits,
    );

/** The digests of this version of Postgres. Without them, adds a finding. */
export async function knownDigests(
  sql: Connection,
  findings: Findings,
): Promise<BuiltinFile[string] | undefined> {
  const version = await majorVersion(sql);
  const known = (JSON.parse(readFileSync(FILE, "utf8")) as BuiltinFile)[version];
  if (!known) {
    const row = `Postgres ${version}`;
    findings.add("builtin_is_postgres", row, "a version that this release supports", version);
  }
  return known;
}

const HINTS = 5;

/** `rows` have the transaction that wrote each. Hardening moves it, too, so it is only a hint. */
export function compareDigest(
  findings: Findings,
  table: string,
  known: readonly string[] | undefined,
  digest: string,
  rows: readonly { readonly name: string; readonly xmin: number }[],
): void {
  if (known?.includes(digest)) return;
  const last = [...rows].sort((one, another) => another.xmin - one.xmin).slice(0, HINTS);
  findings.add(
    "builtin_is_postgres",
    table,
    known?.join(" or "),
    `${digest}; last written: ${last.map(({ name }) => name).join(", ")}`,
  );
}

/** Compares the rows of initdb with those of a new server of the same version, and the grants, too. */
export async function compareBuiltin(
  sql: Connection,
  findings: Findings,
  known: BuiltinFile[string] | undefined,
): Promise<void> {
  if (known) {
    const { digests, rows } = await readBuiltin(sql);
    for (const [table, digest] of Object.entries(digests)) {
      compareDigest(findings, table, known[table], digest, rows.get(table)!);
    }
  }
  await compareGrants(sql, findings);
}

async function compareGrants(sql: Connection, findings: Findings): Promise<void> {
  const oids = new Map<string, number>();
  const relations = "select oid, relname, relnamespace from pg_catalog.pg_class";
  for (const { oid, relname, relnamespace } of await sql.unsafe(relations)) {
    if (relnamespace === PG_CATALOG_OID) oids.set(relname, oid);
  }
  const initial = new Map<string, string>();
  for (
    const { objoid, classoid, objsubid, initprivs } of await sql.unsafe(
      "select objoid, classoid, objsubid, initprivs from pg_catalog.pg_init_privs",
    )
  ) {
    initial.set(`${classoid} ${objoid} ${objsubid}`, initprivs);
  }
  const [{ superuser }] = await sql.unsafe(
    "select rolname as superuser from pg_catalog.pg_roles where oid = 10",
  ) as unknown as [Row];
  for (const [table, [, byDefault]] of Object.entries(GRANTED)) {
    const isColumn = table === "pg_attribute";
    for (const { oid, part, name, acl } of await sql.unsafe(grantsStatement(table))) {
      const first = initial.get(`${oids.get(isColumn ? "pg_class" : table)} ${oid} ${part}`);
      const now = acl ?? (first && WITHOUT_LIST[table]);
      if (!now || oid >= FIRST_NORMAL_OID) continue;
      const allowed = grants(first ?? `{=${byDefault}/x}`);
      const more = [...grants(now)].filter(([role, privileges]) =>
        role !== superuser && [...privileges].some((each) => !(allowed.get(role) ?? "").includes(each))
      );
      if (more.length > 0) {
        findings.add(
          "builtin_is_postgres",
          `grants of ${table} ${name}`,
          "at most those of initdb",
          more.map((entry) => entry.join("=")).join(" "),
        );
      }
    }
  }
}

/** The privileges of each role, which is empty for everybody. */
const grants = (acl: string): ReadonlyMap<string, string> =>
  new Map(
    acl.slice(1, -1).split(",").map((entry) => {
      const [, role, privileges] = /^"?(.*?)=([^/]*)\//.exec(entry) ?? [undefined, entry, "?"];
      return [role!, privileges!];
    }),
  );
