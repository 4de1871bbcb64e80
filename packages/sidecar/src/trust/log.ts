/** The members that a line can have beside its instant, level and event. */
interface Fields {
  readonly authority?: string;
  readonly authorities?: number;
  readonly addresses?: number;
  readonly revocation_lists?: number;
  readonly error_name?: string;
  readonly code?: string;
  readonly pid?: number;
}

type Log = (level: "info" | "error", event: string, fields?: Fields) => void;

/** Something that is wrong now and may last. */
export interface Complaint extends Fields {
  readonly event: string;
}

const REPEAT_MS = 60_000;

/** One JSON object a line, in the form of the service's own log. */
export function createLog(write: (line: string) => void, now: () => number): Log {
  return (level, event, fields = {}) =>
    write(JSON.stringify({ at: new Date(now()).toISOString(), level, event, ...fields }));
}

/** Says what is wrong as soon as it changes, again every so often while it lasts, and once that it is over. */
export function createComplaints(log: Log, now: () => number): (complaints: readonly Complaint[]) => void {
  let last = "[]";
  let saidAtMs = 0;
  return (complaints) => {
    const current = JSON.stringify(complaints);
    if (current === last && (complaints.length === 0 || now() - saidAtMs < REPEAT_MS)) return;
    for (const { event, ...fields } of complaints) log("error", event, fields);
    if (complaints.length === 0) log("info", "nothing is wrong with the trust any more");
    last = current;
    saidAtMs = now();
  };
}

/** What may be told of an error: a message could hold an address or a login. */
export function fieldsOf(error: unknown): Pick<Fields, "error_name" | "code"> {
  const { name, code } = error as { readonly name?: string; readonly code?: unknown };
  return {
    ...(name === undefined ? {} : { error_name: name }),
    ...(typeof code === "string" ? { code } : {}),
  };
}
