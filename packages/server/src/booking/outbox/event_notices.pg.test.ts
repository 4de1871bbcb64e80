import { suiteBooks } from "../../../testing/books.ts";
import { suiteService } from "../../../testing/service.ts";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import postgres from "postgres";
import { fund, order } from "../../delivery/webhook_fixture.ts";
import { openEventNotices } from "./event_notices.ts";
import { until } from "../../../../../tools/testing/until.ts";

const CLIENTS = 200;
const TIMEOUT_MS = 30_000;

describe("event notices", () => {
  const books = suiteBooks();
  let clients: number[];
  before(async () => {
    clients = [];
    for (let n = 0; n < CLIENTS; n++) clients.push(await books.createClient());
  });

  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const hear = async (channel = "gold_event") => {
    const heard: number[] = [];
    await books.sql.listen(channel, (client) => void heard.push(Number(client)));
    return heard;
  };
  const untilHeard = async (heard: readonly number[], count: number) => {
    await until(() => heard.length >= count, () => heard);
    return heard.toSorted((one, other) => one - other);
  };
  /** Sends the notification `last` and waits for it. Returns the notifications that arrived before it. */
  const heardUpTo = async (heard: readonly number[], last: number) => {
    await books.sql`select pg_notify('gold_event', ${`${last}`})`;
    await until(() => heard.at(-1) === last, () => heard);
    return heard.slice(0, -1);
  };
  const notifyNow = (notified: readonly number[]) =>
    books.api`select gold.tell_events(${`{${notified.join(",")}}`}::text::int[])`;

  it("are sent once per client for all of its orders that arrive together", async () => {
    const heard = await hear();
    const notices = openEventNotices(books.api);
    for (let n = 0; n < 100; n++) notices.notify(clients[n % 5]!);
    assertEquals(await untilHeard(heard, 5), clients.slice(0, 5));
    notices.notify(clients[7]!);
    assertEquals(await untilHeard(heard, 6), [...clients.slice(0, 5), clients[7]!]);
  });

  it("are grouped into one statement every few milliseconds while orders keep arriving", async () => {
    const heard = await hear();
    let statements = 0;
    const counting =
      ((...query: Parameters<typeof books.api>) => (statements++, books.api(...query))) as typeof books.api;
    const notices = openEventNotices(counting);
    const beganMs = performance.now();
    let notified = 0;
    for (; performance.now() - beganMs < 100 && notified < CLIENTS; await pause(0)) {
      notices.notify(clients[notified++]!);
    }
    const tookMs = performance.now() - beganMs;
    await untilHeard(heard, notified);
    assertEquals(heard.length, notified);
    assert(statements <= tookMs / 3 + 2, `${statements} in ${tookMs} ms`);
  });

  it("are also sent when an endpoint changes, to the workers that hold it and to those that do not", async () => {
    const [holders, others] = [await hear("gold_endpoint"), await hear()];
    await books.sql`select gold.endpoint_changed(${clients[9]!})`;
    assertEquals(await untilHeard(holders, 1), [clients[9]]);
    assertEquals(await untilHeard(others, 1), [clients[9]]);
  });

  it("are not sent for a client without a URL or with a disabled or resting endpoint", async () => {
    const heard = await hear();
    const [silent, disabled, resting, rested, well] = clients as [number, number, number, number, number];
    await books.sql`update gold.receiver set removed_at = now() where id = ${silent}`;
    await books.sql`
      insert into gold.endpoint (bucket, client_id, disabled_at, rests_until) values
        (${disabled % 64}, ${disabled}, now(), null), (${
      resting % 64
    }, ${resting}, null, now() + interval '1 minute'),
        (${rested % 64}, ${rested}, null, now())`;
    await notifyNow([silent, disabled, resting, rested, well, 0, -1]);
    assertEquals(await heardUpTo(heard, -2), [rested, well]);
  });

  it("are sent for earlier events when the client's URL is set", async () => {
    const client = clients.at(-1)!;
    await books.sql`delete from gold.receiver where id = ${client}`;
    const [row] = await books.sql`select public_id from gold.partner where id = ${client}`;
    const heard = await hear();
    const operator = await books.sql.reserve();
    await operator`begin`;
    await operator`select gold.set_partner(${
      row!.public_id
    }, null, null, 'https://localhost/', null, null, null)`;
    await notifyNow([client]);
    assertEquals(await heardUpTo(heard, -3), []);
    await operator`commit`;
    operator.release();
    assertEquals(await heardUpTo(heard, -4), [-3, client]);
    await notifyNow([client]);
    assertEquals(await heardUpTo(heard, -5), [-3, client, -4, client]);
  });

  it("are lost without an error if the database cannot be reached", async () => {
    // Check that a rejection is handled, because it would otherwise end the process.
    const url = new URL(books.url);
    url.port = "1";
    const nowhere = postgres(url.href, { max: 1, connect_timeout: 1 });
    const notices = openEventNotices(nowhere);
    notices.notify(1);
    await pause(200);
    notices.notify(2);
    await nowhere.end({ timeout: 1 });
    notices.notify(3);
    await pause(100);
  });
});

describe("event notices of the service", () => {
  const service = suiteService();

  it("need no statement for a partner without a URL, and are sent once it has a URL", async () => {
    const { books, partner } = service;
    const { sql } = books;
    const countNotices = async () =>
      (await sql`
        select from pg_stat_activity where datname = current_database() and query like '%tell\\_events%'`)
        .length;
    const setUrl = async (url: string | null) => {
      await sql`delete from gold.receiver where id = ${partner.client}`;
      if (url !== null) {
        await sql`
          insert into gold.receiver (id, partner_id, number, url)
          values (${partner.client}, ${partner.client}, 1, ${url})`;
      }
      await sql`select gold.registry_changed()`;
      await service.refresh();
    };
    await books.addBar(100_000n);
    await fund(service);
    await setUrl(null);
    await order(service);
    await new Promise((resolve) => setTimeout(resolve, 200));
    assertEquals(await countNotices(), 0);
    await setUrl("https://localhost/");
    await order(service);
    for (
      const endMs = performance.now() + TIMEOUT_MS;
      await countNotices() === 0 && performance.now() < endMs;
    ) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assertEquals(await countNotices(), 1);
  });
});
