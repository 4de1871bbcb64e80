import { printableJson } from "./printable.ts";

/**
 * All members that a log line can have besides `at`, `level` and `event`. None of them is for a secret, so
 * that no secret is logged by mistake.
 */
export interface LogFields {
  readonly request_id?: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly code?: string;
  readonly client_id?: string;
  readonly event_id?: string;
  readonly duration_ms?: number;
  readonly address?: string;
  /** The kind and name of a row in the database. */
  readonly row?: string;
  readonly error_name?: string;
  readonly sqlstate?: string;
  readonly role?: string;
  readonly pid?: number;
  readonly processes?: number;
  /** The number of a process, if PROCESSES is above 1. */
  readonly process?: number;
  /** The code or the signal that a process ended with. */
  readonly exit?: string;
  readonly setting?: string;
  /** How far the database's clock is behind. */
  readonly behind_seconds?: number;
  /** Records of `client_id` that the database lacks, such as "12 to 20". */
  readonly records?: string;
  /** When the database had these records, and the newest instant that it still has. */
  readonly kept_at?: string;
  readonly books_end_at?: string;
  readonly token_key?: string;
  /** A key's name, which is a part of its hash. */
  readonly sealing_key?: string;
  /** How many refusals got no line of their own. */
  readonly refusals?: number;
}

type LogLevel = "info" | "warn" | "error";
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

/**
 * Writes one JSON object per line. Leaves out unlisted members at run time, too, because the type checker can
 * miss them.
 */
export function createLog(write: (line: string) => void, at: () => Date): Log {
  return (level, event, fields = {}) =>
    write(printableJson({ at: at().toISOString(), level, event, ...allowed(fields) }));
}

/** What the log may contain of an error: its name and its code, but not its message. */
export function errorFields(error: unknown): Pick<LogFields, "error_name" | "sqlstate"> {
  const { name, code } = error as { name?: string; code?: unknown };
  return {
    ...(name ? { error_name: name } : {}),
    ...(typeof code === "string" ? { sqlstate: code } : {}),
  };
}

/** Copies the listed members in this order. JSON.stringify() leaves out those that are undefined. */
const allowed = (fields: LogFields): Record<keyof LogFields, unknown> => ({
  request_id: fields.request_id,
  method: fields.method,
  route: fields.route,
  status: fields.status,
  code: fields.code,
  client_id: fields.client_id,
  event_id: fields.event_id,
  duration_ms: fields.duration_ms,
  address: fields.address,
  row: fields.row,
  error_name: fields.error_name,
  sqlstate: fields.sqlstate,
  role: fields.role,
  pid: fields.pid,
  processes: fields.processes,
  process: fields.process,
  exit: fields.exit,
  setting: fields.setting,
  behind_seconds: fields.behind_seconds,
  records: fields.records,
  kept_at: fields.kept_at,
  books_end_at: fields.books_end_at,
  token_key: fields.token_key,
  sealing_key: fields.sealing_key,
  refusals: fields.refusals,
});
