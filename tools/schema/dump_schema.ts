import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { migrate } from "@gold-partner/server";
import postgres from "postgres";
import { type Postgres15, withPostgres15 } from "../postgres_15.ts";

const LOGIN = "gold_migration";
const HEADER =
  "-- Made by `npm run schema` from the migrations and the routines beside the code; never edited by hand.\n\n";

/**
 * Returns pg_dump's dump of a freshly migrated database: tables, types, views, indexes and triggers. Routines
 * stand in src, and privileges in src/database/privileges.sql.
 */
export async function dumpSchema(programs: string): Promise<string> {
  return await withPostgres15(programs, async (server) => {
    await prepareDatabase(server);
    await migrate(server.urlOf(LOGIN, "gold"));
    const { options, port, password } = server;
    const dump = execFileSync(
      join(programs, "pg_dump"),
      [
        "--schema-only",
        "--schema=gold",
        "--no-owner",
        "--no-privileges",
        "-h",
        "127.0.0.1",
        "-p",
        `${port}`,
        "-U",
        "postgres",
        "gold",
      ],
      { ...options, env: { ...options.env, PGPASSWORD: password }, encoding: "utf8", maxBuffer: 2 ** 26 },
    );
    return HEADER + withoutVariations(withoutRoutines(dump));
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

/** Leaves out the sections of routines, and the head of every other section. */
const withoutRoutines = (dump: string): string =>
  dump.split(/^(?=--\n-- Name: )/m).filter((section) => !/^--\n.*; Type: FUNCTION; /.test(section))
    .map((section) => section.replace(/^--\n-- .*\n--\n/, "")).join("");

/**
 * Removes text that differs from dump to dump: the version of pg_dump, and a random word that protects psql
 * against injected commands.
 */
function withoutVariations(dump: string): string {
  const lines = dump.split("\n").filter((line) => !/^(-- Dumped |\\(un)?restrict )/.test(line));
  return lines.join("\n").replaceAll(/\n{3,}/g, "\n\n").trim() + "\n";
}
