/** The only members that a log line can have. A secret has no name here, so none can be logged by mistake. */
export interface LogFields {
  readonly request_id?: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly code?: string;
  readonly client_id?: string;
  readonly duration_ms?: number;
  readonly address?: string;
  readonly error_name?: string;
  readonly sqlstate?: string;
  readonly role?: string;
  readonly pid?: number;
  readonly setting?: string;
  readonly token_key?: string;
  /** A key's name, which is a part of its hash. */
  readonly sealing_key?: string;
}

const ALLOWED: readonly (keyof LogFields)[] = [
  "request_id",
  "method",
  "route",
  "status",
  "code",
  "client_id",
  "duration_ms",
  "address",
  "error_name",
  "sqlstate",
  "role",
  "pid",
  "setting",
  "token_key",
  "sealing_key",
];

type LogLevel = "info" | "warn" | "error";
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

/** One JSON object a line. What is not on the list does not come out, whatever its type claims. */
export function createLog(write: (line: string) => void, at: () => Date): Log {
  return (level, event, fields = {}) => {
    const line: Record<string, unknown> = { at: at().toISOString(), level, event };
    for (const name of ALLOWED) if (fields[name] !== undefined) line[name] = fields[name];
    write(JSON.stringify(line));
  };
}
