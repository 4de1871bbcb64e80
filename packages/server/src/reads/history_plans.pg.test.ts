import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { openAccountReads } from "./account_reads.ts";
import { connectExplaining, type PlanNode } from "./plan_fixture.ts";
import { openRecordReads } from "./record_reads.ts";
import { suiteBooks } from "../../testing/books.ts";
import { setUp } from "../../testing/set_up.ts";

const EVENTS = 20_000;
const MS = Date.parse("2026-01-01T00:00:00.000Z");
const MIDDLE = new Date(MS + EVENTS / 2).toISOString();
const TABLES = ["event", "transfer", "chain_link", "funding"];

describe("reads of a long history", () => {
  const books = suiteBooks();
  const connection = setUp(() => connectExplaining(books));
  let client: number;
  before(async () => {
    client = await books.createClient();
    await books.sql.begin(async (sql) => {
      const bucket = client % 64;
      const at = sql`${new Date(MS).toISOString()}::text::timestamptz + n * interval '1 millisecond'`;
      const numbers = sql`from generate_series(1, ${EVENTS}::int) n`;
      const uuid = sql`lpad(to_hex(n), 32, '0')::uuid`;
      await sql`set local session_replication_role = replica`;
      await sql`insert into gold.event select ${bucket}, ${client}, n, ${uuid}, ${uuid}, ${at}, 'funding.completed' ${numbers}`;
      await sql`insert into gold.funding select ${bucket}, ${client}, ${uuid}, n, 1, ${at} ${numbers}`;
      await sql`insert into gold.transfer select ${bucket}, ${client}, 1, 0, n, 'bank', 'available', 'SAR', 1, n, 0, 0, ${at} ${numbers}`;
      await sql`insert into gold.chain_link select ${bucket}, ${client}, n, '\\x00' ${numbers}`;
      await sql`insert into gold.chain_tail select ${bucket}, ${client}, ${EVENTS}, '\\x00'`;
      await sql`update gold.account set event_sequence = ${EVENTS}, last_posted_at = now() where client_id = ${client}`;
    });
  });

  const rowsOf = (node: PlanNode): number =>
    (Number(node["Actual Rows"]) + Number(node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];

  /** How many rows a read visits in the tables that grow with the history. */
  async function rowsFor(read: () => Promise<unknown>): Promise<number> {
    connection.take();
    await read();
    const scans = connection.take().flatMap(({ nodes }) => nodes).filter((node) =>
      TABLES.includes(node["Relation Name"] ?? "")
    );
    assertEquals(scans.filter((node) => !node["Node Type"].startsWith("Index")), []);
    return scans.reduce((sum, node) => sum + rowsOf(node), 0);
  }

  it("visit few rows beyond the requested ones, with and without planner statistics", async () => {
    const account = openAccountReads(connection.sql);
    const records = openRecordReads(connection.sql);
    const uuid = (EVENTS / 2).toString(16).padStart(32, "0");
    const middle = BigInt(EVENTS / 2);
    const bounds = {
      createdAfter: MIDDLE,
      createdBefore: null,
      idempotencyKey: null,
      reference: null,
      accountLabel: null,
      below: null,
    };
    for (const statement of ["select 1", "analyze"]) {
      await books.sql.unsafe(statement);
      const cases: [string, number, () => Promise<unknown>][] = [
        // Expect fifteen steps of the binary search for 20,000 events. Each step reads one event.
        [
          "balance",
          20,
          async () => assertEquals((await account.balancesAt(client, MIDDLE))?.sarAvailable, middle),
        ],
        ["statement's range", 40, () => account.statementRange(client, "2026-01-01", "2026-01-02")],
        [
          "statement",
          1000,
          async () => assertEquals((await account.statementLines(client, middle, middle + 500n)).length, 500),
        ],
        ["event", 5, async () => assert(await records.find("event", client, uuid))],
        // For each event, the read visits its row, its attempts and its order's rows. The event's line in the
        // hash chain visits some of these rows again.
        ["events", 260, async () => assertEquals((await records.events(client, EVENTS / 2, 51)).length, 51)],
        [
          "fundings",
          100,
          async () => assertEquals((await records.list("funding", client, bounds, 51)).length, 51),
        ],
      ];
      for (const [name, most, read] of cases) {
        const rows = await rowsFor(read);
        assert(
          rows > 0 && rows <= most,
          `${name}: ${rows} rows read; the limit is ${most} (${statement})`,
        );
      }
    }
  });
});
