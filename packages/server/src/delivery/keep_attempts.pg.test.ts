import { suiteBooks } from "../../testing/books.ts";
import { before, beforeEach, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import {
  attemptOf,
  createReceiver,
  createWorker,
  endpointAt,
  FAILED,
  PARKED,
  redeliver,
} from "./delivery_fixture.ts";
import { columnOf, withoutTriggers } from "../../testing/rows.ts";

const WEEK_MS = 7 * 86_400_000;
const KEPT_DAYS = 90;

describe("attempt partitions", () => {
  const books = suiteBooks();
  let monday: number;
  let migrated: string[];
  before(async () => {
    migrated = await weeks();
  });
  // A new week may begin after the migration, or between two tests.
  beforeEach(async () => {
    const [row] = await books
      .sql`select date_trunc('week', clock_timestamp() at time zone 'UTC')::date::text as monday`;
    monday = Date.parse(`${row!.monday}T00:00:00Z`);
    await keep();
    await books.sql.unsafe(`drop table if exists gold_attempts.${nameOf(-1)}`);
  });

  const keep = (sql = books.delivery) => sql`select gold.keep_attempts()`;
  const dayOf = (weeks: number) => new Date(monday + weeks * WEEK_MS).toISOString().slice(0, 10);
  const nameOf = (weeks: number) => `week_${dayOf(weeks).replaceAll("-", "")}`;
  const weeks = () =>
    columnOf<string>(books.sql`
      select relname from pg_class c join pg_inherits i on i.inhrelid = c.oid
      where c.relnamespace = 'gold_attempts'::regnamespace and i.inhparent = 'gold.attempt'::regclass and c.relowner = 'gold_owner'::regrole
      order by relname`);
  const ahead = () => [0, 1, 2, 3].map(nameOf);
  /** Creates a week's partition as if it had been created in that week. */
  const createWeek = (weeks: number) =>
    books.sql.unsafe(`
      create table gold_attempts.${nameOf(weeks)} partition of gold.attempt for values from ('${
      dayOf(weeks)
    } UTC') to ('${dayOf(weeks + 1)} UTC');
      alter table gold_attempts.${nameOf(weeks)} owner to gold_owner`);

  it("exist for this UTC week and the next three as soon as the database is migrated", async () => {
    const first = migrated.includes(nameOf(-1)) ? -1 : 0;
    assertEquals(migrated, [0, 1, 2, 3].map((week) => nameOf(first + week)));
    const [row] = await books.sql`
      select pg_get_expr(relpartbound, oid) as bound from pg_class where relname = ${nameOf(0)}`;
    assertEquals(row!.bound, `FOR VALUES FROM ('${dayOf(0)} 00:00:00+00') TO ('${dayOf(1)} 00:00:00+00')`);
  });

  it("are created once for missing weeks when callers in several time zones call at once", async () => {
    await books.sql.unsafe(`drop table gold_attempts.${nameOf(1)}, gold_attempts.${nameOf(3)}`);
    const callers = await Promise.all(
      ["Asia/Riyadh", "America/Los_Angeles", "UTC"].map(async (zone) => {
        const sql = books.connect("gold_delivery", 1);
        await sql`select set_config('TimeZone', ${zone}, false)`;
        return sql;
      }),
    );
    await Promise.all(callers.map((sql) => keep(sql)));
    assertEquals(await weeks(), ahead());
    const bounds = await books.sql`
      select distinct extract(epoch from upper(span) - lower(span)) as seconds from pg_class c,
        lateral (select tstzrange((regexp_match(pg_get_expr(relpartbound, oid), 'FROM \\(''(.*?)''\\)'))[1]::timestamptz,
          (regexp_match(pg_get_expr(relpartbound, oid), 'TO \\(''(.*?)''\\)'))[1]::timestamptz) as span) b
      where c.relnamespace = 'gold_attempts'::regnamespace and c.relkind = 'r'`;
    assertEquals(bounds.map(({ seconds }) => Number(seconds)), [WEEK_MS / 1000]);
  });

  it("are dropped after their retention, and their events keep the correct delivery status", async () => {
    const worker = await createWorker(books);
    const client = await createReceiver(books, 3);
    await worker.claim([client], 1);
    const events = await worker.take([{ client, after: 0, room: 3 }]);
    const [old, last] = [-Math.floor(KEPT_DAYS / 7) - 3, -Math.floor(KEPT_DAYS / 7)];
    await createWeek(old);
    await createWeek(last);
    const attemptedAtMs = monday + old * WEEK_MS;
    await withoutTriggers(books.sql, async (sql) => {
      await sql`update gold.event set created_at = ${
        new Date(attemptedAtMs).toISOString()
      }::text::timestamptz where client_id = ${client}`;
    });
    await worker.settle(
      [
        attemptOf(events[0]!, { attemptedAtMs }),
        attemptOf(events[1]!, { ...PARKED, attemptedAtMs }),
        attemptOf(events[2]!, { ...FAILED, attemptedAtMs }),
      ],
      [endpointAt(client, 0, 3)],
    );
    const statuses = async () => {
      const rows = await books.api<{ body: string }[]>`select body from gold.list_events(${client}, 0, 9)`;
      return rows.map(({ body }) => JSON.parse(body).delivery).map(({ status, attempts }) =>
        `${status} ${attempts.length}`
      );
    };
    assertEquals(await statuses(), ["delivered 1", "parked 1", "pending 1"]);
    await keep();
    assertEquals(await weeks(), [nameOf(last), ...ahead()]);
    assertEquals(await statuses(), ["delivered 0", "parked 0", "pending 0"]);
    // Check only this rule. This test also made the events older, which breaks other rules.
    assertEquals((await books.defects()).filter((defect) => defect.startsWith("event_is_delivered")), []);
    await books.sql`update gold.deployment set attempts_kept_days = 7`;
    await keep();
    assertEquals(await weeks(), ahead());
    await books.sql`update gold.deployment set attempts_kept_days = ${KEPT_DAYS}`;
    await worker.dismiss();
  });

  it("remain while a long transaction reads them, and the cleanup does not wait for it", async () => {
    await createWeek(-100);
    const reader = await books.sql.reserve();
    await reader`begin`;
    await reader`select count(*) from gold.attempt`;
    await keep();
    assertEquals(await weeks(), [nameOf(-100), ...ahead()]);
    await reader`commit`;
    reader.release();
    await keep();
    assertEquals(await weeks(), ahead());
  });

  it("refuse update, delete and truncate", async () => {
    for (const action of ["delete from", "truncate", "update"]) {
      const refusal = await books.sql.unsafe(
        `${action} gold_attempts.${nameOf(2)}${action === "update" ? " set duration_ms = 1" : ""}`,
      ).then(() => "done", ({ code }) => code);
      assertEquals(refusal, "GB002", action);
    }
  });

  it("provide each event's newest hundred attempts to list_events(), oldest first", async () => {
    const worker = await createWorker(books);
    const client = await createReceiver(books, 1);
    await worker.claim([client], 1);
    const [event] = await worker.take([{ client, after: 0, room: 1 }]);
    const startMs = Date.parse(
      (await books.sql`select created_at from gold.event where client_id = ${client}`)[0]!.created_at,
    );
    const attempts = Array.from(
      { length: 103 },
      (_, n) =>
        attemptOf(event!, { ...(n === 102 ? {} : FAILED), attemptedAtMs: startMs - 20 + n, durationMs: n }),
    );
    await worker.settle(attempts.slice(0, 1), [endpointAt(client, 0, 0)]);
    await redeliver(books, client, 1);
    await worker.settle(attempts.slice(1), []);
    const [row] = await books.api<{ body: string }[]>`select body from gold.list_events(${client}, 0, 9)`;
    const { delivery } = JSON.parse(row!.body);
    assertEquals(delivery.status, "pending");
    assertEquals(
      delivery.attempts.map(({ duration_ms }: { duration_ms: number }) => duration_ms),
      Array.from({ length: 100 }, (_, n) => n + 3),
    );
    assertEquals(delivery.attempts[0], {
      attempted_at: new Date(startMs - 17).toISOString(),
      http_status: 500,
      cause: "status",
      duration_ms: 3,
    });
    await worker.dismiss();
  });

  it("name the cause of a failure without the operator's details", async () => {
    const worker = await createWorker(books);
    const client = await createReceiver(books, 1);
    await worker.claim([client], 1);
    const [event] = await worker.take([{ client, after: 0, room: 1 }]);
    const [{ created_at } = { created_at: "" }] = await books
      .sql`select created_at from gold.event where client_id = ${client}`;
    const startMs = Date.parse(created_at);
    const causes = {
      ...{
        dns_failed: "dns",
        address_forbidden: "address",
        connect_failed: "refused",
        tls_failed: "tls_untrusted",
      },
      ...{ timeout: "timeout", reset: "reset", answer_invalid: "reset", unexpected: "other" },
    };
    const attempts = Object.keys(causes).map((error, n) =>
      attemptOf(event!, { ...FAILED, error: error as never, httpStatus: null, attemptedAtMs: startMs + n })
    );
    await worker.settle(attempts, [endpointAt(client, 0, 0)]);
    const [row] = await books.api<{ body: string }[]>`select body from gold.list_events(${client}, 0, 9)`;
    const { delivery } = JSON.parse(row!.body);
    assertEquals(delivery.attempts.map(({ cause }: { cause: string }) => cause), Object.values(causes));
    await worker.dismiss();
  });
});
