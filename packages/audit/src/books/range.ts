import { type Connection, Cursor, type Row } from "../snapshot.ts";
import { selectFrom, type Table } from "../tables.ts";

/** Clients in the order of (bucket, client): the rows of one range are read together. */
export interface Range {
  /** Exclusive. Undefined in the first range, which also has rows before every client. */
  readonly after: Position | undefined;
  /** Inclusive. Undefined in the last range. */
  readonly to: Position | undefined;
}

export interface Position {
  readonly bucket: number;
  readonly client: number;
}

/** A partner's first webhook endpoint has the number of the partner. The ids of further endpoints begin here. */
export const FURTHER_ENDPOINTS = 2 ** 30;

/** In these tables, `client_id` is the id of a webhook endpoint. */
const OF_ENDPOINTS: readonly Table[] = ["endpoint", "retry", "attempt"];
export const positionOf = ({ bucket, client_id }: Row): Position => ({ bucket, client: client_id });
export const comparePositions = (left: Position, right: Position): number =>
  left.bucket - right.bucket || left.client - right.client;

/** Leaves out the rows of further endpoints: `checkEndpoints` reads them. */
export function whereRange({ after, to }: Range, table: Table, also = ""): string {
  const bounds = [
    ...(after ? [`(bucket, client_id) > (${after.bucket}, ${after.client})`] : []),
    ...(to ? [`(bucket, client_id) <= (${to.bucket}, ${to.client})`] : []),
    ...(OF_ENDPOINTS.includes(table) ? [`client_id < ${FURTHER_ENDPOINTS}`] : []),
    ...(also ? [also] : []),
  ];
  return bounds.length === 0 ? "" : `where ${bounds.join(" and ")}`;
}

/** A table's rows of the range, sorted by client and then by `order`. */
interface Stream {
  readonly name: string;
  readonly table: Table;
  readonly order: string;
  readonly where?: string;
  readonly columns?: string;
}

/** Opens one cursor for each stream, calls `use` with them by name, and closes them. */
export async function withStreams<Name extends string>(
  sql: Connection,
  range: Range,
  streams: readonly (Stream & { readonly name: Name })[],
  use: (cursors: Readonly<Record<Name, Cursor>>) => Promise<void>,
): Promise<void> {
  const opened: [Name, Cursor][] = [];
  for (const { name, table, order, where, columns } of streams) {
    const rest = `${whereRange(range, table, where)} order by bucket, client_id, ${order}`;
    opened.push([name, await Cursor.open(sql, `audit_${name}`, selectFrom(table, rest, columns))]);
  }
  await use(Object.fromEntries(opened) as Record<Name, Cursor>);
  for (const [, cursor] of opened) await cursor.close();
}

/** Calls `visit` for each client that has a row in one of the cursors, in order. */
export async function eachClient(
  cursors: readonly Cursor[],
  visit: (position: Position) => Promise<void>,
): Promise<void> {
  while (true) {
    let next: Position | undefined;
    for (const { row } of cursors) {
      if (row && (!next || comparePositions(positionOf(row), next) < 0)) next = positionOf(row);
    }
    if (!next) return;
    await visit(next);
  }
}

export const isAt = (row: Row | undefined, { bucket, client }: Position): boolean =>
  row !== undefined && row.client_id === client && row.bucket === bucket;

/** Takes the cursor's rows of this client while `matches` is true. */
export async function takeWhile(
  cursor: Cursor,
  at: Position,
  matches: (row: Row) => boolean,
): Promise<Row[]> {
  const rows: Row[] = [];
  while (isAt(cursor.row, at) && matches(cursor.row)) {
    rows.push(cursor.row);
    const pending = cursor.advance();
    if (pending) await pending;
  }
  return rows;
}
