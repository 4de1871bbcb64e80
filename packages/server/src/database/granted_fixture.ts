import { type Change, CHANGES, functionsOf } from "@gold-partner/approvals";
import { readFile } from "node:fs/promises";
import type { Sql, TransactionSql } from "postgres";

/**
 * Who has which privilege on which object, one line each, such as `gold_ticker execute function tick_price`.
 */
export type Granted = ReadonlySet<string>;

/** Reads every privilege of every role but the owner, on the functions, relations, columns and schemas. */
export async function readGranted(sql: Sql | TransactionSql): Promise<Granted> {
  const rows = await sql<{ line: string }[]>`
    with item as (
      select 'function ' || p.proname as name, p.proowner as owner, coalesce(p.proacl, acldefault('f', p.proowner)) as acl
      from pg_proc p where p.pronamespace::regnamespace::text ~ '^gold'
      union all
      select 'relation ' || c.relname, c.relowner, coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's'::"char" else 'r' end, c.relowner))
      from pg_class c where c.relnamespace::regnamespace::text ~ '^gold' and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      union all
      select 'column ' || c.relname || '.' || a.attname, c.relowner, a.attacl
      from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace::regnamespace::text ~ '^gold' and a.attacl is not null
      union all
      select 'schema ' || n.nspname, n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner)) from pg_namespace n where n.nspname ~ '^gold'
    )
    select distinct concat_ws(' ', case g.grantee when 0 then 'public' else pg_get_userbyid(g.grantee)::text end,
      lower(g.privilege_type), case when g.is_grantable then 'with grant option' end, item.name) as line
    from item, aclexplode(item.acl) g where g.grantee <> item.owner`;
  return new Set(rows.map(({ line }) => line));
}

const read = (name: string) => readFile(new URL(name, import.meta.url), "utf8");
const wordsOf = (text: string) => text.match(/[^\s,]+/g) ?? [];

/** Reads the privileges that the migration's lists state. `tables` and `views` are those of the database. */
export async function readLists(relations: ReadonlySet<string>): Promise<Granted> {
  const explained = new Set<string>();
  const text = (await read("privileges.sql")).replaceAll(/^\s*--.*$/gm, "");
  const everybody = wordsOf(/everybody constant text := '([^']+)'/.exec(text)![1]!);
  for (const role of everybody) explained.add(`${role} usage schema gold`);
  for (const [, roles, names] of text.matchAll(/\('([a-z_ ]+)',\s+'([^']+)'\)/g)) {
    for (const role of wordsOf(roles!)) {
      for (const name of wordsOf(names!)) {
        explained.add(
          relations.has(name) ? `${role} select relation ${name}` : `${role} execute function ${name}`,
        );
      }
    }
  }
  for (const change of Object.values<Change>(CHANGES)) {
    for (const name of functionsOf(change)) explained.add(`gold_${change.role} execute function ${name}`);
  }
  for (const file of ["grants.sql", "sandbox_grants.sql"]) {
    for (
      const given of (await read(file)).matchAll(
        /^(grant|revoke) ([^;]+?) on ([^;]+?) (?:to|from) ([^;]+);/gm,
      )
    ) {
      const [, verb, privileges, objects, roles] = given as unknown as [
        string,
        string,
        string,
        string,
        string,
      ];
      const all = objects.startsWith("all tables")
        ? [...relations].map((name) => `relation ${name}`)
        : undefined;
      const [, kind = "relation", list = objects] = /^(schema|function) (.+)$/s.exec(objects) ?? [];
      const items = all ?? wordsOf(list).map((name) => `${kind} ${name.replace(/^gold\w*\./, "")}`);
      for (const [, privilege, columns] of privileges.matchAll(/(\w+)(?: \(([^)]+)\))?/g)) {
        for (const role of wordsOf(roles)) {
          for (const item of items) {
            const lines = columns === undefined
              ? [`${role} ${privilege} ${item}`]
              : wordsOf(columns).map((name) =>
                `${role} ${privilege} ${item.replace("relation", "column")}.${name}`
              );
            for (const line of lines) verb === "grant" ? explained.add(line) : explained.delete(line);
          }
        }
      }
    }
  }
  return explained;
}

/** Returns the relations of the schema `gold`. */
export async function readRelations(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql`
    select relname from pg_class where relnamespace = 'gold'::regnamespace and relkind in ('r', 'p', 'v')`;
  return new Set(rows.map(({ relname }) => relname));
}
