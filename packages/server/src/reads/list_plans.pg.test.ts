import { type TrialBooks, trialBooks } from "@gold-partner/dev";
import { assert, assertEquals } from "@std/assert";
import { after, before, describe, it } from "node:test";
import postgres, { type Sql } from "postgres";
import { type ListBounds, openRecordReads } from "./record_reads.ts";

const FEW = 1000;
const MANY = 1_000_000;
const PAGE_ITEMS = 51;
/** By how many pages of the database a list page of many orders may cost more: the index is a little deeper. */
const DEEPER_BLOCKS = 2;

/** A plan as the database explains it, with what it cost. */
interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Scan Direction"?: string;
  readonly "Actual Rows": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly Node[];
}

describe("a page of a list", () => {
  let books: TrialBooks;
  let sql: Sql;
  let plans: { "Query Text": string; Plan: Node }[] = [];
  before(async () => {
    books = await trialBooks();
    // The database tells of each statement that it runs, those inside of functions included: what is judged is what the service runs.
    sql = postgres(books.url, {
      max: 1,
      onnotice: ({ message = "" }) => {
        const [, plan] = message.split("plan:\n");
        if (plan) plans.push(JSON.parse(plan));
      },
    });
    await sql`load 'auto_explain'`;
    await sql.unsafe(`
      set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on;
      set auto_explain.log_buffers = on; set auto_explain.log_format = json; set auto_explain.log_level = notice; set role gold_api`);
  });
  after(async () => {
    await sql.end();
    await books.stop();
  });

  /** Orders of one client beyond those that it has, and the account as if it had booked them. */
  async function plantOrders(client: number, from: number, to: number): Promise<void> {
    await books.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`
        insert into gold.orders (bucket, client_id, side, id, sequence, grams, price, total, executed_at, sar_available_after, sar_held_after, gold_after)
        select ${
        client % 64
      }, ${client}, 'buy', lpad(to_hex(n), 32, '0')::uuid, n, 10000, 3210000, 32100, now(), 0, 0, 0
        from generate_series(${from}::int, ${to}::int) n`;
      await sql`update gold.account set event_sequence = ${to} where client_id = ${client}`;
    });
    await books.sql`analyze gold.orders`;
  }

  /** The one statement that reads the orders, and how many blocks it touched. */
  async function explain(client: number, below: number | null): Promise<{ nodes: Node[]; blocks: number }> {
    const everything = { createdAfter: null, createdBefore: null, idempotencyKey: null } as const;
    const bounds: ListBounds = { ...everything, below: below === null ? null : `${below}` };
    const reads = openRecordReads(sql);
    // The first time the catalogue is read, too.
    await reads.list("order", client, bounds, PAGE_ITEMS);
    plans = [];
    const rows = await reads.list("order", client, bounds, PAGE_ITEMS);
    assertEquals(rows.length, PAGE_ITEMS);
    const [plan, ...others] = plans.filter((one) => one["Query Text"].includes("orders o"));
    assert(plan && others.length === 0, "one statement reads the orders");
    const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
    return {
      nodes: nodesOf(plan.Plan),
      blocks: plan.Plan["Shared Hit Blocks"] + plan.Plan["Shared Read Blocks"],
    };
  }

  function assertWalksIndex(nodes: readonly Node[]): void {
    assertEquals(nodes.map((node) => node["Node Type"]), ["Limit", "Index Scan"]);
    const scan = nodes[1]!;
    assertEquals([scan["Index Name"], scan["Scan Direction"]], ["orders_newest", "Backward"]);
    assertEquals([Number(scan["Actual Rows"]), scan["Rows Removed by Filter"] ?? 0], [PAGE_ITEMS, 0]);
  }

  it("costs with a million orders what it costs with a thousand, at the end as at the start: one index, no sort", async () => {
    const client = await books.createClient();
    await plantOrders(client, 1, FEW);
    const few = [await explain(client, null), await explain(client, FEW / 2)];
    await plantOrders(client, FEW + 1, MANY);
    const many = [
      await explain(client, null),
      await explain(client, MANY / 2),
      await explain(client, FEW / 2),
    ];
    for (const { nodes } of [...few, ...many]) assertWalksIndex(nodes);
    const most = Math.max(...few.map(({ blocks }) => blocks)) + DEEPER_BLOCKS;
    for (const { blocks } of many) assert(blocks <= most, `${blocks} blocks, where ${most} are enough`);
  });
});
