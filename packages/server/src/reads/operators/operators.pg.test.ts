import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { suiteBooks } from "../../../testing/books.ts";
import { bookOrder, orderItem } from "../../booking/fixture.ts";
import { sendOrders } from "../../booking/trading/book_orders.ts";

const PARTNERS = 4;
const BATCHES = 6;
const QUOTES_EACH = 3;
const PAGE = 7;

describe("the reads for operators", () => {
  const books = suiteBooks();
  let clients: number[];
  before(async () => {
    await books.addBar(10_000_000n);
    clients = [];
    for (let n = 0; n < PARTNERS; n++) clients.push(await books.createClient({ halalas: 100_000_000n }));
    for (let batch = 0; batch < BATCHES; batch++) {
      // The orders of a batch have one instant, so pages end between equal instants.
      const items = [];
      for (const client of clients) {
        for (let n = 0; n < QUOTES_EACH; n++) {
          items.push(orderItem(client, await books.quote(client, "buy", 1000n + BigInt(n))));
        }
      }
      await sendOrders(books.api)(items, { wait: true, settle: false });
    }
    const [first] = clients as [number];
    await bookOrder(books.api, orderItem(first, await books.quote(first, "sell", 500n)));
    await books.quote(first, "buy", 1n);
  });

  const publicIdOf = async (client: number): Promise<string> => {
    const [row] = await books.sql`select public_id from gold.partner where id = ${client}`;
    return row!.public_id;
  };

  /** Reads all pages of orders. */
  async function pagedOrders(partner: string | null): Promise<string[]> {
    const ids: string[] = [];
    for (let after: readonly unknown[] = [null, null, null];;) {
      const [at, client, sequence] = after as [string | null, string | null, string | null];
      const rows = await books.sql`
        select executed_at::text, client::text, sequence::text, record
        from gold.page_orders(${partner}, null, ${at}::text::timestamptz,
          ${client}::text::int, ${sequence}::text::bigint, ${PAGE})`;
      ids.push(...rows.map(({ record }) => record.order_id));
      if (rows.length < PAGE) return ids;
      const last = rows.at(-1)!;
      after = [last.executed_at, last.client, last.sequence];
    }
  }

  async function pagedQuotes(partner: string | null): Promise<string[]> {
    const quotes: string[] = [];
    for (let below: string | null = null;;) {
      const rows: { id: string; record: Record<string, string> }[] = await books.sql`
        select id, record from gold.page_quotes(${partner}, ${below}::text::uuid, ${PAGE})`;
      quotes.push(...rows.map(({ id, record }) => `${id} ${record.status}`));
      if (rows.length < PAGE) return quotes;
      below = rows.at(-1)!.id;
    }
  }

  it("page through the orders of all partners and of one, newest first", async () => {
    const all = await books.sql`
      select 'ord_' || o.id as id, o.client_id from gold.orders o
      order by o.executed_at desc, o.client_id desc, o.sequence desc`;
    assertEquals(all.length, BATCHES * PARTNERS * QUOTES_EACH + 1);
    assertEquals(await pagedOrders(null), all.map(({ id }) => id));
    const [first] = clients as [number];
    assertEquals(
      await pagedOrders(await publicIdOf(first)),
      all.filter(({ client_id }) => client_id === first).map(({ id }) => id),
    );
    assertEquals(await pagedOrders("sbx_nobody"), []);
  });

  it("list only the orders since an instant", async () => {
    const [middle] = await books.sql`
      select percentile_disc(0.5) within group (order by executed_at)::text as at from gold.orders`;
    const rows = await books.sql`
      select record->>'order_id' as id from gold.page_orders(null, ${
      middle!.at
    }::text::timestamptz, null, null, null, 1000)`;
    const expected = await books.sql`
      select 'ord_' || id as id from gold.orders where executed_at >= ${middle!.at}::text::timestamptz
      order by executed_at desc, client_id desc, sequence desc`;
    assertEquals(rows.map(({ id }) => id), expected.map(({ id }) => id));
  });

  it("page through the quotes with their status", async () => {
    const all = await books.sql`
      select q.id, o.id is not null as executed
      from gold.quote q left join gold.orders o using (bucket, client_id, id) order by q.id desc`;
    assertEquals(
      await pagedQuotes(null),
      all.map(({ id, executed }) => `${id} ${executed ? "executed" : "open"}`),
    );
  });

  it("add up to what the books hold", async () => {
    // Without any record, all trades are read, here in parts.
    const reached = new Map<number, string>();
    const minutes: Record<string, string | number>[] = [];
    let net = 0n;
    for (let more = true; more;) {
      const [row] = await books.sql`
        select gold.trades_after(${`{${[...reached.keys()]}}`}::text::int[],
          ${`{${[...reached.values()]}}`}::text::bigint[], '-infinity', 1) as found`;
      ({ more } = row!.found);
      for (const [client, sequence, part] of row!.found.reached) {
        reached.set(client, sequence);
        net += BigInt(part);
      }
      minutes.push(...row!.found.minutes);
    }
    const sum = (member: string) =>
      `${minutes.reduce((total, minute) => total + BigInt(minute[member]!), 0n)}`;
    const trades = {
      orders: Number(sum("orders")),
      ...{ bought: sum("bought"), sold: sum("sold"), sar_in: sum("sar_in"), sar_out: sum("sar_out") },
    };
    const [expected] = await books.sql`
      select count(*)::int as orders,
        sum(grams) filter (where side = 'buy')::text as bought,
        sum(grams) filter (where side = 'sell')::text as sold,
        sum(total) filter (where side = 'buy')::text as sar_in,
        sum(total) filter (where side = 'sell')::text as sar_out
      from gold.orders`;
    assertEquals({ ...trades }, { ...expected });
    const [stock] = await books
      .sql`select owed::text, free::text, fine::text, sold_in_week::text from gold.stock()`;
    const owed = BigInt(expected!.bought) - BigInt(expected!.sold);
    assertEquals({ ...stock }, {
      ...{ owed: `${owed}`, free: `${10_000_000n - owed}`, fine: "10000000", sold_in_week: `${owed}` },
    });
    const [held] = await books.sql`select sum(gold)::text as gold from gold.holdings()`;
    assertEquals([held!.gold, net], [`${owed}`, owed]);
    const [open] = await books.sql`select buys::text, sells::text from gold.open_exposures()`;
    const [counted] = await books
      .sql`select open_buys::text as buys, open_sells::text as sells from gold.exposure_overview`;
    assertEquals({ ...open }, { ...counted });
  });

  it("find the newest record of every partner at an instant, as sequence_at() finds that of one", async () => {
    const instants = await books.sql`
      select e.created_at + shift * interval '1 millisecond' as at
      from gold.event e cross join generate_series(-1, 1) shift order by random() limit 60`;
    for (const { at } of instants) {
      const text = at.toISOString();
      const differing = await books.sql`
        select a.client_id from gold.account a
        left join gold.sequences_at(${text}::text::timestamptz) s on s.client = a.client_id
        where a.client_id <> 0
          and s.sequence is distinct from gold.sequence_at(a.client_id, ${text}::text::timestamptz)`;
      assertEquals([...differing], [], text);
    }
  });

  it("trace an order and a quote, and find nothing under an unknown id", async () => {
    const [sale] = await books.sql`
      select id, client_id, sequence::text from gold.orders where side = 'sell'`;
    const [row] = await books.sql`select gold.trace_order(${sale!.id}) as trace`;
    const { trace } = row!;
    assertEquals(trace.client_id, await publicIdOf(sale!.client_id));
    assertEquals([trace.quote.status, trace.order.order_id], ["executed", `ord_${sale!.id}`]);
    assertEquals(trace.postings.map((line: Record<string, string>) => `${line.account} ${line.change}`), [
      "available_sar 15.95",
      "gold_grams -0.05",
    ]);
    assertEquals([trace.event.type, trace.event.sequence], ["order.executed", sale!.sequence]);
    const [key] = await books.sql`select * from gold.idempotency_key 
      where result_id = ${sale!.id} and result_kind = 'order'`;
    assertEquals(
      [trace.request.request_id, trace.request.idempotency_key, trace.request.signed_request],
      [`req_${key!.request_id}`, key!.key, key!.request.toString("hex")],
    );
    const [open] = await books.sql`
      select q.id from gold.quote q where not exists (select from gold.orders o where o.id = q.id)`;
    const [quoted] = await books.sql`select gold.trace_order(${open!.id}) as trace`;
    const { quote, order: none, event, chain, postings } = quoted!.trace;
    assertEquals([quote.status, none, event, chain, postings], ["open", null, null, null, []]);
    const [nothing] = await books.sql`select gold.trace_order(gen_random_uuid()) as trace`;
    assertEquals(nothing!.trace, null);
  });

  it("find what a request wrote, by its id alone", async () => {
    const keys = await books.sql`
      select request_id, key, status, result_kind, result_id from gold.idempotency_key order by random() limit 20`;
    const find = async (request: string) =>
      (await books.sql`select gold.find_request(${request}) as found`)[0]!.found;
    for (const { request_id, key, status, result_kind, result_id } of keys) {
      const found = await find(request_id);
      assertEquals(
        [found.idempotency_key, found.status, found.kind, found.result, found.problem],
        [key, status, result_kind, result_id, null],
      );
    }
    assertEquals(await find(crypto.randomUUID()), null);
  });
});
