import { UNREPLICATED } from "@gold-partner/database";

/**
 * Exit codes: 0 done, 1 refused by a rule, 2 wrong usage or configuration,
 * 3 a dependency is down, 4 verification found a defect.
 */
export const EXIT = { done: 0, refused: 1, usage: 2, dependency: 3, defect: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The reason why a command was refused or failed. It is printed as problem JSON on standard error. */
export class Failure extends Error {
  override readonly name: string = "Failure";
  readonly exit: ExitCode;
  readonly code: string;
  /** The database stored a proposal of the change, so the change can still be made. */
  readonly isProposed: boolean;

  constructor(exit: ExitCode, code: string, message: string, isProposed = false) {
    super(message);
    this.exit = exit;
    this.code = code;
    this.isProposed = isProposed;
  }
}

export const usage = (message: string): Failure => new Failure(EXIT.usage, "usage", message);

const RULE_CODES: Readonly<Record<string, string>> = {
  GR403: "not_permitted",
  GR404: "not_found",
  GR409: "refused",
};
const UNIQUE_VIOLATION = "23505";
const CHECK_VIOLATION = "23514";
const UNDEFINED_OBJECTS = /^(3F000|42P01|42883)$/;
const PERMISSION_DENIED = "42501";
const LOCK_NOT_AVAILABLE = "55P03";
const QUERY_CANCELED = "57014";
/** Also the code of a read that a standby ended, because it held up the standby. */
const SERIALIZATION_FAILURE = "40001";
const DATA_EXCEPTION = /^22...$/;
const FILE_ERROR = /^(ENOENT|EACCES|EEXIST|EISDIR|ENOTDIR|ENOSPC|EROFS)$/;
const UNREACHABLE =
  /^(ECONNREFUSED|CONNECT_TIMEOUT|NO_PRIMARY|CONNECTION_ENDED|ENOTFOUND|EAI_AGAIN|57P03|3D000)/;
/** A wrong password, an unknown login, or a login that pg_hba.conf does not allow. */
const LOGIN_REFUSED = /^28/;
/**
 * Codes of a connection that broke when a statement may already have been sent. The statement may have been
 * executed.
 */
const LOST = /^(CONNECTION_|ECONN|EPIPE|EHOST|ENET|ETIMEDOUT|08|57P0)/;
const OUTCOME_UNKNOWN = "outcome_unknown";

/** Whether the database gave no answer, so that it is unknown whether the change was made. */
export const isOutcomeUnknown = (error: unknown): boolean => failureOf(error).code === OUTCOME_UNKNOWN;

/** Whether the change may have been made, or can still be made. Then a file that it needs must be kept. */
export const mayTakeEffect = (error: unknown): boolean =>
  isOutcomeUnknown(error) || failureOf(error).isProposed;

/** Codes for a dependency that is down for the moment. A script can retry. */
const OUTSIDE_CODES: readonly string[] = [
  "signing_command_failed",
  "key_source_failed",
  "migration_blocked",
  "index_not_built",
];

/**
 * Converts any error into a failure with an exit code.
 * If a rule of the database refused the change, the failure has the database's own message.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code: given, message = String(error), name = "", syscall } = error as {
    code?: unknown;
    message?: string;
    name?: string;
    syscall?: unknown;
  };
  // Ignore a code that is a number: it is the exit status of a child process.
  const code = typeof given === "string" ? given : "";
  if (RULE_CODES[code]) return new Failure(EXIT.refused, RULE_CODES[code], `${message}.`);
  if (code === UNIQUE_VIOLATION) return new Failure(EXIT.refused, "refused", existingRecord(error));
  if (code === CHECK_VIOLATION) {
    return new Failure(
      EXIT.refused,
      "refused",
      `The database refused a value: ${message}. Check the values of this command's options.`,
    );
  }
  if (code === "key_source_malformed" || code === "key_source_unreadable") return usage(message);
  if (code === "migration_refused") return new Failure(EXIT.refused, code, message);
  if (OUTSIDE_CODES.includes(code)) return new Failure(EXIT.dependency, code, message);
  if (["PkiError", "JwsError", "IbanError", "QuantityError", "WebhookError"].includes(name)) {
    return new Failure(EXIT.refused, code || (error as { reason?: string }).reason || "refused", message);
  }
  if (code === PERMISSION_DENIED) {
    return new Failure(
      EXIT.refused,
      "not_permitted",
      `The database login lacks the privilege for this command: ${message}.`,
    );
  }
  if (UNDEFINED_OBJECTS.test(code)) {
    return new Failure(
      EXIT.dependency,
      "not_migrated",
      "The database does not have this version's schema. Run `gold db migrate`.",
    );
  }
  if (code === LOCK_NOT_AVAILABLE) {
    return new Failure(
      EXIT.dependency,
      "busy",
      "Another command holds a lock that this command needs. Nothing was done. Run the command again.",
    );
  }
  if (code === QUERY_CANCELED || code === SERIALIZATION_FAILURE) {
    return new Failure(
      EXIT.dependency,
      "too_slow",
      "The database ended the command, because it took too long. Nothing was changed. Run it again, or for less.",
    );
  }
  if (LOGIN_REFUSED.test(code)) {
    // Postgres names the login: password authentication failed for user "…".
    return new Failure(
      EXIT.usage,
      "login_refused",
      `The database refused the login: ${message}. Check the login and its password in the database URL.`,
    );
  }
  if (UNREACHABLE.test(code) || syscall === "connect") {
    return new Failure(
      EXIT.dependency,
      "database_unreachable",
      `The database cannot be reached: ${message}.`,
    );
  }
  if (code === UNREPLICATED) {
    return new Failure(
      EXIT.dependency,
      OUTCOME_UNKNOWN,
      "The wait for the synchronous standby was cancelled. The primary has the change, but it is lost if the standby is promoted now. Check with `gold … list` after the standby has caught up, before you run the command again.",
    );
  }
  if (LOST.test(code)) {
    return new Failure(
      EXIT.dependency,
      OUTCOME_UNKNOWN,
      `The connection to the database was lost: ${message}. If this command changes something, the change may or may not have been made. Check with \`gold … list\` before you run it again.`,
    );
  }
  if (error instanceof RangeError || DATA_EXCEPTION.test(code) || FILE_ERROR.test(code)) {
    return usage(message);
  }
  // An unknown error also becomes one problem and an exit code, for a script that runs gold.
  return new Failure(EXIT.dependency, "unexpected", `gold failed with an unexpected error: ${message}`);
}

/** Names the table and the values that already exist, as far as Postgres reports them. */
function existingRecord(error: unknown): string {
  const { table_name: table, detail } = error as { table_name?: string; detail?: string };
  const [, columns, values] = /^Key \((.*)\)=\((.*)\) already exists\.$/.exec(detail ?? "") ?? [];
  const where = columns === undefined ? "this value" : `${columns} = ${values}`;
  return `The table ${table ?? "(unknown)"} already has a record with ${where}.`;
}

/**
 * Whether postgres.js threw this error because the server closed the connection during a transaction. It throws such a
 * TypeError outside every promise, and the query in flight may stay unanswered.
 */
export const isLostTransaction = (error: unknown): boolean =>
  error instanceof TypeError && (error.stack?.includes("postgres/src/connection.js") ?? false);
