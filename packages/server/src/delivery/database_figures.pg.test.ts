import { afterEach, before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { until } from "../../../../tools/testing/until.ts";
import { suiteBooks } from "../../testing/books.ts";
import { moveDayEndAway } from "../../testing/close_today.ts";
import { bookOrder, orderItem } from "../booking/fixture.ts";
import { connect } from "../database/pools.ts";
import { DATABASE_GAUGES } from "../operations/families.ts";
import { createMetrics } from "../operations/metrics.ts";
import { LOST_MS, showDatabase } from "./database_figures.ts";

const PAUSE_MS = 20;

describe("the figures of the whole database", () => {
  const books = suiteBooks();
  const stops: (() => void)[] = [];
  afterEach(async () => {
    stops.splice(0).forEach((stop) => stop());
    // Postgres ends the sessions a moment later.
    await until(async () => (await holders()).length === 0);
  });
  before(async () => {
    await moveDayEndAway(books.sql);
    await books.setPrice(3_210_000n, 3_190_000n);
    await books.addBar(1_000_000n);
  });

  /** Shows the figures as a delivery process does. */
  function start(idleTimeoutMs?: number, pauseMs: number = PAUSE_MS) {
    const url = new URL(books.url);
    url.searchParams.set("role", "gold_delivery");
    const pool = connect(url.href, 1, idleTimeoutMs === undefined ? {} : { idleTimeoutMs });
    const metrics = createMetrics();
    const clock = { ms: 0 };
    const { stop } = showDatabase(pool, metrics, () => clock.ms, pauseMs);
    stops.push(stop);
    const read = (): Record<string, number> =>
      Object.fromEntries(
        [...metrics.text().matchAll(/^(gold_\w+) (\S+)$/gm)].map(([, name, value]) => [name!, Number(value)]),
      );
    const isShown = () => Object.keys(read()).length > 0;
    return { pool, clock, read, isShown, stop };
  }
  const holders = () =>
    books.sql<{ pid: number }[]>`
    select l.pid from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
    where l.locktype = 'advisory' and l.objid = 1735355494 and l.granted`;

  it("are shown by one process alone, and by another one soon after the first has stopped", async () => {
    const first = start();
    await until(first.isShown);
    const others = [start(), start()];
    await Promise.all(others.map(({ pool }) => pool`select 1`));
    await new Promise((resolve) => setTimeout(resolve, 5 * PAUSE_MS));
    assertEquals(Object.keys(first.read()).sort(), Object.keys(DATABASE_GAUGES).sort());
    assertEquals(others.map(({ isShown }) => isShown()), [false, false]);
    first.stop();
    assertEquals(first.isShown(), false);
    await until(() => others.some(({ isShown }) => isShown()));
    await new Promise((resolve) => setTimeout(resolve, 5 * PAUSE_MS));
    assertEquals(others.filter(({ isShown }) => isShown()).length, 1);
  });

  it("move to another process when Postgres lost the holder's session", async () => {
    const first = start(undefined, 3_600_000);
    await until(first.isShown);
    const second = start();
    await until(async () => (await holders()).length === 1);
    await books.sql`select pg_terminate_backend(${(await holders())[0]!.pid})`;
    await until(second.isShown);
  });

  it("move to another process when the holder sends nothing more, and the holder no longer shows them", async () => {
    const hanging = start(500, 3_600_000);
    await until(hanging.isShown);
    const second = start();
    await until(second.isShown);
    assert(hanging.isShown(), "the figures of a holder that hangs are shown for a while");
    hanging.clock.ms = LOST_MS;
    assertEquals(hanging.isShown(), false);
  });

  it("state when they were read, the free gold, and what the partners bought today minus what they sold", async () => {
    const client = await books.createClient({ halalas: 1_000_000_000n });
    const trade = async (side: "buy" | "sell", tenthMilligrams: bigint) => {
      const outcome = await bookOrder(
        books.api,
        orderItem(client, await books.quote(client, side, tenthMilligrams)),
      );
      assertEquals(outcome.status, 201);
    };
    await trade("buy", 100_000n);
    const { read, isShown } = start();
    await until(isShown);
    const grams = () => [read().gold_vault_free_grams, read().gold_exposure_grams];
    assertEquals(grams(), [90, 10]);
    await trade("buy", 20_001n);
    await trade("sell", 50_000n);
    await until(() => grams().join() === "92.9999,7.0001", read);
    const [counted] = await books.sql`select day_net::int from gold.count_position(null)`;
    assertEquals(counted!.day_net, 70_001);
    assert(Math.abs(Date.now() / 1000 - read().gold_database_read_timestamp_seconds!) < 60);
  });

  it("state the largest order that a partner may place, and the proposals that wait", async () => {
    const client = await books.createClient();
    await books.sql`update gold.partner set maximum_grams = 500000 where id = ${client}`;
    await books.sql`update gold.partner set suspended_at = now() where id <> ${client}`;
    const { read, isShown } = start();
    await until(isShown);
    const figures = () => [
      read().gold_order_limit_grams,
      read().gold_proposals_waiting,
      read().gold_proposal_oldest_seconds,
    ];
    assertEquals(figures(), [50, 0, 0]);
    for (const minutes of [5, -5]) {
      await books.sql`
        insert into gold.proposal (id, kind, content, proposer, proposed_at, expires_at, deployment)
        values (gen_random_uuid(), 'market.open', '{}', 'amal', now() - interval '10 minutes',
          now() + ${`${minutes} minutes`}::text::interval, 'sandbox-x')`;
    }
    await until(() => read().gold_proposals_waiting === 1, read);
    assert(Math.abs(read().gold_proposal_oldest_seconds! - 600) < 60);
  });

  it("show a closed market, and a clock that is behind", async () => {
    const client = await books.createClient();
    const { read, isShown } = start();
    await until(isShown);
    assertEquals([read().gold_market_halted, read().gold_clock_behind_seconds], [0, 0]);
    await books.sql`update gold.price set halted_at = clock_timestamp()`;
    await books
      .sql`update gold.account set last_posted_at = clock_timestamp() + interval '4 seconds' where client_id = ${client}`;
    await until(() => read().gold_market_halted === 1, read);
    assertEquals(read().gold_clock_behind_seconds, 0);
    await books
      .sql`update gold.account set last_posted_at = clock_timestamp() + interval '90 seconds' where client_id = ${client}`;
    await until(() => read().gold_clock_behind_seconds! > 80, read);
    await books.sql`update gold.price set halted_at = null`;
  });

  it("show the age of the source's price, and whether it is too old for quotes that the market allows", async () => {
    const { read, isShown } = start();
    await until(isShown);
    const shows = async (stale: number, age: (seconds: number) => boolean) =>
      await until(() => read().gold_price_stale === stale && age(read().gold_price_age_seconds!), read);
    const set = (change: string) => books.sql.unsafe(`update gold.price set ${change}`);
    const about = (expected: number) => (seconds: number) => Math.abs(seconds - expected) < 60;
    const ago = (seconds: number) => `as_of = clock_timestamp() - interval '${seconds} s'`;
    await set(ago(400));
    await shows(0, Number.isNaN);
    await set(`source = 'simulated', stale_after_seconds = 500, ${ago(400)}`);
    await shows(0, about(400));
    await set("stale_after_seconds = 300");
    await shows(1, about(400));
    await set("always_open = false");
    await shows(0, Number.isNaN);
    await set("always_open = true, halted_at = clock_timestamp()");
    await shows(0, Number.isNaN);
    await set(`halted_at = null, ${ago(-400)}`);
    await shows(1, (seconds) => seconds === 0);
    // No price since the source was set.
    await set("source = 'http', url = 'https://prices.example/', as_of = 'epoch'");
    await shows(1, about(0));
    await set("source = 'fixed', url = null");
    await shows(0, Number.isNaN);
  });
});
