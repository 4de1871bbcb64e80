/**
 * Postgres cannot be started or stopped. The message says why and what to do, so print it without a stack.
 */
export class PostgresStartError extends Error {
  override name = "PostgresStartError";
}
