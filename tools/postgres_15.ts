// Runs a temporary server of Postgres 15, as Debian packages it. This is the older of the two versions of
// Postgres on which the suites run.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { DebianPostgres, findProgram, makeServerFolder, MissingPostgres } from "./testing/debian_postgres.ts";

/** Throws a MissingPostgres unless Debian's programs, or those of PG_BIN, are of version 15. */
function requirePostgres15(): void {
  const version = execFileSync(findProgram("postgres"), ["--version"], { encoding: "utf8" }).trim();
  if (version.includes(" 15.")) return;
  throw new MissingPostgres(`PG_BIN has "${version}", but version 15 is needed.`);
}

/**
 * Starts a server, calls `use` with a function that returns the URL of a database, then stops the server and
 * deletes its data. `programs` is the folder of the programs of another version.
 */
export async function withPostgres15<T>(
  use: (urlOf: (database: string) => string) => Promise<T>,
  programs?: string,
): Promise<T> {
  if (programs === undefined) requirePostgres15();
  const folder = makeServerFolder();
  let server: DebianPostgres | undefined;
  try {
    const created = server = await DebianPostgres.create(folder, programs === undefined ? {} : { programs });
    return await use((database) => created.url(database));
  } finally {
    await server?.crash();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
