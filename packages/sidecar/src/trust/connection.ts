import { openDatabase } from "@gold-partner/database";
import type { Sql } from "postgres";

const STATEMENT_TIMEOUT_MS = 3000;
/** A connection that is silent for this long is dead, because no statement may take this long. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 2000;

/** Opens one connection, which reconnects by itself when the database is available again. */
export function openConnection(databaseUrl: string): Sql {
  return openDatabase(databaseUrl, {
    connect_timeout: 3,
    backoff: () => 0.2,
    // Off, because the driver would query array types in a promise that nothing awaits. If that query failed,
    // the unhandled rejection would end the process.
    fetch_types: false,
    onnotice: () => {},
    silenceMs: SILENCE_MS,
    connection: { application_name: "gold-partner-trust", statement_timeout: STATEMENT_TIMEOUT_MS },
  });
}
