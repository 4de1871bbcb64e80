import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { migrate } from "@gold-partner/server";
import postgres from "postgres";
import { type Postgres15, withPostgres15 } from "../postgres_15.ts";

const LOGIN = "gold_migration";
const HEADER =
  "-- Made by `npm run schema` from the migrations and the routines beside the code; never edited by hand.\n\n";

/**
 * Returns pg_dump's dump of a freshly migrated sandbox, with owners and grants. Production has no
 * simulations.
 */
export async function dumpSchema(programs: string): Promise<string> {
  return await withPostgres15(programs, async (server) => {
    await prepareDatabase(server);
    await migrate(server.urlOf(LOGIN, "gold"), { environment: "sandbox" });
    const { options, port, password } = server;
    const dump = execFileSync(
      join(programs, "pg_dump"),
      ["--schema-only", "--schema=gold", "-h", "127.0.0.1", "-p", `${port}`, "-U", "postgres", "gold"],
      { ...options, env: { ...options.env, PGPASSWORD: password }, encoding: "utf8", maxBuffer: 2 ** 26 },
    );
    return HEADER + withoutVariations(dump);
  });
}

/** Creates the database and its migration login. As in production, the login is no superuser. */
async function prepareDatabase({ urlOf, password }: Postgres15): Promise<void> {
  const sql = postgres(urlOf("postgres", "postgres"), { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`create role ${LOGIN} login createrole password '${password}'`);
    await sql.unsafe(`create database gold owner ${LOGIN}`);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Removes text that differs from dump to dump. This is the version of pg_dump, and a random word that
 * protects psql against injected commands. It is also the word AS before a table's alias, which only newer
 * releases of Postgres 15 print.
 */
function withoutVariations(dump: string): string {
  const lines = dump.split("\n").filter((line) => !/^(-- Dumped |\\(un)?restrict )/.test(line));
  const text = lines.join("\n").replaceAll(/\b(UPDATE|DELETE FROM) (gold\.\w+) AS /g, "$1 $2 ");
  return text.replaceAll(/\n{3,}/g, "\n\n").trim() + "\n";
}
