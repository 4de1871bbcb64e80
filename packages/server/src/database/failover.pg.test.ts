import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { openDatabase } from "@gold-partner/database";
import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { until } from "../../../../tools/testing/until.ts";
import { untilWaiting } from "../booking/fixture.ts";
import { PostgresPair } from "../../testing/postgres_pair.ts";
import { type TestService, testService } from "../../testing/service.ts";
import { connect } from "./pools.ts";
import type { Query } from "./query.ts";
import { setUp } from "../../testing/set_up.ts";

interface Reply {
  readonly status: number;
  readonly code: string | undefined;
  readonly orderId: string | undefined;
}

async function order(service: TestService, quoteId: string, key: string): Promise<Reply> {
  const reply = await service.signed("/v1/orders", JSON.stringify({ quote_id: quoteId }), {
    headers: { "Idempotency-Key": key },
  });
  const { code, order_id: orderId } = await reply.json() as { code?: string; order_id?: string };
  return { status: reply.status, code, orderId };
}

async function quote(service: TestService): Promise<string | undefined> {
  const reply = await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":0.001}' });
  return (await reply.json() as { quote_id?: string }).quote_id;
}

/** Sends new orders until one is executed, and returns its id. */
async function untilOrdered(service: TestService): Promise<string> {
  let id: string | undefined;
  await until(async () => {
    const quoteId = await quote(service);
    if (quoteId !== undefined) id = (await order(service, quoteId, randomUUID())).orderId;
    return id !== undefined;
  });
  return id!;
}

async function open(pair: PostgresPair, standby: boolean): Promise<TestService> {
  const service = await testService({
    server: await pair.server(),
    standby,
    // The write probe sees only waiting commits of its own login.
    databaseUrl(books, login) {
      if (standby) books.username = login;
      else books.searchParams.set("role", login);
      return pair.urlOf(books);
    },
  });
  await service.books.addBar(100_000_000n);
  await service.send("/sandbox/fund", { body: '{"amount_sar":1000000}' });
  return service;
}

const portOf = async (sql: Query): Promise<number | undefined> =>
  (await sql`select inet_server_port() as port`.catch(() => []))[0]?.port;
const databaseOf = (service: TestService) => new URL(service.books.url).pathname.slice(1);
const isBooked = async (pair: PostgresPair, service: TestService, orderId: string) =>
  (await pair.sql("second", databaseOf(service))`select from gold.orders where 'ord_' || id = ${orderId}`)
    .length === 1;

/**
 * Stops the standby, and sends an order whose commit waits for it. The account's lock holds the order until
 * the standby is gone. Otherwise the service could notice the loss before it gets the order, and refuse it.
 */
async function orderWithoutStandby(pair: PostgresPair, service: TestService, quoteId: string, key: string) {
  const holder = pair.sql("first", databaseOf(service));
  await holder`begin`;
  await holder`select from gold.account where client_id = ${service.partner.client} for no key update`;
  const reply = order(service, quoteId, key);
  await untilWaiting(service.books.sql);
  await pair.crash("second");
  await holder`rollback`;
  return { reply };
}

describe("a service with several hosts in DATABASE_URL", () => {
  const pair = setUp(() => PostgresPair.start());

  it("answers upstream_timeout after 10 s without the standby, and the key gives the outcome later", async () => {
    const service = await open(pair, true);
    const [quoteId, key] = [(await quote(service))!, randomUUID()];
    const sentMs = performance.now();
    const waiting = await orderWithoutStandby(pair, service, quoteId, key);
    const oldest = () => Number(/^gold_commits_waiting_seconds (\S+)$/m.exec(service.metrics())![1]);
    await until(() => oldest() > 5);
    assertEquals(await waiting.reply, { status: 504, code: "upstream_timeout", orderId: undefined });
    const tookMs = performance.now() - sentMs;
    assert(tookMs > 9900, `${tookMs} ms`);
    const waits = await pair.sql("first")`
      select from pg_stat_activity where wait_event = 'SyncRep' and query like '%book_orders%'`;
    assertEquals(waits.length, 1);
    await pair.run("second");
    let again: Reply;
    await until(async () => (again = await order(service, quoteId, key)).status < 300);
    assertEquals(await isBooked(pair, service, again!.orderId!), true);
    const [{ count } = { count: 0 }] = await service.books.sql`select count(*)::int from gold.orders`;
    assertEquals(count, 1);
    await service.stop();
  });

  it("answers upstream_timeout if the wait for the standby was cancelled, and the key gives the outcome later", async () => {
    await pair.untilStreaming();
    const service = await open(pair, true);
    const [quoteId, key] = [(await quote(service))!, randomUUID()];
    const waiting = await orderWithoutStandby(pair, service, quoteId, key);
    const root = pair.sql("first");
    await until(async () =>
      (await root`
        select pg_cancel_backend(pid) from pg_stat_activity
        where wait_event = 'SyncRep' and query like '%book_orders%'`).length > 0
    );
    assertEquals(await waiting.reply, { status: 504, code: "upstream_timeout", orderId: undefined });
    await pair.run("second");
    await until(async () => (await order(service, quoteId, key)).status < 300);
    await service.stop();
  });

  it("keeps no head that the standby lacks", async () => {
    await pair.untilStreaming();
    const service = await open(pair, true);
    const heads = async () => {
      const [row] = await service.books.api`select gold.keep_heads('[]', 1) as reply`;
      return JSON.stringify(row!.reply.heads);
    };
    const before = await heads();
    await pair.crash("second");
    const local = pair.sql("first", databaseOf(service));
    await local`set synchronous_commit = 'local'`;
    await local`select gold.set_band(null, null)`;
    const reply = heads();
    const waits = () =>
      local`select from pg_stat_activity where wait_event = 'SyncRep' and query like '%keep_heads%'`;
    await until(async () => (await waits()).length === 1);
    await pair.run("second");
    assertNotEquals(await reply, before);
    await service.stop();
  });

  it("books orders on the promoted standby after the primary crashed, without a restart", async () => {
    await pair.untilStreaming();
    const service = await open(pair, false);
    const url = service.config.databaseUrl;
    const notified: string[] = [];
    const listener = connect(url, 1, { onNotify: (_, payload) => notified.push(payload) });
    const isNotified = async (name: "first" | "second", payload: string) => {
      await listener`listen gold_event`.catch(() => {});
      await pair.sql(name, databaseOf(service))`select pg_notify('gold_event', ${payload})`;
      return notified.includes(payload);
    };
    const lasting = openDatabase(url, { fetch_types: false, backoff: () => 0.2, onnotice: () => {} });
    await until(() => isNotified("first", "before"));
    assertEquals(await portOf(lasting), pair.port("first"));
    const before = await untilOrdered(service);

    await pair.crash("first");
    await pair.promote();
    const later = await untilOrdered(service);
    for (const id of [before, later]) {
      assertEquals(await isBooked(pair, service, id), true);
      assertEquals((await service.send(`/v1/orders/${id}`, { method: "GET" })).status, 200);
    }
    await until(() => isNotified("second", "after"));
    await until(async () => await portOf(lasting) === pair.port("second"));

    // The old primary runs again, as if nobody had fenced it. New connections must not use it.
    await pair.run("first");
    await pair.sql("second")`
      select pg_terminate_backend(pid) from pg_stat_activity where datname = ${databaseOf(service)}
        and application_name like 'gold-partner-%'`;
    assertEquals(await isBooked(pair, service, await untilOrdered(service)), true);
    // Another order of the hosts, so that this pool searches without the knowledge of the others.
    const fresh = connect(url.replace(/@([^,]+),([^,]+),/, "@$2,$1,"), 1);
    assertEquals(await portOf(fresh), pair.port("second"));
    await Promise.all([listener, lasting, fresh].map((sql) => sql.end({ timeout: 1 })));
    await service.stop();
  });
});

describe("a service whose primary became read-only", () => {
  const pair = setUp(() => PostgresPair.start());

  it("drops every connection to it, and books on the promoted server", async () => {
    const service = await open(pair, false);
    await untilOrdered(service);
    await pair.configure("first", "default_transaction_read_only = on");
    await pair.promote();
    assertEquals(await isBooked(pair, service, await untilOrdered(service)), true);
    const left = pair.sql("first");
    await until(async () =>
      (await left`select from pg_stat_activity where application_name like 'gold-partner-%'`).length === 0
    );
    await service.stop();
  });

  it("names every host and its state while no host is the primary", async () => {
    const url = pair.urlOf(new URL((await pair.server()).superuserUrl()));
    await pair.crash("first");
    await pair.crash("second");
    const sql = connect(url, 1);
    // The first connection still goes to the last known primary.
    await sql`select 1`.catch(() => {});
    const error = await sql`select 1`.then(() => undefined, (one: Error) => one);
    assertStringIncludes(error!.message, `127.0.0.1:${pair.port("second")} failed (ECONNREFUSED)`);
    assertStringIncludes(error!.message, "failed (CONNECT_TIMEOUT)");
    await sql.end({ timeout: 0 });
  });
});
