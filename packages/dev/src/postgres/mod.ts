export { findFreePort, type PostgresOptions, type RunningPostgres, startPostgres } from "./start_postgres.ts";
export { type DatabaseTemplate, type TestPostgres, testPostgres } from "./test_postgres.ts";
