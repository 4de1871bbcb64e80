// Edits of a superuser, made from the database's own catalog: every column of every table, a deleted row and
// an inserted row.
import type { Row } from "./snapshot.ts";
import type { Connection } from "./snapshot.ts";

export interface Edit {
  /** `table.column`, `table (delete)` or `table (insert)`. */
  readonly name: string;
  readonly statement: string;
}

/**
 * Which row of a table to edit. Needed if the rules do not protect every row of the table in the same way.
 */
const FOCUS: Readonly<Record<string, string>> = {
  event: "type = 'order.executed'",
  // The first price that a quote has.
  price_history: "id = (select min(price_id) from gold.quote)",
  idempotency_key: "result_kind = 'order'",
  nonce: "request_id in (select request_id from gold.idempotency_key where result_kind = 'order')",
  account: "client_id <> 0",
  transfer: "client_id <> 0",
  deposit: "reversed_at is null",
  proposal: "approver_signature is not null",
  bar: "removed_at is null",
  // The only step of a withdrawal. The edit can then give it another status without a duplicate key.
  withdrawal_step:
    "withdrawal_id in (select withdrawal_id from gold.withdrawal_step group by withdrawal_id having count(*) = 1)",
  attempt: "sequence = 1",
};

/** An edit of each column, a deleted and an inserted row in each table, and a row of a client that does not exist. */
export async function listEdits(sql: Connection): Promise<Edit[]> {
  return (await readTables(sql)).flatMap(({ table, columns, where }) => [
    ...columns.map((column) => updateOf(table, column, changed(column), where)),
    { name: `${table} (delete)`, statement: `delete from gold.${table} where ${where}` },
    { name: `${table} (insert)`, statement: insertCopy(table, columns, where) },
    ...columns.filter(({ column_name }) => column_name === "client_id").map((column) => ({
      name: `${table} (foreign client)`,
      // In the bucket of this client's number.
      statement: insertCopy(table, columns, where, otherKey(columns).set(column, "client_id + 6400")),
    })),
  ]);
}

/**
 * Edits of another size or state than those of listEdits(): a number that is 1 higher, an instant that is 59 s
 * later, a value in place of null, null in place of a value, another member of an object.
 */
export async function listSmallEdits(sql: Connection): Promise<Edit[]> {
  const edits: Edit[] = [];
  for (const { table, columns } of await readTables(sql)) {
    // A key that is 1 higher may be the next row's.
    for (const column of columns.filter(({ position }) => position === null)) {
      const { column_name: name } = column;
      const rows: readonly Row[] = await sql.unsafe(`
        (select ctid::text as place from gold.${table} where ${name} is not null order by ctid limit 2)
        union all (select ctid::text from gold.${table} where ${name} is null order by ctid limit 1)`);
      for (const { place } of rows) {
        const where = table === "attempt" ? FOCUS.attempt! : `ctid = '${place}'`;
        for (const value of smallChanges(column)) edits.push(updateOf(table, column, value, where));
      }
    }
  }
  return edits;
}

/** Edits that listSmallEdits() does not make, because it edits the first rows of a table. */
export const OTHER_SMALL_EDITS: readonly Edit[] = [
  // The rows of a further webhook endpoint.
  ...[
    "delete from gold.attempt where client_id >= 1073741824",
    "update gold.attempt set attempted_at = attempted_at - interval '1 hour' where client_id >= 1073741824",
    "update gold.endpoint set passed = passed + 1 where client_id >= 1073741824",
    "update gold.endpoint set bucket = bucket + 1 where client_id >= 1073741824",
    "update gold.retry set sequence = sequence + 1000 where client_id >= 1073741824",
    "update gold.webhook_secret set receiver_id = partner_id",
    "update gold.receiver set id = id + 7 where number = 2",
  ].map((statement) => ({ name: `a further endpoint: ${statement}`, statement })),
  {
    name: "a declined request that somebody took up",
    statement:
      "update gold.change_request set taken_by = 'somebody', taken_at = declined_at where declined_at is not null",
  },
  { name: "endpoint.passed", statement: "update gold.endpoint set passed = passed - 1 where passed = 2" },
  {
    // The partner never got this event.
    name: "attempt.sequence",
    statement: `
      update gold.endpoint set passed = 3 where passed = 2;
      insert into gold.attempt select bucket, client_id, 3, attempted_at, duration_ms, 200, null, null
      from gold.attempt where sequence = 2 and client_id < 1073741824`,
  },
  // No closed day names the newest epoch. The closed day of the fixture ends after today.
  ...["timeline = timeline + 5", "began_at = began_at + interval '1 hour'"].map((change) => ({
    name: `epoch.${change.split(" ")[0]}`,
    statement: `
      insert into gold.epoch select id + 1, system, timeline + 1, clock_timestamp() + interval '2 days' from gold.epoch order by id desc limit 1;
      update gold.epoch set ${change} where id = (select max(id) from gold.epoch)`,
  })),
  {
    name: "epoch.id",
    statement: `
      insert into gold.epoch select id + 1, system, timeline + 1, clock_timestamp() from gold.epoch order by id desc limit 1;
      delete from gold.epoch where id = (select max(id) from gold.epoch)`,
  },
];

function smallChanges(column: Row): string[] {
  const { column_name: name, data_type: type, is_nullable } = column;
  const toggled = `case when ${name} is null then ${changed(column)} end`;
  return [
    ...(/^(smallint|integer|bigint)$/.test(type) ? [`coalesce(${name} + 1, 1)`] : []),
    ...(type === "timestamp with time zone"
      ? [`coalesce(${name} + interval '59 seconds', '2026-01-01 00:00:01.234+00')`]
      : []),
    ...(type === "jsonb" || /jwk$/.test(name) ? [`(${name}::jsonb || '{"use": "sig"}')::${type}`] : []),
    ...(is_nullable === "YES" ? [toggled] : []),
  ];
}

/** Edits to values that no release writes, such as an instant without a date. */
export async function listExtremeEdits(sql: Connection): Promise<Edit[]> {
  return (await readTables(sql)).flatMap(({ table, columns, where }) =>
    // No partition of `attempt` takes such an instant.
    columns.filter(({ column_name }) => column_name !== "attempted_at").flatMap((column) =>
      (EXTREMES[column.data_type] ?? []).map((value) => updateOf(table, column, value, where))
    )
  );
}

const EXTREMES: Readonly<Record<string, readonly string[]>> = {
  "timestamp with time zone": ["'infinity'", "'12026-01-01'"],
  jsonb: ["'null'", `'{"after": {"net_grams": "x"}, "mode": null}'`],
};

const updateOf = (table: string, { column_name: name }: Row, value: string, where: string): Edit => ({
  name: `${table}.${name}`,
  statement: `update gold.${table} set ${name} = ${value} where ${where}`,
});

interface EditedTable {
  readonly table: string;
  readonly columns: readonly Row[];
  /** Finds the row to edit. */
  readonly where: string;
}

/** An unlogged table is no part of the books: it is empty after a crash and on a standby. */
async function readTables(sql: Connection): Promise<EditedTable[]> {
  const all: readonly Row[] = await sql.unsafe(`
    select c.table_name, c.column_name, c.data_type, c.udt_name, c.is_generated, c.is_nullable, k.position
    from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE'
    left join (
      select u.table_name, u.column_name, u.ordinal_position as position from information_schema.key_column_usage u
      join information_schema.table_constraints p on p.constraint_schema = u.constraint_schema and p.constraint_name = u.constraint_name
        and p.table_name = u.table_name and p.constraint_type = 'PRIMARY KEY' where u.table_schema = 'gold'
    ) k on k.table_name = c.table_name and k.column_name = c.column_name
    where c.table_schema = 'gold' and exists (
      select from pg_class r where r.oid = format('gold.%I', c.table_name)::regclass and r.relpersistence <> 'u')
    order by c.table_name, c.ordinal_position`);
  return [...new Set(all.map(({ table_name }) => table_name as string))].map((table) => {
    const focus = FOCUS[table] ? `where ${FOCUS[table]}` : "";
    const row = `ctid = (select ctid from gold.${table} ${focus} order by ctid limit 1)`;
    return {
      table,
      columns: all.filter((one) => one.table_name === table && one.is_generated === "NEVER"),
      where: table === "attempt" ? FOCUS.attempt! : row,
    };
  });
}

/** Copies the row with other values, by default with another key. A table with one row gets a second one. */
function insertCopy(
  table: string,
  columns: readonly Row[],
  where: string,
  values = otherKey(columns),
): string {
  const names = columns.map(({ column_name }) => column_name).join(", ");
  const copied = columns.map((column) => values.get(column) ?? column.column_name).join(", ");
  return `insert into gold.${table} (${names}) overriding system value select ${copied}
    from gold.${table} where ${where} limit 1`;
}

function otherKey(columns: readonly Row[]): Map<Row, string> {
  const keys = columns.filter(({ position }) => position !== null);
  const last = keys.sort((left, right) => right.position - left.position)[0] ?? columns[0]!;
  const others = columns.filter((column) => column === last || column.column_name === "range");
  return new Map(others.map((column) => [column, changed(column)]));
}

/** An expression that changes the column to another value of its type. */
function changed({ column_name: name, data_type: type, udt_name: udt }: Row): string {
  switch (type) {
    case "smallint":
    case "integer":
    case "bigint":
      // Do not give the next row's number, because the unique indexes still exist.
      return `coalesce(${name}, 0) + 700`;
    case "text":
      return `coalesce(${name}, '') || 'x'`;
    case "boolean":
      return `not ${name}`;
    case "bytea":
      return `coalesce(${name}, '') || '\\x01'::bytea`;
    case "jsonb":
      return `coalesce(${name}, '{}') || '{"x": "edited"}'`;
    case "uuid":
      return `coalesce((left(${name}::text, 35) || case right(${name}::text, 1) when 'a' then 'b' else 'a' end)::uuid, gen_random_uuid())`;
    case "timestamp with time zone":
      return `case when isfinite(${name}) then ${name} + interval '61 minutes 1.234 seconds' else '2026-01-01 00:00:01.234+00' end`;
    case "time without time zone":
      return `${name} + interval '1 minute'`;
    case "date":
      return `${name} + 700`;
    case "cidr":
      return "'198.51.100.0/24'";
    case "ARRAY":
      return udt === "_text" ? `array_append(${name}, 'x')` : `${name} || 444`;
    case "USER-DEFINED":
      return `coalesce((select min(v) from unnest(enum_range(null::gold.${udt})) v where v <> ${name}), (enum_range(null::gold.${udt}))[1])`;
    default:
      throw new Error(`${name} has the type ${type}: add a case that changes a value of this type`);
  }
}
