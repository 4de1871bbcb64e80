/** How every program of this repository reaches Postgres. */
export { checkDatabaseUrl } from "./database_url.ts";
export { openDatabase } from "./open_database.ts";
