// Describes every object of the schema as one text. A text has no OIDs and no values that belong to one
// installation. It is read from pg_catalog; only Postgres's own printers of expressions are called.
import type { Connection, Row } from "../snapshot.ts";

/** One statement: it returns the name and the text of each object. `schemas` are gold's. */
const IN_SCHEMA = "in (select oid from pg_catalog.pg_namespace where nspname in ('gold', 'gold_attempts'))";
/** Attempts' partitions have a date in their names. They are compared with their parent elsewhere. */
const NO_PARTITIONS = "and not c.relispartition";

const STATEMENTS: Readonly<Record<string, string>> = {
  // The login that migrates owns the database and the schemas. Its name belongs to the installation.
  schema: `
    select n.nspname as name, case when n.nspowner = d.datdba then 'the owner of the database' else r.rolname end as owner,
      array(select a from unnest(n.nspacl) a where not starts_with(a::text, quote_ident(r.rolname) || '='))::text as grants
    from pg_namespace n join pg_roles r on r.oid = n.nspowner join pg_database d on d.datname = current_database()
    where n.nspname in ('gold', 'gold_attempts')`,
  relation: `
    select n.nspname || '.' || c.relname as name, c.relkind::text, c.relpersistence::text, r.rolname as owner, c.relacl::text as grants,
      c.relrowsecurity, c.relforcerowsecurity,
      (select count(*) from pg_trigger t where t.tgrelid = c.oid and t.tgisinternal and t.tgenabled <> 'O')::int as disabled_checks
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.oid = c.relowner
    where c.relnamespace ${IN_SCHEMA} and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') ${NO_PARTITIONS}`,
  column: `
    select n.nspname || '.' || c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull,
      a.attidentity::text, a.attgenerated::text, pg_get_expr(d.adbin, d.adrelid) as value, l.collname, a.attacl::text as grants
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum left join pg_collation l on l.oid = a.attcollation
    where c.relnamespace ${IN_SCHEMA} and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped ${NO_PARTITIONS}`,
  constraint: `
    select n.nspname || '.' || c.relname || '.' || k.conname as name, k.contype::text, k.condeferrable,
      pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    where c.relnamespace ${IN_SCHEMA} and k.contype <> 'n' ${NO_PARTITIONS}`,
  index: `
    select n.nspname || '.' || i.relname as name, pg_get_indexdef(x.indexrelid) as definition, x.indisunique, x.indisvalid, x.indisready
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
      join pg_namespace n on n.oid = c.relnamespace
    where c.relnamespace ${IN_SCHEMA} ${NO_PARTITIONS}`,
  trigger: `
    select n.nspname || '.' || c.relname || '.' || t.tgname as name, pg_get_triggerdef(t.oid) as definition, t.tgenabled::text
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where c.relnamespace ${IN_SCHEMA} and not t.tgisinternal ${NO_PARTITIONS}`,
  rule: `
    select n.nspname || '.' || c.relname || '.' || w.rulename as name, pg_get_ruledef(w.oid) as definition, w.ev_enabled::text
    from pg_rewrite w join pg_class c on c.oid = w.ev_class join pg_namespace n on n.oid = c.relnamespace
    where c.relnamespace ${IN_SCHEMA}`,
  policy: `
    select n.nspname || '.' || c.relname || '.' || p.polname as name, pg_get_expr(p.polqual, p.polrelid) as definition
    from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
    where c.relnamespace ${IN_SCHEMA}`,
  function: `
    select n.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as name,
      pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result, l.lanname, p.prokind::text,
      p.prosecdef, p.proleakproof, p.proisstrict, p.provolatile::text, p.proparallel::text, p.proconfig::text, r.rolname as owner,
      p.proacl::text as grants, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as body, p.probin
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang join pg_roles r on r.oid = p.proowner
    where p.pronamespace ${IN_SCHEMA}`,
  type: `
    select n.nspname || '.' || t.typname as name, t.typtype::text, r.rolname as owner, t.typacl::text as grants,
      (select string_agg(e.enumlabel, ',' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid) as labels,
      (select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ',' order by a.attnum) from pg_attribute a
        where a.attrelid = t.typrelid and c.relkind = 'c') as members
    from pg_type t join pg_namespace n on n.oid = t.typnamespace join pg_roles r on r.oid = t.typowner
      left join pg_class c on c.oid = t.typrelid
    where t.typnamespace ${IN_SCHEMA} and (t.typtype in ('e', 'd') or c.relkind = 'c')`,
  // No release creates objects of these kinds, in any schema.
  event_trigger: "select evtname as name, evtevent as event from pg_event_trigger",
  operator:
    `select n.nspname || '.' || o.oprname as name from pg_operator o join pg_namespace n on n.oid = o.oprnamespace where o.oid >= 16384 and (o.oprnamespace ${IN_SCHEMA} or n.nspname = 'pg_catalog')`,
  cast:
    "select castsource::regtype::text || ' to ' || casttarget::regtype::text as name from pg_cast where oid >= 16384",
  default_grant:
    "select coalesce(n.nspname, '') || ' ' || d.defaclobjtype::text as name from pg_default_acl d left join pg_namespace n on n.oid = d.defaclnamespace",
  // A routine in pg_catalog is found before any other routine of the same name.
  builtin:
    "select p.oid::regprocedure::text as name from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace and p.oid >= 16384",
};

/** Reads every object: its kind and name, and its text. */
export async function readObjects(sql: Connection): Promise<Map<string, string>> {
  const objects = new Map<string, string>();
  for (const [kind, statement] of Object.entries(STATEMENTS)) {
    for (const { name, ...rest } of await sql.unsafe(statement)) objects.set(`${kind} ${name}`, textOf(rest));
  }
  return objects;
}

const textOf = (columns: Row): string =>
  Object.entries(columns).map(([name, value]) =>
    `${name}: ${name === "grants" ? grantsText(value as string | null) : spell(value)}`
  )
    .join("\n");

const spell = (value: unknown): string => value === null ? "nothing" : `${value}`.replace(/\s+/g, " ").trim();

/**
 * The grants without who gave them, sorted. Postgres 17 added the privilege MAINTAIN (m) to the owner's.
 */
function grantsText(acl: string | null): string {
  if (acl === null) return "default";
  const entries = acl.replace(/^\{|\}$/g, "").split(",").map((entry) => {
    const [, role, privileges] = /^"?(.*?)=([^/]*)\//.exec(entry) ?? [undefined, entry, ""];
    return `${role === "" ? "public" : role}=${privileges!.replaceAll("m", "")}`;
  });
  return entries.sort().join(" ");
}
