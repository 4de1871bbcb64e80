// Describes every object of the database that initdb did not create. An object of the release has one text,
// with no OIDs and no values that belong to one installation. Any other object has its owner in its name. The
// statements read pg_catalog, and call only Postgres's own functions, which builtin.ts compares with those of
// a new server. harmless.ts lists what no statement reads.
import type { Connection, Row } from "../snapshot.ts";
import { FIRST_NORMAL_OID } from "./builtin.ts";

const RELEASE =
  "(select oid from pg_catalog.pg_namespace where nspname in ('gold', 'gold_attempts', 'gold_migrations'))";
/** The schemas of temporary objects. Only the session that created such an object sees it. */
const TEMPORARY = `(select oid from pg_catalog.pg_namespace
    where nspname ~ '^pg_(toast_)?temp_[0-9]+$' and nspowner = 10 and nspacl is null)`;
const other = (oid: string, schema: string) =>
  `${oid} >= ${FIRST_NORMAL_OID} and ${schema} not in ${RELEASE} and ${schema} not in ${TEMPORARY}`;

/** A superuser can give an object an owner that does not exist. */
const ROLE = "coalesce(r.rolname, 'no role')";
/** The login that migrates owns the database and the schemas. Its name belongs to the installation. */
const OWNER =
  "case when r.oid = d.datdba then 'the owner of the database' else coalesce(r.rolname, 'no role') end as owner";
const DATABASE = "join pg_database d on d.datname = current_database()";
const grantsOf = (column: string) =>
  `array(select a from unnest(${column}) a
      where r.oid <> d.datdba or not starts_with(a::text, quote_ident(r.rolname) || '='))::text as grants`;

/** Everything that decides when a trigger fires. Drops the OID from the name of a foreign key's trigger. */
const TRIGGER = `
  regexp_replace(pg_get_triggerdef(t.oid), '(RI_ConstraintTrigger_[ac]_)[0-9]+', '\\1'), t.tgenabled::text,
  t.tgdeferrable::text, t.tginitdeferred::text, k.conname::text, t.tgconstrindid::regclass::text,
  (t.tgparentid <> 0)::text`;

/** The release's objects: each statement returns the name of an object and what is compared. */
const OWN: Readonly<Record<string, string>> = {
  schema: `
    select n.nspname as name, ${OWNER}, ${grantsOf("n.nspacl")}
    from pg_namespace n left join pg_roles r on r.oid = n.nspowner ${DATABASE} where n.oid in ${RELEASE}`,
  // Internal triggers check foreign keys.
  relation: `
    select n.nspname || '.' || c.relname as name, c.relkind::text, c.relpersistence::text, ${OWNER},
      c.relacl is null as no_grants, ${grantsOf("c.relacl")},
      c.relrowsecurity, c.relforcerowsecurity, m.amname, c.relispartition,
      pg_get_partkeydef(c.oid) as partition_key,
      case when c.relkind = 'v' then c.reloptions::text end as options,
      -- Postgres reads triggers, rules, indexes, children and checks only if the relation's flag says that
      -- there are some.
      (c.relhastriggers or not exists (select from pg_trigger t where t.tgrelid = c.oid))
        and (c.relhasrules or not exists (select from pg_rewrite w where w.ev_class = c.oid))
        and (c.relhasindex or not exists (select from pg_index x where x.indrelid = c.oid))
        and (c.relhassubclass or not exists (select from pg_inherits i where i.inhparent = c.oid))
        and c.relchecks = (select count(*) from pg_constraint k where k.conrelid = c.oid and k.contype = 'c')
        as flags_hold,
      (select p.partdefid::regclass::text from pg_partitioned_table p where p.partrelid = c.oid)
        as default_partition,
      (select string_agg(concat_ws(' ', ${TRIGGER}), ',' order by t.tgfoid, t.tgtype, k.conname)
        from pg_trigger t left join pg_constraint k on k.oid = t.tgconstraint
        where t.tgrelid = c.oid and t.tgisinternal) as checks
    from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_roles r on r.oid = c.relowner
      ${DATABASE} left join pg_am m on m.oid = c.relam
    where c.relnamespace in ${RELEASE} and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')`,
  inheritance: `
    select i.inhrelid::regclass::text || ' of ' || i.inhparent::regclass::text as name, i.inhdetachpending
    from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_class c on c.oid = i.inhrelid
    where (c.relnamespace in ${RELEASE} or p.relnamespace in ${RELEASE}) and p.relkind in ('r', 'p', 'f')`,
  column: `
    select n.nspname || '.' || c.relname || '.' || a.attname as name,
      format_type(a.atttypid, a.atttypmod) as type, a.attnotnull, a.attidentity::text, a.attgenerated::text,
      a.atthasdef, pg_get_expr(d.adbin, d.adrelid) as value, l.collname, a.attacl::text as grants,
      (a.attlen, a.attbyval, a.attalign) = (t.typlen, t.typbyval, t.typalign) as layout_holds
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      left join pg_collation l on l.oid = a.attcollation
    where c.relnamespace in ${RELEASE} and (c.relkind in ('r', 'p') or a.attacl is not null)
      and a.attnum > 0 and not a.attisdropped`,
  constraint: `
    select n.nspname || '.' || c.relname || '.' || k.conname as name, k.contype::text, k.condeferrable,
      pg_get_constraintdef(k.oid) as definition,
      -- A foreign key checks with these operators. Postgres may choose any of several indexes for it.
      concat_ws(' ', k.conpfeqop::regoperator[], k.conppeqop::regoperator[], k.conffeqop::regoperator[])
        as operators,
      case when k.contype <> 'f' then k.conindid::regclass::text end as index,
      (select p.conname from pg_constraint p where p.oid = k.conparentid) as parent
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    where c.relnamespace in ${RELEASE} and k.contype <> 'n'`,
  index: `
    select n.nspname || '.' || i.relname as name, pg_get_indexdef(x.indexrelid) as definition,
      x.indisunique, x.indisvalid, x.indisready, x.indislive, x.indimmediate, x.indisprimary, x.indisexclusion,
      (select string_agg(concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attlen, a.attbyval, a.attalign,
          a.attisdropped), ',' order by a.attnum)
        from pg_attribute a where a.attrelid = i.oid) as columns
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
      join pg_namespace n on n.oid = c.relnamespace
    where c.relnamespace in ${RELEASE}`,
  trigger: `
    select n.nspname || '.' || c.relname || '.' || t.tgname as name, array[${TRIGGER}]::text as definition
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
      left join pg_constraint k on k.oid = t.tgconstraint
    where c.relnamespace in ${RELEASE} and not t.tgisinternal`,
  rule: `
    select n.nspname || '.' || c.relname || '.' || w.rulename as name, pg_get_ruledef(w.oid) as definition,
      w.ev_enabled::text
    from pg_rewrite w join pg_class c on c.oid = w.ev_class join pg_namespace n on n.oid = c.relnamespace
    where c.relnamespace in ${RELEASE}`,
  function: `
    select n.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as name,
      pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result, l.lanname,
      p.prokind::text, p.prosecdef, p.proleakproof, p.proisstrict, p.provolatile::text, p.proparallel::text,
      p.proconfig::text, ${ROLE} as owner, p.proacl::text as grants,
      pg_get_function_sqlbody(p.oid) as body, p.prosrc as source, p.probin, p.prosupport::text,
      p.protrftypes::text, p.pronargs, p.pronargdefaults, p.provariadic::regtype::text,
      p.proargtypes::regtype[]::text as arguments_in
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace left join pg_language l on l.oid = p.prolang
      left join pg_roles r on r.oid = p.proowner
    where p.pronamespace in ${RELEASE}`,
  type: `
    select n.nspname || '.' || t.typname as name, t.typtype::text, ${OWNER},
      t.typacl::text as grants, t.typlen, t.typbyval, t.typalign::text, t.typcategory::text, t.typispreferred,
      t.typisdefined, t.typdelim::text, t.typrelid::regclass::text, t.typelem::regtype::text,
      t.typarray::regtype::text, t.typbasetype::regtype::text, t.typtypmod, t.typndims, t.typnotnull,
      t.typcollation::regcollation::text, t.typdefault,
      array[t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin, t.typmodout, t.typsubscript]::text
        as functions,
      (select string_agg(e.enumlabel, ',' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid) as labels,
      (select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ',' order by a.attnum)
        from pg_attribute a where a.attrelid = t.typrelid and c.relkind = 'c') as members
    from pg_type t join pg_namespace n on n.oid = t.typnamespace left join pg_roles r on r.oid = t.typowner
      ${DATABASE} left join pg_class c on c.oid = t.typrelid
    where t.typnamespace in ${RELEASE}`,
  sequence: `
    select s.seqrelid::regclass::text as name, format_type(s.seqtypid, null) as type,
      s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcycle
    from pg_sequence s join pg_class c on c.oid = s.seqrelid where c.relnamespace in ${RELEASE}`,
};

/** One row for each object of a catalog whose rows have an owner. */
const owned = (table: string, prefix: string, more = "true") => `
  select o.${prefix}name as name, ${ROLE} as owner
  from ${table} o left join pg_roles r on r.oid = o.${prefix}owner where ${more}`;

/** The same for a catalog whose rows are in schemas. */
const ownedInSchema = (table: string, prefix: string, more: string) => `
  select coalesce(n.nspname, 'no schema') || '.' || o.${prefix}name as name, ${ROLE} as owner
  from ${table} o left join pg_roles r on r.oid = o.${prefix}owner
    left join pg_namespace n on n.oid = o.${prefix}namespace
  where ${more}`;

const ADDED = `o.oid >= ${FIRST_NORMAL_OID}`;

/** The other objects. No release creates objects of these kinds, or objects in other schemas. */
const OTHER: Readonly<Record<string, string>> = {
  // The operator may take the schema public away from everybody, or drop it.
  schema: `
    select n.nspname as name, ${ROLE} as owner
    from pg_namespace n left join pg_roles r on r.oid = n.nspowner
    where n.oid not in ${RELEASE} and n.oid not in ${TEMPORARY} and not case n.nspname
      when 'public' then n.nspowner in (10, 'pg_database_owner'::regrole)
      else n.nspowner = 10 and n.nspname in ('pg_catalog', 'pg_toast', 'information_schema') end`,
  relation: ownedInSchema(
    "pg_class",
    "rel",
    `${other("o.oid", "o.relnamespace")} and o.relkind in ('r', 'p', 'v', 'm', 'S', 'f')`,
  ),
  function: `
    select p.oid::regprocedure::text as name, ${ROLE} as owner
    from pg_proc p left join pg_roles r on r.oid = p.proowner
    where p.oid >= ${FIRST_NORMAL_OID} and p.pronamespace not in ${RELEASE} and (p.prosecdef
      or p.pronamespace not in ${TEMPORARY} or coalesce(r.rolsuper, true) or starts_with(r.rolname, 'gold_'))`,
  type: ownedInSchema(
    "pg_type",
    "typ",
    `${other("o.oid", "o.typnamespace")} and o.typcategory <> 'A' and (o.typtype <> 'c'
      or exists (select from pg_class c where c.oid = o.typrelid and c.relkind = 'c'))`,
  ),
  // A column without a default has the default of its type.
  type_default: `
    select oid::regtype::text as name from pg_type
    where typdefaultbin is not null and typnamespace <> 'information_schema'::regnamespace`,
  extended_statistics: ownedInSchema("pg_statistic_ext", "stx", ADDED),
  operator: ownedInSchema("pg_operator", "opr", ADDED),
  cast: `
    select castsource::regtype::text || ' to ' || casttarget::regtype::text as name
    from pg_cast where oid >= ${FIRST_NORMAL_OID}`,
  collation: ownedInSchema("pg_collation", "coll", ADDED),
  conversion: ownedInSchema("pg_conversion", "con", ADDED),
  operator_class: ownedInSchema("pg_opclass", "opc", ADDED),
  operator_family: ownedInSchema("pg_opfamily", "opf", ADDED),
  // Members of Postgres's own families.
  family_operator: `
    select f.opfname || ' ' || o.amopopr::regoperator::text as name
    from pg_amop o join pg_opfamily f on f.oid = o.amopfamily
    where o.oid >= ${FIRST_NORMAL_OID} and f.oid < ${FIRST_NORMAL_OID}`,
  family_function: `
    select f.opfname || ' ' || o.amproc::regprocedure::text as name
    from pg_amproc o join pg_opfamily f on f.oid = o.amprocfamily
    where o.oid >= ${FIRST_NORMAL_OID} and f.oid < ${FIRST_NORMAL_OID}`,
  access_method: `select amname as name from pg_am where oid >= ${FIRST_NORMAL_OID}`,
  language: owned("pg_language", "lan", ADDED),
  transform: "select trftype::regtype::text as name from pg_transform",
  event_trigger: owned("pg_event_trigger", "evt"),
  extension: owned("pg_extension", "ext", "o.extname <> 'plpgsql'"),
  foreign_data_wrapper: owned("pg_foreign_data_wrapper", "fdw"),
  server: owned("pg_foreign_server", "srv"),
  publication: owned("pg_publication", "pub"),
  published: `
    select p.pubname || ' ' || c.prrelid::regclass::text as name
    from pg_publication_rel c join pg_publication p on p.oid = c.prpubid
    union all
    select p.pubname || ' ' || n.nspname from pg_publication_namespace c
      join pg_publication p on p.oid = c.pnpubid join pg_namespace n on n.oid = c.pnnspid`,
  subscription: owned(
    "pg_subscription",
    "sub",
    "o.subdbid = (select oid from pg_database where datname = current_database())",
  ),
  policy: "select polrelid::regclass::text || '.' || polname as name from pg_policy",
  // Of Postgres's own relations.
  rule: `
    select ev_class::regclass::text || '.' || rulename as name
    from pg_rewrite where oid >= ${FIRST_NORMAL_OID} and ev_class < ${FIRST_NORMAL_OID}`,
  trigger:
    `select tgrelid::regclass::text || '.' || tgname as name from pg_trigger where tgrelid < ${FIRST_NORMAL_OID}`,
  default_grant: `
    select concat_ws(' ', n.nspname, d.defaclobjtype) as name, ${ROLE} as owner,
      d.defaclacl::text as grants
    from pg_default_acl d left join pg_roles r on r.oid = d.defaclrole
      left join pg_namespace n on n.oid = d.defaclnamespace`,
  parameter_grant: "select parname as name, paracl::text as grants from pg_parameter_acl",
  // Everybody may connect and create temporary tables. Taking that away, or giving it to some, is harmless.
  database_grant: `
    select g.grantee::regrole::text || ' ' || g.privilege_type as name
    from pg_database d, aclexplode(d.datacl) g
    where d.datname = current_database() and g.grantee not in (0, d.datdba) and g.privilege_type <> 'CONNECT'
    union all select 'public CREATE' from pg_database d, aclexplode(d.datacl) g
    where d.datname = current_database() and g.grantee = 0 and g.privilege_type = 'CREATE'`,
};
/** Statements that only a superuser may read. */
const RESTRICTED: Readonly<Record<string, string>> = {
  pg_user_mapping: `
    select concat_ws(' ', s.srvname, m.umuser) as name
    from pg_user_mapping m left join pg_foreign_server s on s.oid = m.umserver`,
};

export const CATALOG_STATEMENTS: readonly string[] = [OWN, OTHER, RESTRICTED].flatMap(Object.values);

/** Reads the release's objects: kind and name, and the text. Partitions of attempts share names. */
export async function readObjects(
  sql: Connection,
): Promise<readonly (readonly [name: string, text: string])[]> {
  const objects: (readonly [string, string])[] = [];
  for (const [kind, statement] of Object.entries(OWN)) {
    for (const { name, ...rest } of await sql.unsafe(statement)) {
      objects.push([withoutDate(`${kind} ${name}`), withoutDate(textOf(rest))]);
    }
  }
  return objects;
}

/** Reads the names and owners of all other objects. `skip` is called for what the login may not read. */
export async function readOthers(
  sql: Connection,
  skip: (name: string, reason: string) => void,
): Promise<readonly (readonly [name: string, text: string])[]> {
  const objects: (readonly [string, string])[] = [];
  const add = async (kind: string, statement: string) => {
    for (const { name, owner, ...rest } of await sql.unsafe(statement)) {
      objects.push([
        `${kind} ${name}${owner === undefined ? "" : ` of ${owner}`}`,
        textOf(rest) || "it exists",
      ]);
    }
  };
  for (const [kind, statement] of Object.entries(OTHER)) await add(kind, statement);
  for (const [table, statement] of Object.entries(RESTRICTED)) {
    const [may] = await sql.unsafe(`select has_table_privilege('${table}', 'select') as read`);
    if (may!.read) await add(table, statement);
    else skip(table, "needs a superuser");
  }
  return objects;
}

/** The names of attempts' partitions have the day on which their week begins. */
const withoutDate = (text: string) => text.replaceAll(/\b(_?)week_\d{8}/g, "$1week_DATE");

const textOf = (columns: Row): string =>
  Object.entries(columns).map(([name, value]) => {
    if (name === "grants") return `${name}: ${grantsText(value as string | null, `${columns.owner}`)}`;
    // A line feed ends a comment in a function's source, so white space counts there. Postgres prints all
    // other texts without comments.
    return `${name}: ${name === "source" ? value : spell(value)}`;
  }).join("\n");

const spell = (value: unknown): string => value === null ? "nothing" : `${value}`.replace(/\s+/g, " ").trim();

/**
 * The grants without who gave them, sorted. Postgres 17 added the privilege MAINTAIN (m) to the owner's.
 */
function grantsText(acl: string | null, owner: string): string {
  if (acl === null) return "default";
  const entries = acl.replace(/^\{|\}$/g, "").split(",").map((entry) => {
    const [, role, privileges] = /^"?(.*?)=([^/]*)\//.exec(entry) ?? [undefined, entry, ""];
    return `${role === "" ? "public" : role}=${role === owner ? privileges!.replace("m", "") : privileges}`;
  });
  return entries.sort().join(" ");
}
