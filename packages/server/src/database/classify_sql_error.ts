import { NO_PRIMARY, UNREPLICATED } from "@gold-partner/database";

/** What an error says about the statement's transaction. */
type SqlErrorClass =
  /** Rolled back. The same statement would fail again. */
  | "rejected"
  /** Rolled back. The same statement may succeed when it is sent again. */
  | "transient"
  /** Rolled back, because a lock was not granted in time. */
  | "lock_timeout"
  /** The connection was lost. Whether the transaction was committed can be looked up. */
  | "connection_lost"
  /**
   * The transaction may be committed on this server, but not on the standby. A look-up gives no certainty: a
   * failover may undo the commit that it finds.
   */
  | "in_doubt"
  /** Nothing was committed. The database accepts no writes now. */
  | "unavailable";

const CLASSES: readonly (readonly [RegExp, SqlErrorClass])[] = [
  // Serialization failure, deadlock.
  [/^40(001|P01)$/, "transient"],
  [/^55P03$/, "lock_timeout"],
  // The server is shutting down, or the connection broke while a statement was in flight.
  [/^(57P0[1-5]|08...|40003|CONNECTION_\w+|ECONNRESET|EPIPE)$/, "connection_lost"],
  // The statement was cancelled, and the error does not say whether before or after its commit.
  [new RegExp(`^(57014|${UNREPLICATED})$`), "in_doubt"],
  // The database has no disk space, too many connections or a failing disk, or it is a replica. Or no host is
  // the primary, a connection timed out, or this service refuses writes now.
  [new RegExp(`^(53...|58...|25006|${NO_PRIMARY}|CONNECT_TIMEOUT|service_unavailable)$`), "unavailable"],
];

/**
 * During a connect, these errors mean that nothing was sent. During a read or write, a statement may have
 * been sent.
 */
const NETWORK = /^(ECONNREFUSED|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND)$/;

export function classifySqlError(error: unknown): SqlErrorClass {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code !== "string") return "rejected";
  if (NETWORK.test(code)) {
    return syscall === "write" || syscall === "read" ? "connection_lost" : "unavailable";
  }
  return CLASSES.find(([pattern]) => pattern.test(code))?.[1] ?? "rejected";
}
