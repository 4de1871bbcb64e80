import { suiteBooks } from "../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import type { Sql, TransactionSql } from "postgres";
import type { EndpointRow } from "./delivery_store.ts";
import {
  ageHeartbeat,
  askForTest,
  attemptOf,
  createReceiver,
  createWorker,
  endpointAt,
  FAILED,
  numbersOf,
  redeliver,
  retriesOf,
  standingOf,
} from "./delivery_fixture.ts";

const clientsOf = (endpoints: readonly EndpointRow[]) =>
  endpoints.map(({ client }) => client).sort((a, b) => a - b);

describe("an endpoint", () => {
  const books = suiteBooks();

  it("is claimed if an event after the mark waits or a retry is due", async () => {
    const worker = await createWorker(books);
    const [waiting, done, due, later] = [1, 1, 1, 1].map(() => createReceiver(books, 1));
    const clients = await Promise.all([waiting!, done!, due!, later!, createReceiver(books, 0)]);
    await worker.claim(clients, 9);
    await worker.settle([], clients.slice(1, 4).map((client) => endpointAt(client, 0, 1)));
    await worker.dismiss();
    await redeliver(books, clients[2]!, 1);
    await redeliver(books, clients[3]!, 1);
    await books
      .sql`update gold.retry set due_at = now() + interval '1 minute' where client_id = ${clients[3]!}`;
    const other = await createWorker(books);
    assertEquals(clientsOf(await other.claim(clients, 9)), [clients[0]!, clients[2]!].sort((a, b) => a - b));
    await other.dismiss();
  });

  it("is claimed by a call that names no clients, and each call claims at most its limit", async () => {
    const worker = await createWorker(books);
    const clients = await Promise.all([1, 1, 1].map(() => createReceiver(books, 1)));
    const claimed: number[] = [];
    for (let rows = await worker.claim(null, 2); rows.length > 0; rows = await worker.claim(null, 2)) {
      assertEquals(rows.length <= 2, true);
      claimed.push(...clientsOf(rows));
      assertEquals(new Set(claimed).size, claimed.length);
    }
    assertEquals(clients.filter((client) => !claimed.includes(client)), []);
    await worker.dismiss();
  });

  it("is returned with its URL, its mark and its active secrets, newest first", async () => {
    const worker = await createWorker(books);
    const client = await createReceiver(books, 2);
    await books.sql`
      insert into gold.webhook_secret (partner_id, receiver_id, sealed, sealing_key, not_before, retire_at) values
        (${client}, ${client}, '\\x0102', 'kek-1', now() - interval '3 hours', now() + interval '1 hour'),
        (${client}, ${client}, '\\x0304', 'kek-2', now() - interval '2 hours', null),
        (${client}, ${client}, '\\x05', 'kek-1', now() - interval '4 hours', now() - interval '1 second'),
        (${client}, ${client}, '\\x06', 'kek-2', now() + interval '1 hour', null)`;
    const [claimed] = await worker.claim([client], 1);
    const { secrets, ...endpoint } = claimed!;
    assertEquals(endpoint, {
      client,
      partner: client,
      number: 1,
      url: "https://localhost/",
      tenure: 1,
      passed: "0",
      failures: 0,
      disabled: false,
    });
    // Leave out the first secret. It was created together with the partner, just now.
    assertEquals(secrets.slice(1).map(({ sealed, sealing_key }) => [sealed, sealing_key]), [
      ["AwQ=", "kek-2"],
      ["AQI=", "kek-1"],
    ]);
    assertEquals(secrets.map(({ retire_at }) => retire_at === null), [true, true, false]);
    assertEquals((await worker.renew()).find((one) => one.client === client), claimed!);
    await worker.dismiss();
  });

  it("has only secrets of its own partner", async () => {
    const [owner, other] = [await books.createClient(), await books.createClient()];
    const point = (sql: Sql | TransactionSql, id: number) =>
      sql`update gold.webhook_secret set receiver_id = ${id} where partner_id = ${owner}`;
    await assertRejects(() => point(books.sql, other), Error, "webhook_secret_of_receiver");
    // A partner without a URL has a secret of the endpoint that it does not have yet.
    await books.sql`delete from gold.receiver where id = ${owner}`;
    await assertRejects(() => point(books.sql, 2 ** 30), Error, "webhook_secret_of_receiver");
    await point(books.sql, owner);
    // A superuser can write the row nevertheless. The other partner's webhooks are not signed with this secret.
    await books.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await point(sql, other);
      const [row] = await sql`select gold.receiver_secrets(${other}) as secrets`;
      assertEquals(row!.secrets.length, 1);
    });
  });

  it("belongs to one worker at a time when several workers claim it at once", async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, () => createReceiver(books, 1)));
    const workers = await Promise.all(Array.from({ length: 4 }, () => createWorker(books)));
    for (let round = 0; round < 5; round++) {
      const claimed = await Promise.all(workers.map((worker) => worker.claim(round % 2 ? null : clients, 5)));
      const got = claimed.flatMap(clientsOf).filter((client) => clients.includes(client));
      assertEquals(new Set(got).size, got.length);
      for (const worker of workers) await worker.dismiss();
      for (const worker of workers) await worker.renew();
    }
    for (const worker of workers) await worker.dismiss();
  });

  it("is skipped while another worker's claim of it is not committed", async () => {
    const [one, two] = [await createWorker(books), await createWorker(books)];
    const client = await createReceiver(books, 1);
    await one.claim([client], 1);
    await one.dismiss();
    await one.renew();
    const holder = await books.sql.reserve();
    await holder`begin`;
    await holder`select from gold.claim_receivers(${one.id}::uuid, array[${client}::int], 1)`;
    assertEquals(clientsOf(await two.claim([client], 1)), []);
    await holder`commit`;
    holder.release();
    assertEquals(clientsOf(await two.claim([client], 1)), []);
    assertEquals(clientsOf(await one.renew()), [client]);
    await one.dismiss();
    await two.dismiss();
  });

  it("can be claimed by another worker after five seconds without a heartbeat, and not before", async () => {
    const [dying, next] = [await createWorker(books), await createWorker(books)];
    const client = await createReceiver(books, 1);
    await dying.claim([client], 1);
    await ageHeartbeat(books, dying, 4.5);
    const early = clientsOf(await next.claim([client], 1));
    const [row] = await books.sql`
      select seen_at > clock_timestamp() - interval '5 seconds' as alive from gold.delivery_worker where id = ${dying.id}`;
    // Do not check a slow machine, on which the remaining half second may be over. The claim is then correct.
    if (row!.alive) assertEquals(early, []);
    await ageHeartbeat(books, dying, 5.01);
    assertEquals([...early, ...clientsOf(await next.claim([client], 1))], [client]);
    assertEquals(clientsOf(await dying.renew()), []);
    assertEquals(clientsOf(await dying.claim([client], 1)), []);
    await next.dismiss();
    await dying.dismiss();
  });

  it("stays with a paused worker until another claims it, even if the worker's row was deleted", async () => {
    const [still, other] = [await createWorker(books), await createWorker(books)];
    const client = await createReceiver(books, 1);
    await still.claim([client], 1);
    await ageHeartbeat(books, still, 70);
    await other.renew();
    assertEquals((await books.sql`select from gold.delivery_worker where id = ${still.id}`).length, 0);
    assertEquals(clientsOf(await still.renew()), [client]);
    assertEquals(clientsOf(await other.claim([client], 1)), []);
    await still.dismiss();
    await other.dismiss();
  });

  it("is not given to a worker without a recent heartbeat", async () => {
    const client = await createReceiver(books, 1);
    const worker = await createWorker(books, { seen: false });
    assertEquals(clientsOf(await worker.claim([client], 1)), []);
    await worker.renew();
    await ageHeartbeat(books, worker, 5.01);
    assertEquals(clientsOf(await worker.claim([client], 1)), []);
    await worker.renew();
    assertEquals(clientsOf(await worker.claim([client], 1)), [client]);
    await worker.dismiss();
  });

  it("can be claimed at once when its worker stops", async () => {
    const [leaving, next] = [await createWorker(books), await createWorker(books)];
    const client = await createReceiver(books, 1);
    await leaving.claim([client], 1);
    await leaving.dismiss();
    assertEquals(clientsOf(await next.claim([client], 1)), [client]);
    await next.dismiss();
    assertEquals(await standingOf(books, client), "passed 0");
  });

  it("is not claimed before its pause after failures has ended", async () => {
    const worker = await createWorker(books);
    const client = await createReceiver(books, 2);
    await worker.claim([client], 1);
    const [event] = await worker.take([{ client, after: 0, room: 1 }]);
    const resting = endpointAt(client, 0, 1, { failures: 5, restMs: 60_000, released: true });
    assertEquals(await worker.settle([attemptOf(event!, FAILED)], [resting]), [client]);
    assertEquals(await standingOf(books, client), "passed 1, 5 failures, rests");
    assertEquals(clientsOf(await worker.claim([client], 1)), []);
    await books.sql`update gold.endpoint set rests_until = now() where client_id = ${client}`;
    assertEquals((await worker.claim([client], 1)).map(({ client, failures }) => [client, failures]), [[
      client,
      5,
    ]]);
    await worker.dismiss();
  });

  it("is claimed only for a test while it is disabled", async () => {
    const worker = await createWorker(books);
    const client = await createReceiver(books, 3);
    await worker.claim([client], 1);
    await worker.settle([], [endpointAt(client, 0, 1, { disabled: true, released: true })]);
    assertEquals(await standingOf(books, client), "passed 1, disabled");
    assertEquals(clientsOf(await worker.claim([client], 1)), []);
    await redeliver(books, client, 1);
    assertEquals(clientsOf(await worker.claim([client], 1)), []);
    await askForTest(books, client);
    assertEquals((await worker.claim([client], 1)).map(({ disabled, tenure }) => [disabled, tenure]), [[
      true,
      2,
    ]]);
    assertEquals(numbersOf(await worker.take([{ client, after: 1, room: 9 }])), [4]);
    assertEquals(await retriesOf(books, client), "1 due, 4 waits");
    assertEquals(await worker.settle([], [endpointAt(client, 1, 1, { tenure: 2, released: true })]), [
      client,
    ]);
    assertEquals(clientsOf(await worker.claim([client], 1)), []);
    await worker.dismiss();
  });

  it("belongs to no worker if its partner has no webhook URL", async () => {
    const worker = await createWorker(books);
    const client = await createReceiver(books, 1);
    await worker.claim([client], 1);
    await books.sql`update gold.receiver set removed_at = now() where id = ${client}`;
    assertEquals(clientsOf(await worker.renew()), []);
    await worker.dismiss();
    await worker.renew();
    assertEquals(clientsOf(await worker.claim([client], 1)), []);
    await worker.dismiss();
  });
});
