/** How every program of this repository connects to Postgres. */
export { checkDatabaseUrl } from "./database_url.ts";
export { openDatabase } from "./open_database.ts";
