import { openDatabase } from "@gold-partner/database";
import type { Sql } from "postgres";

const STATEMENT_TIMEOUT_MS = 3000;
/** No statement may take this long, so a connection that is silent for longer is dead. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 2000;

/** One connection, which comes back by itself after the database does. */
export function openConnection(databaseUrl: string): Sql {
  return openDatabase(databaseUrl, {
    max: 1,
    connect_timeout: 3,
    backoff: () => 0.2,
    // Asking for array types would leave a promise that nobody holds, and ends the process where it fails.
    fetch_types: false,
    onnotice: () => {},
    silenceMs: SILENCE_MS,
    connection: { application_name: "gold-partner-trust", statement_timeout: STATEMENT_TIMEOUT_MS },
  });
}
