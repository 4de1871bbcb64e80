/** Every program of this repository connects to Postgres through this package. */
export { checkDatabaseUrl } from "./database_url.ts";
export { openDatabase } from "./open_database.ts";
