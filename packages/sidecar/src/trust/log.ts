/** The optional fields of a log line, besides its time, level and event. */
interface Fields {
  readonly authority?: string;
  readonly authorities?: number;
  readonly addresses?: number;
  readonly partners?: number;
  readonly revocation_lists?: number;
  readonly error_name?: string;
  readonly code?: string;
  readonly pid?: number;
  readonly setting?: string;
}

type Log = (level: "info" | "warn" | "error", event: string, fields?: Fields) => void;

/** One current fault. The log repeats it while it lasts. */
export interface Complaint extends Fields {
  readonly event: string;
}

const REPEAT_MS = 60_000;

/** Creates a log that writes one JSON object per line, in the format of the service's own log. */
export function createLog(write: (line: string) => void, now: () => number): Log {
  return (level, event, fields = {}) =>
    write(JSON.stringify({ at: new Date(now()).toISOString(), level, event, ...fields }));
}

/**
 * Logs all faults when they change, repeats them once per REPEAT_MS while they last, and logs once when all
 * are gone.
 */
export function createComplaints(log: Log, now: () => number): (complaints: readonly Complaint[]) => void {
  let last = "[]";
  let saidAtMs = 0;
  return (complaints) => {
    const current = JSON.stringify(complaints);
    if (current === last && (complaints.length === 0 || now() - saidAtMs < REPEAT_MS)) return;
    for (const { event, ...fields } of complaints) log("error", event, fields);
    if (complaints.length === 0) log("info", "all faults are resolved");
    last = current;
    saidAtMs = now();
  };
}

/**
 * Returns the fields of an error that may be logged. The message is left out, because it could contain an
 * address or a login.
 */
export function fieldsOf(error: unknown): Pick<Fields, "error_name" | "code"> {
  const { name, code } = error as { readonly name?: string; readonly code?: unknown };
  return {
    ...(name === undefined ? {} : { error_name: name }),
    ...(typeof code === "string" ? { code } : {}),
  };
}
