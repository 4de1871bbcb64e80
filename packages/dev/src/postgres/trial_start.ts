import process from "node:process";
import { startPostgres } from "./start_postgres.ts";

/** A program for the tests to kill: starts Postgres in the folder given, says so, and stays. */
const { pid, reused } = await startPostgres({ dataDir: process.argv[2] ?? "" });
console.log(JSON.stringify({ pid, reused }));
setInterval(() => {}, 60_000);
