import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { migrate } from "@gold-partner/server";
import { assert, assertEquals } from "@std/assert";
import postgres from "postgres";
import { asOperatorFrom, openState, type State } from "@gold-partner/dev";
import { type TestPostgres, testPostgres } from "@gold-partner/dev/postgres";
import { type Checkout, checkOut } from "../../tools/testing/release/checkout.ts";
import { lastRelease } from "../../tools/testing/release/history.ts";

/**
 * The database objects that a process of another version relies on: routines with their results and grants,
 * and views with their columns. A routine whose last arguments have defaults can also be called without them.
 */
const INTERFACE = `
  with routine as (
    select p.oid, format('gold.%s(%s)', p.proname, (
      select string_agg(format_type(a.type, null), ',' order by a.n)
      from unnest(p.proargtypes) with ordinality a (type, n) where a.n <= given)) as call
    from pg_proc p cross join generate_series(p.pronargs - p.pronargdefaults, p.pronargs::int) given
    where p.pronamespace = 'gold'::regnamespace
  )
  select format('function %s returns %s', call, pg_get_function_result(oid)) as line from routine
  union all
  select format('%s may call %s', r, call)
  from routine, unnest(array['gold_api', 'gold_operator']) r
  where has_function_privilege(r, oid, 'execute')
  union all
  select format('%s may read %s.%s %s', r, c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod))
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped,
    unnest(array['gold_api', 'gold_operator']) r
  where c.relnamespace = 'gold'::regnamespace and has_column_privilege(r, c.oid, a.attnum, 'select')
  order by 1`;

/** What 0.5.0 had for `gold` of 0.4.0 and for its own migration. No process of 0.5.0 calls it. */
const UNUSED =
  /gold\.(move_authority_key|post_missing_changes|set_limit_defaults\(integer|submit_withdrawals)\b/;

/** Records one attempt that was refused, as a worker of 0.6.0 does. */
const SETTLE = `
  select * from gold.settle_attempts(
    worker => gen_random_uuid(), clients => '{1}', sequences => '{1}', tickets => '{null}',
    attempted_ats => array[date_trunc('milliseconds', clock_timestamp())], durations_ms => '{1}', statuses => '{500}',
    errors => '{null}', answers => '{null}', tries => '{1}', waits_ms => '{1000}', held => '{1}', tenures => '{1}',
    froms => '{0}', passeds => '{0}', failures => '{1}', rests_ms => '{null}', disableds => '{f}', releases => '{f}')`;
/** The codes of a lock timeout and of a cancelled statement. After both, a worker settles the attempts again. */
const SETTLED_AGAIN = /^(55P03|57014)$/;

describe("the database's interface", () => {
  let server: TestPostgres;
  let checkout: Checkout;
  let state: State;
  before(async () => {
    server = await testPostgres();
    checkout = await checkOut(lastRelease().commit);
    state = await openState(await mkdtemp(join(tmpdir(), "gold-signatures-")), false);
    await Promise.all(["pepper", "sealing_key"].map((name) => state.secret(name)));
  });
  after(async () => {
    await server?.stop();
    await checkout?.remove();
    await state?.release();
    await rm(state.dir, { recursive: true, force: true });
  });

  /** Returns the URL of a new database of the last release. */
  const createReleased = async () => {
    const url = await server.createDatabase();
    const [pepper, sealingKey] = ["pepper", "sealing_key"].map((name) => `file:${state.path("keys", name)}`);
    await asOperatorFrom(checkout.root, url, state.path("keys.json"))(
      "db migrate --env sandbox --base-url https://localhost:8443",
      ...["--pepper", pepper!, "--sealing-key", sealingKey!],
    );
    return url;
  };

  it("keeps every signature of the last release, which old processes need after a migration", async () => {
    const url = await createReleased();
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    const list = async () => (await sql.unsafe(INTERFACE)).map(({ line }) => line as string);
    try {
      const released = await list();
      await migrate(url);
      const present = new Set(await list());
      assert(released.length > 100);
      // Nothing may be missing: a routine that this version replaced stays in a file database/release_*.sql
      // until the next release.
      assertEquals(released.filter((line) => !present.has(line) && !UNUSED.test(line)), []);
    } finally {
      await sql.end();
    }
  });

  // A worker sends events again if the database refuses to settle their attempts.
  it("lets a routine that settles attempts finish if it waited for a migration's locks", async () => {
    const url = await createReleased();
    const sql = postgres(url, { max: 20, onnotice: () => {} });
    const codes: string[] = [];
    let isMigrated = false;
    const settle = async () => {
      while (!isMigrated) await sql.unsafe(SETTLE).catch(({ code }) => codes.push(code));
    };
    try {
      await sql.unsafe(SETTLE);
      const calls = Promise.all(Array.from({ length: 20 }, settle));
      await migrate(url).finally(() => isMigrated = true);
      await calls;
      assert(codes.length > 0, "No call waited for the migration.");
      assertEquals(codes.filter((code) => !SETTLED_AGAIN.test(code)), []);
    } finally {
      await sql.end();
    }
  });
});
