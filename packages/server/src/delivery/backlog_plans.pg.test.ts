import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { connectExplaining, type PlanNode } from "../reads/plan_fixture.ts";
import { type DeliveryStore, openDeliveryStore } from "./delivery_store.ts";
import { attemptOf, createReceiver, endpointAt, FAILED, numbersOf, redeliver } from "./delivery_fixture.ts";
import { suiteBooks } from "../../testing/books.ts";
import { setUp } from "../../testing/set_up.ts";

const WAITING = 1_000_000;
/**
 * How many of the partner's events have a row in `retry`. Half of them are parked, the others are due later.
 */
const IN_RETRY = 100_000;
const ROOM = 32;
const GROWING = ["event", "retry", "chain_link", "orders", "funding"];

describe("a backlog of a million events", () => {
  const books = suiteBooks();
  const connection = setUp(() => connectExplaining(books, "gold_delivery"));
  let worker: DeliveryStore;
  let client: number;
  before(async () => {
    worker = openDeliveryStore({ work: connection.sql, beat: connection.sql }, randomUUID());
    client = await createReceiver(books, 1);
    // Let the connection plan its queries before the backlog exists, when the planner's statistics show that
    // no event waits.
    await books.sql`vacuum analyze`;
    await turn(client, 0, 1);
  });

  async function insertBacklog(): Promise<void> {
    await books.sql.begin(async (sql) => {
      const [bucket, numbers] = [client % 64, sql`from generate_series(2, ${WAITING}::int) n`];
      await sql`set local session_replication_role = replica`;
      await sql`
        insert into gold.event (bucket, client_id, sequence, id, subject, created_at, type)
        select ${bucket}, ${client}, n, id, id, now(), 'webhook.test'
        from (select n, lpad(to_hex(n), 32, '0')::uuid as id ${numbers}) made`;
      await sql`insert into gold.chain_link (bucket, client_id, sequence, hash) select ${bucket}, ${client}, n, '\\x00' ${numbers}`;
      await sql`update gold.chain_tail set sequence = ${WAITING} where client_id = ${client}`;
      await sql`update gold.account set event_sequence = ${WAITING} where client_id = ${client}`;
      await sql`
        insert into gold.retry (bucket, client_id, sequence, tries, due_at, parked_at)
        select ${bucket}, ${client}, n, 3, case when n % 2 = 0 then now() + interval '1 hour' end, case when n % 2 = 1 then now() end
        from generate_series(${WAITING - IN_RETRY + 1}::int, ${WAITING}::int) n`;
    });
  }

  const tenures = new Map<number, number>();

  /**
   * Does everything that a worker does for a partner, with one failed and one successful redelivery.
   * Returns the numbers of the new events that it took.
   */
  async function turn(of: number, from: number, room: number): Promise<readonly number[]> {
    await worker.renew();
    for (const { client, tenure } of await worker.claim(null, 10)) tenures.set(client, tenure);
    const tenure = tenures.get(of)!;
    await redeliver(books, of, 1);
    const events = await worker.take([{ client: of, tenure, after: from, room: room + 1 }]);
    const [again, ...fresh] = [...events].sort((a, b) =>
      Number(b.ticket !== null) - Number(a.ticket !== null)
    );
    const attempts = [attemptOf(again!, FAILED), ...fresh.map((event) => attemptOf(event))];
    await worker.settle(attempts, [endpointAt(of, from, from + fresh.length, { tenure, released: true })]);
    await redeliver(books, of, 1);
    for (const { client, tenure } of await worker.claim([of], 1)) tenures.set(client, tenure);
    const newTenure = tenures.get(of)!;
    const passed = from + fresh.length;
    const [once] = await worker.take([{ client: of, tenure: newTenure, after: passed, room: 1 }]);
    await worker.settle([attemptOf(once!)], [endpointAt(of, passed, passed, { tenure: newTenure })]);
    return numbersOf(fresh);
  }

  const rowsOf = (node: PlanNode): number =>
    (Number(node["Actual Rows"]) + Number(node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];

  it("makes a worker's queries read only a few rows for each event that they return", async () => {
    await insertBacklog();
    let passed = 1;
    // Test without statistics of the backlog first, then with them.
    for (const statement of ["select 1", "analyze"]) {
      await books.sql.unsafe(statement);
      connection.take();
      const taken = await turn(client, passed, ROOM);
      assertEquals(taken, Array.from({ length: ROOM }, (_, n) => passed + 1 + n));
      passed += ROOM;
      const nodes = connection.take().flatMap(({ nodes }) => nodes);
      const scans = nodes.filter((node) => GROWING.includes(node["Relation Name"] ?? ""));
      assert(scans.length > 5, "expected more than 5 table scans in the captured plans");
      const rows = scans.reduce((sum, node) => sum + rowsOf(node), 0);
      // Allow three rows for each event: the event, its chain link, and a lookup for its row in `retry`.
      // Allow 40 more rows, because the redelivered event is read again at each step.
      assert(rows <= 3 * ROOM + 40, `${rows} rows were read for ${ROOM} events`);
    }
  });
});
