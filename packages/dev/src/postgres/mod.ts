/** Postgres on this machine, for npm start and for tests. */
export { accountOfNew, launch } from "./account.ts";
export { findFreePort } from "./free_port.ts";
export { refuseBusyPort } from "./port_holder.ts";
export { findPostmaster, isServerOf, processLives, stopPostmaster, waitUntil } from "./postmaster.ts";
export { removeFolder } from "./remove_folder.ts";
export { type PostgresOptions, type RunningPostgres, startPostgres } from "./start_postgres.ts";
export { type DatabaseTemplate, type TestPostgres, testPostgres } from "./test_postgres.ts";
