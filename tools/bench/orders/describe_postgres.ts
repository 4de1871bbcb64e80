import type { Sql } from "postgres";

/** Names the build, because embedded Postgres is compiled with -Os and Debian's package with -O2. */
export async function describePostgres(sql: Sql): Promise<string> {
  const [built] = await sql`
    select version(), (select setting from pg_config where name = 'CFLAGS') as flags, current_setting('fsync') as fsync`;
  const optimisation = (built!.flags as string).match(/-O\w+/g)?.at(-1) ?? "without -O";
  return `${built!.version}, CFLAGS ${optimisation}, fsync ${built!.fsync}.`;
}
