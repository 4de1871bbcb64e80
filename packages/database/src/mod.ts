/** The server, the sidecar and the operator's command connect to Postgres through this package. */
export { isCancelledWait, UNREPLICATED, unreplicatedError } from "./cancelled_wait.ts";
export { checkDatabaseUrl, withLogin } from "./database_url.ts";
export { openDatabase } from "./open_database.ts";
export { NO_PRIMARY } from "./primary_finder.ts";
