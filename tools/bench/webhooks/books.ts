import { readFileSync } from "node:fs";
import type { Sql } from "postgres";
import type { Post } from "./poster.ts";

/** The books of the service, as the benchmark uses them. */
export interface WebhookBooks {
  /** A superuser's connection. */
  readonly sql: Sql;
  /** The first order events, as the service delivers them. The peers send these and do not read the books. */
  readonly posts: readonly Post[];
  /** The number of events at the start. */
  readonly atFirst: number;
  /** Commits `count` more orders, the same number for each partner, each order with its event. */
  book(count: number): Promise<void>;
  /** Seals the booked events, so that the delivery does not have to seal them. */
  seal(): Promise<void>;
  /** Returns true if every event was delivered and its delivery is recorded. */
  isDelivered(): Promise<boolean>;
  /** Notifies the service of new events, as the service's own process does after a commit. */
  wake(): Promise<void>;
}

const SCHEMAS = ["book_orders_schema.sql", "book_quotes.sql"];
const FUNDS_HALALAS = "10000000000000";
const SAMPLE_EVENTS = 1024;
/** The first two parts of each quote's uuid. */
const RUN = "01990000-0000";

/** Opens the books for the partners with these endpoints. */
export async function openBooks(sql: Sql, urls: readonly string[]): Promise<WebhookBooks> {
  for (const schema of SCHEMAS) {
    await sql.unsafe(readFileSync(new URL(`../peers/${schema}`, import.meta.url), "utf8"));
  }
  const partners = await sql<{ id: number }[]>`
    select partner_id as id from gold.receiver where url in ${sql(urls)} order by id`;
  const [first, count] = [partners[0]!.id, partners.length];
  await sql`
    select gold.book_funding(false, client, 1, 'fund', '\\x00', ${FUNDS_HALALAS}::text::bigint, ${FUNDS_HALALAS}::text::bigint,
      gen_random_uuid(), gen_random_uuid())
    from generate_series(${first}::int, ${first + count - 1}::int) client`;
  let booked = 0;
  const book = async (orders: number) => {
    const range = [booked, booked + orders - 1] as const;
    await sql`select peer.insert_quotes(${RUN}, ${first}, ${count}, ${range[0]}, ${range[1]})`;
    await sql`select peer.book_quotes(${RUN}, ${first}, ${count}, ${range[0]}, ${range[1]})`;
    booked += orders;
  };
  const seal = async () => {
    for (const { id } of partners) {
      while (await isUnsealed(sql, id)) await sql`select gold.seal_chain(${id})`;
    }
  };
  await book(SAMPLE_EVENTS);
  await seal();
  return {
    sql,
    atFirst: SAMPLE_EVENTS + count,
    posts: await sql<Post[]>`
      select 'evt_' || e.id as id, o.url, b.body
      from gold.event e join gold.receiver o on o.id = e.client_id, gold.event_body(e) b
      where o.id between ${first} and ${first + count - 1} and e.type = 'order.executed'
      order by e.sequence, e.client_id`,
    book,
    seal,
    async isDelivered() {
      const [waiting] = await sql`
        select from gold.account a left join gold.endpoint e on e.bucket = a.bucket and e.client_id = a.client_id
        where a.client_id between ${first} and ${
        first + count - 1
      } and a.event_sequence > coalesce(e.passed, 0) limit 1`;
      return waiting === undefined;
    },
    async wake() {
      await sql`select pg_notify('gold_event', client::text) from generate_series(${first}::int, ${
        first + count - 1
      }::int) client`;
    },
  };
}

async function isUnsealed(sql: Sql, client: number): Promise<boolean> {
  const [row] = await sql`
    select from gold.account a left join gold.chain_tail t using (bucket, client_id)
    where client_id = ${client} and a.event_sequence > coalesce(t.sequence, 0)`;
  return row !== undefined;
}
