// Compares the columns of initdb's relations. A superuser who edits pg_attribute can swap the names of two
// columns, or change the alignment of one. Postgres reads columns by number and goes on, but statements of the
// audit then read something else. So the audit compares the columns before it reads anything else. It reads
// them through pg_class and pg_attribute alone, because Postgres has the layout of these two compiled in.
import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";
import { sha256Hex } from "../values.ts";
import {
  type BuiltinFile,
  compareDigest,
  FIRST_NORMAL_OID,
  FIRST_UNPINNED_OID,
  knownDigests,
  readBuiltin,
} from "./builtin.ts";

const OIDS = { pg_class: 1259, pg_attribute: 1249 };
type Table = keyof typeof OIDS;
const TABLES = Object.keys(OIDS) as Table[];
const COLUMNS: Readonly<Record<Table, string>> = {
  // relhasrules and relhassubclass: a rule or a child table changes which rows a statement reads.
  pg_class: "oid, relname, relnamespace, relkind, relhasrules, relhassubclass, relnatts",
  pg_attribute: `
    attrelid, attname, atttypid, attnum, attlen, atttypmod, attbyval, attalign, attnotnull, atthasdef,
    atthasmissing, attidentity, attgenerated, attisdropped, attcollation`,
};
const statementOf = (table: Table) => `select ${COLUMNS[table]}, xmin from pg_catalog.${table}`;
const DEFAULTS = "select adrelid from pg_catalog.pg_attrdef";
export const LAYOUT_STATEMENTS: readonly string[] = [...TABLES.map(statementOf), DEFAULTS];

/**
 * Returns undefined if a query of the table reads the table itself. Otherwise returns what it reads instead:
 * another relation of that name, or the plan that a rule produces.
 */
async function findSubstitute(sql: Connection, table: Table): Promise<string | undefined> {
  const statement = `select ${COLUMNS[table]} from pg_catalog.${table}`;
  const { columns } = await sql.unsafe(`${statement} limit 0`);
  const other = columns.find((column) => column.table !== OIDS[table]);
  if (other) return `relation ${other.table}`;
  const plan = (await sql.unsafe(`explain (verbose, costs off) ${statement}`))
    .map((line) => line["QUERY PLAN"]).join("\n");
  return `${plan.match(/\bScan .*/g)}` === `Scan on pg_catalog.${table}` ? undefined : plan;
}

interface Layout {
  readonly digest: string;
  /** The columns of initdb's relations, each with the transaction that wrote it. */
  readonly rows: readonly { readonly name: string; readonly xmin: number; readonly text: string }[];
  readonly relations: ReadonlyMap<number, string>;
}

async function readLayout(sql: Connection): Promise<Layout> {
  const relations = new Map<number, string>();
  const keys = new Map<number, string>();
  for (const { xmin: _, oid, relname, relnamespace, ...rest } of await read(sql, "pg_class")) {
    relations.set(oid, relname);
    // The OIDs of information_schema and of its tables depend on the machine.
    const pinned = [oid, relnamespace].map((each) => each < FIRST_UNPINNED_OID ? each : "-");
    keys.set(
      oid,
      [...pinned, relname.replace(/^pg_toast_\d+/, "pg_toast"), ...Object.values(rest)].join(" "),
    );
  }
  const columns = (await read(sql, "pg_attribute")).filter(({ attrelid }) => attrelid < FIRST_NORMAL_OID);
  // The OIDs of information_schema's types depend on the machine, but initdb always creates the types in the
  // same order. So a type is compared by its position.
  const types = [...new Set<number>(columns.map(({ atttypid }) => atttypid))]
    .filter((oid) => oid >= FIRST_UNPINNED_OID).sort((one, another) => one - another);
  const rows = columns.map(({ xmin, attrelid, attname, atttypid, ...rest }) => {
    const type = atttypid < FIRST_UNPINNED_OID ? atttypid : `type ${types.indexOf(atttypid)}`;
    const text = [keys.get(attrelid), attname, type, ...Object.values(rest)].join("\x1f");
    return { name: `${relations.get(attrelid)}.${attname}`, xmin: Number(xmin), text };
  });
  const lines = rows.map(({ text }) => `${text}\n`).sort();
  return { digest: sha256Hex(...lines).slice(0, 32), rows, relations };
}

const read = (sql: Connection, table: Table): PromiseLike<readonly Row[]> => sql.unsafe(statementOf(table));

/**
 * Adds findings if the layout differs from that of a new server of this version. Returns the known digests of
 * this version.
 */
export async function compareLayout(
  sql: Connection,
  findings: Findings,
): Promise<BuiltinFile[string] | undefined> {
  for (const table of TABLES) {
    const other = await findSubstitute(sql, table);
    if (other === undefined) continue;
    findings.add("builtin_is_postgres", table, `Scan on pg_catalog.${table}`, other);
    return undefined;
  }
  const known = await knownDigests(sql, findings);
  const { digest, rows, relations } = await readLayout(sql);
  if (known) compareDigest(findings, "pg_attribute", known.pg_attribute, digest, rows);
  for (const { adrelid } of await sql.unsafe(DEFAULTS)) {
    if (adrelid < FIRST_NORMAL_OID) {
      findings.add(
        "builtin_is_postgres",
        `pg_attrdef of ${relations.get(adrelid)}`,
        "no default",
        "a default",
      );
    }
  }
  return known;
}

/** The digests of a server, for builtin.json. */
export const readDigests = async (sql: Connection): Promise<Record<string, string>> => ({
  pg_attribute: (await readLayout(sql)).digest,
  ...(await readBuiltin(sql)).digests,
});
