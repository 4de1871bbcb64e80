import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import postgres, { type Sql } from "postgres";
import { lookAfter } from "../audit_fixture.ts";
import { PRINTED_CATALOG } from "./harmless.ts";
import { readObjects } from "./objects.ts";
import { type OwnServer, ownServer } from "./own_server_fixture.ts";

/** Objects that have a value in each column of PRINTED_CATALOG. */
const OBJECTS = `
  create role gold_owner;
  create schema gold;
  create table gold.parent (id int, part int, label text, unique (id, part));
  create table gold.other (id int, part int, label text, unique (id, part));
  create table gold.child (id int, part int, label text constraint one unique, valid int4range,
    constraint foreign_key foreign key (id, part) references gold.parent (id, part) on delete set null (part),
    constraint checks check (id > 0), constraint excludes exclude using gist (valid with &&));
  create index own on gold.child (label, (id + 1)) include (part) where id > 3;
  create function gold.fire() returns trigger language plpgsql as 'begin return null; end';
  create trigger listed after update of label on gold.child for each row when (new.id > 1)
    execute function gold.fire('a', 'b');
  create trigger whole after update on gold.child referencing old table as olds new table as news
    for each statement execute function gold.fire();
  create constraint trigger held after insert on gold.child from gold.parent
    for each row execute function gold.fire();
  create function gold.other_fire() returns trigger language plpgsql as 'begin return null; end';
  create table gold.parts (id int, label text) partition by range (label, (id + 1));
  create rule own as on insert to gold.child where new.id > 7 do also select 1;
  create function gold.defaults(a int, b int default 3, out c int) language sql begin atomic select a + b; end;`;

const TREE = "create cast (text as pg_node_tree) without function";
/** Edits one number in a stored tree. */
const tree = (table: string, column: string, where: string) =>
  `${TREE}; update ${table} set ${column} = regexp_replace(${column}::text,
    '(:constvalue 4 \\[) \\d+', '\\1 5')::pg_node_tree where ${where}`;
/** The first column has another operator class. */
const otherClass = (column: string) =>
  `((select oid from pg_opclass where opcname = 'text_pattern_ops'
  and opcmethod = 403) || ' ' || split_part(${column}::text, ' ', 2))::oidvector`;
const set = (table: string, where: string) => (change: string) =>
  `update ${table} set ${change} where ${where}`;
const foreignKey = set("pg_constraint", "conname = 'foreign_key'");
const ownIndex = set("pg_index", "indexrelid = 'gold.own'::regclass");
const listed = set("pg_trigger", "tgname = 'listed'");
const whole = set("pg_trigger", "tgname = 'whole'");
const held = set("pg_trigger", "tgname = 'held'");
const parts = set("pg_partitioned_table", "partrelid = 'gold.parts'::regclass");
const rule = set("pg_rewrite", "ev_class = 'gold.child'::regclass");
const defaults = set("pg_proc", "oid = 'gold.defaults'::regproc");

/** Gives each column another valid value. */
const EDITS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pg_constraint: {
    condeferred: foreignKey("condeferred = true"),
    convalidated: foreignKey("convalidated = false"),
    conenforced: foreignKey("conenforced = false"),
    confrelid: foreignKey("confrelid = 'gold.other'::regclass"),
    confupdtype: foreignKey("confupdtype = 'c'"),
    confdeltype: foreignKey("confdeltype = 'd'"),
    confmatchtype: foreignKey("confmatchtype = 'f'"),
    connoinherit: "update pg_constraint set connoinherit = true where conname = 'checks'",
    conperiod: foreignKey("conperiod = true"),
    conkey: foreignKey("conkey = '{2,1}'"),
    confkey: foreignKey("confkey = '{2,1}'"),
    confdelsetcols: foreignKey("confdelsetcols = '{1}'"),
    conexclop: `update pg_constraint set conexclop = array['-|-(anyrange,anyrange)'::regoperator::oid]
      where conname = 'excludes'`,
    conbin: tree("pg_constraint", "conbin", "conname = 'checks'"),
  },
  pg_index: {
    indnatts: ownIndex("indnatts = 2"),
    indnkeyatts: ownIndex("indnkeyatts = 1"),
    indnullsnotdistinct:
      "update pg_index set indnullsnotdistinct = true where indexrelid = 'gold.one'::regclass",
    indkey: ownIndex("indkey = '1 0 2'"),
    indcollation: ownIndex("indcollation = '950 0'"),
    indclass: ownIndex(`indclass = ${otherClass("indclass")}`),
    indoption: ownIndex("indoption = '1 0'"),
    indexprs: tree("pg_index", "indexprs", "indexrelid = 'gold.own'::regclass"),
    indpred: tree("pg_index", "indpred", "indexrelid = 'gold.own'::regclass"),
  },
  pg_trigger: {
    tgfoid: listed("tgfoid = 'gold.other_fire'::regproc"),
    tgtype: listed("tgtype = tgtype | 4"),
    tgconstrrelid: held("tgconstrrelid = 'gold.other'::regclass"),
    tgnargs: listed("tgnargs = 1"),
    tgargs: listed("tgargs = 'c\\000b\\000'"),
    tgattr: listed("tgattr = '1'"),
    tgqual: tree("pg_trigger", "tgqual", "tgname = 'listed'"),
    tgoldtable: whole("tgoldtable = 'others'"),
    tgnewtable: whole("tgnewtable = 'others'"),
  },
  pg_partitioned_table: {
    partstrat: parts("partstrat = 'l'"),
    partnatts: parts("partnatts = 1"),
    partattrs: parts("partattrs = '1 0'"),
    partclass: parts(`partclass = ${otherClass("partclass")}`),
    partcollation: parts("partcollation = '950 0'"),
    partexprs: tree("pg_partitioned_table", "partexprs", "partrelid = 'gold.parts'::regclass"),
  },
  pg_rewrite: {
    ev_type: rule("ev_type = '2'"),
    is_instead: rule("is_instead = true"),
    ev_qual: tree("pg_rewrite", "ev_qual", "ev_class = 'gold.child'::regclass"),
    ev_action: tree("pg_rewrite", "ev_action", "ev_class = 'gold.child'::regclass"),
  },
  pg_proc: {
    prorettype: defaults("prorettype = 'int8'::regtype"),
    proretset: defaults("proretset = true"),
    proallargtypes: defaults("proallargtypes = '{23,20,23}'"),
    proargmodes: defaults("proargmodes = '{i,b,o}'"),
    proargnames: defaults("proargnames = '{a,x,c}'"),
    proargdefaults: tree("pg_proc", "proargdefaults", "oid = 'gold.defaults'::regproc"),
    prosqlbody: `${TREE}; update pg_proc set prosqlbody = regexp_replace(prosqlbody::text, ':paramid 2',
      ':paramid 1')::pg_node_tree where oid = 'gold.defaults'::regproc`,
  },
};

describe("each column of PRINTED_CATALOG", () => {
  let server: OwnServer;
  let sql: Sql;
  before(async () => {
    server = await ownServer();
    sql = postgres(server.urlOf("postgres"), { max: 1, onnotice: () => {} });
    await sql.unsafe(OBJECTS);
  });
  after(async () => {
    await sql?.end({ timeout: 1 });
    await server?.stop();
  });

  it("changes the text of its object when it is edited", async () => {
    const rows = await sql`
      select relname || '.' || attname as name from pg_attribute join pg_class c on c.oid = attrelid
      where relnamespace = 'pg_catalog'::regnamespace and attnum > 0`;
    const existing = new Set(rows.map(({ name }) => name));
    const textAfter = (statement: string) =>
      lookAfter(server.urlOf("postgres"), (transaction) => transaction.unsafe(statement), readObjects)
        .then((objects) => objects.map((object) => object.join("\n")).join("\n\n"));
    const whole = await textAfter("select 1");
    const unproven: string[] = [];
    for (const [table, columns] of Object.entries(PRINTED_CATALOG)) {
      for (const column of columns.trim().split(/\s+/)) {
        // Postgres 15 does not have all of them.
        if (!existing.has(`${table}.${column}`)) continue;
        const statement = EDITS[table]?.[column] ?? "select 1";
        const text = await textAfter(statement).catch((error) => {
          unproven.push(`${table}.${column}: ${error.message}`);
          return "";
        });
        if (text === whole) unproven.push(`${table}.${column}`);
      }
    }
    assertEquals(unproven, []);
    assertEquals(await textAfter("select 1"), whole);
  });
});
