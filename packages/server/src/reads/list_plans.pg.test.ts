import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { connectExplaining, type PlanNode } from "./plan_fixture.ts";
import { type ListBounds, openRecordReads } from "./record_reads.ts";
import { suiteBooks } from "../../testing/books.ts";
import { setUp } from "../../testing/set_up.ts";
import { withoutTriggers } from "../../testing/rows.ts";

const FEW = 1000;
const MANY = 1_000_000;
const PAGE_ITEMS = 51;
/** How many more blocks a page may read with many orders, because the index is a little deeper. */
const DEEPER_BLOCKS = 2;
/** How many event numbers a filtered page searches. */
const SEARCHED = 10_000;
const EVERYTHING = {
  createdAfter: null,
  createdBefore: null,
  idempotencyKey: null,
  reference: null,
  accountLabel: null,
} as const;

describe("a page of a list", () => {
  const books = suiteBooks();
  const connection = setUp(() => connectExplaining(books));

  /** Adds orders to a client's orders, and updates the account as if the orders had been booked. */
  async function insertOrders(client: number, from: number, to: number): Promise<void> {
    await withoutTriggers(books.sql, async (sql) => {
      await sql`
        insert into gold.orders (bucket, client_id, side, id, sequence, grams, price, total, executed_at, sar_available_after, sar_held_after, gold_after)
        select ${client % 64}, ${client}, 'buy', gen_random_uuid(), n, 10000, 3210000, 32100, now(), 0, 0, 0
        from generate_series(${from}::int, ${to}::int) n`;
      await sql`update gold.account set event_sequence = ${to} where client_id = ${client}`;
    });
  }

  /** The plan of the statement that reads the orders, and how many blocks it read. */
  async function explain(
    client: number,
    below: number | null,
  ): Promise<{ nodes: readonly PlanNode[]; blocks: number }> {
    const bounds: ListBounds = { ...EVERYTHING, below: below === null ? null : `${below}` };
    const reads = openRecordReads(connection.sql);
    // Read once before, because the first call also reads the catalog.
    await reads.list("order", client, bounds, PAGE_ITEMS);
    connection.take();
    const rows = await reads.list("order", client, bounds, PAGE_ITEMS);
    assertEquals(rows.length, PAGE_ITEMS);
    const [page, ...others] = connection.take().filter(({ statement }) => statement.includes("orders o"));
    assert(page && others.length === 0, "not exactly one statement read the orders");
    const { "Shared Hit Blocks": hit, "Shared Read Blocks": read } = page.nodes[0]!;
    return { nodes: page.nodes, blocks: hit + read };
  }

  function assertWalksIndex(nodes: readonly PlanNode[]): void {
    assertEquals(nodes.map((node) => node["Node Type"]), ["Limit", "Index Scan"]);
    const scan = nodes[1]!;
    assertEquals([scan["Index Name"], scan["Scan Direction"]], ["orders_newest", "Backward"]);
    assertEquals([Number(scan["Actual Rows"]), scan["Rows Removed by Filter"] ?? 0], [PAGE_ITEMS, 0]);
  }

  it("needs one index scan and no sort, and a million orders cost the same as a thousand", async () => {
    const [client, other] = [await books.createClient(), await books.createClient()];
    // Add orders of a client that is next to this client in the index. A scan that starts too early would
    // read them.
    await insertOrders(other, 1, FEW);
    await insertOrders(client, 1, FEW);
    const few = [await explain(client, null), await explain(client, FEW / 2)];
    await insertOrders(client, FEW + 1, MANY);
    const many = [];
    // Test before and after the planner's statistics include the new orders.
    for (const statement of ["select 1", "analyze gold.orders"]) {
      await books.sql.unsafe(statement);
      for (const below of [null, MANY / 2, FEW / 2]) many.push(await explain(client, below));
    }
    for (const { nodes } of [...few, ...many]) assertWalksIndex(nodes);
    const most = Math.max(...few.map(({ blocks }) => blocks)) + DEEPER_BLOCKS;
    for (const { blocks } of many) assert(blocks <= most, `${blocks} blocks read; the limit is ${most}`);
  });

  it("filtered by a text searches 10,000 event numbers of the same index, and says where to continue", async () => {
    const client = await books.createClient();
    await insertOrders(client, 1, 3 * SEARCHED);
    const reads = openRecordReads(connection.sql);
    const bounds: ListBounds = { ...EVERYTHING, reference: "absent", below: null };
    await reads.list("order", client, bounds, PAGE_ITEMS);
    for (const statement of ["select 1", "analyze gold.orders"]) {
      await books.sql.unsafe(statement);
      connection.take();
      const rests: string[] = [];
      for (let below: string | null = null;;) {
        const [rest, ...others] = await reads.list("order", client, { ...bounds, below }, PAGE_ITEMS);
        assertEquals(others, []);
        if (!rest) break;
        assertEquals(rest.body, null);
        rests.push(below = rest.sequence);
      }
      assertEquals(rests, [`${2 * SEARCHED + 1}`, `${SEARCHED + 1}`]);
      const pages = connection.take().filter(({ statement }) => statement.includes("orders o"));
      assertEquals(pages.length, 3);
      for (const { nodes } of pages) {
        assertEquals(nodes.map((node) => node["Index Name"]), [undefined, "orders_newest"]);
        assertEquals(Number(nodes[1]!["Rows Removed by Filter"]), SEARCHED);
      }
    }
  });
});
