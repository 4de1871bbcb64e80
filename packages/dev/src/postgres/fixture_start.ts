import process from "node:process";
import { startPostgres } from "./start_postgres.ts";

/**
 * A program for the tests to kill. It starts Postgres in the given folder, prints the server's pid and keeps
 * running.
 */
const { pid, reused } = await startPostgres({ dataDir: process.argv[2] ?? "" });
console.log(JSON.stringify({ pid, reused }));
setInterval(() => {}, 60_000);
