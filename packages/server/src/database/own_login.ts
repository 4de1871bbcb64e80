import type { Query } from "./query.ts";

/** Whether the pool's login may call the function. */
async function mayCall(sql: Query, routine: string): Promise<boolean> {
  const [row] = await sql<[{ may: boolean | null }]>`
    select bool_or(has_function_privilege(p.oid, 'execute')) as may from pg_proc p
    where p.pronamespace = to_regnamespace('gold') and p.proname = ${routine}::text`;
  return row.may === true;
}

/** Throws if the pool's login may not do this process's work. Otherwise the process would only log errors. */
export async function requireLogin(sql: Query, login: string, routine: string): Promise<void> {
  if (await mayCall(sql, routine)) return;
  throw new Error(
    `The login may not call gold.${routine}. Set the URL of the login ${login}. If the URL is right, run ` +
      "`gold db migrate` of this version, then start this process again.",
  );
}
