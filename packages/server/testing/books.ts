import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate } from "../src/database/migrate.ts";
import postgres, { type Sql } from "postgres";
import { type TestPostgres, testPostgres } from "@gold-partner/dev/postgres";
import { it } from "node:test";
import { assertEquals } from "@std/assert";
import { insertPartner } from "./partner.ts";
import { setUp } from "./set_up.ts";

/** A migrated database for one test, with helpers that write what an operator would write. */
export interface TestBooks {
  readonly url: string;
  /** A superuser, for reading and for inserting test data. */
  readonly sql: Sql;
  /** The logins of the API, of delivery and of the price ticker, with exactly their rights. */
  readonly api: Sql;
  readonly delivery: Sql;
  readonly ticker: Sql;
  /** The first events of the client are the events of its holdings; see `insertPartner`. */
  createClient(holdings?: { readonly halalas?: bigint; readonly tenthMilligrams?: bigint }): Promise<number>;
  addBar(fineTenthMilligrams: bigint): Promise<string>;
  setPrice(buyPips: bigint, sellPips: bigint): Promise<void>;
  quote(client: number, side: "buy" | "sell", tenthMilligrams: bigint): Promise<string>;
  /** Returns the findings of `gold ledger verify`. */
  defects(): Promise<string[]>;
  /** Opens another connection pool. stop() closes it. */
  connect(login: string, connections?: number): Sql;
  stop(): Promise<void>;
}

const SERVER = fileURLToPath(new URL("..", import.meta.url));

/**
 * The name of the template database. It changes with every change of an SQL file, so that a reused Postgres
 * server never provides an outdated template.
 */
function templateName(): string {
  const hash = createHash("sha256");
  for (const folder of ["migrations", "src"]) {
    for (const entry of readdirSync(join(SERVER, folder), { recursive: true, encoding: "utf8" }).sort()) {
      if (entry.endsWith(".sql")) hash.update(entry).update(readFileSync(join(SERVER, folder, entry)));
    }
  }
  return `books_${hash.digest("hex").slice(0, 16)}`;
}

/** Returns books that all tests of a suite use. */
export const suiteBooks = (): TestBooks => setUp(() => testBooks());

/** A service's books exist only after its start, so a suite gives them as a function. */
export type SuiteBooks = TestBooks | (() => TestBooks);

export const startedBooks = (books: SuiteBooks): TestBooks => typeof books === "function" ? books() : books;

/** Declares the last test of a suite: the ledger and its chains verify after all tests before. */
export function itLeavesNoDefects(books: SuiteBooks): void {
  it("leaves no defects in the books", async () => {
    assertEquals(await startedBooks(books).defects(), []);
  });
}

/** Declares the last test of a suite: the ledger, its chains and the audit verify after all tests before. */
export function itLeavesNoDefectsInAudit(books: SuiteBooks): void {
  it("leaves no defects in the books and the audit", async () => {
    assertEquals(await startedBooks(books).defects(), []);
    assertEquals((await startedBooks(books).sql`select from gold.verify_audit()`).length, 0);
  });
}

export async function testBooks(server?: TestPostgres): Promise<TestBooks> {
  const postgresServer = server ?? await testPostgres();
  const url = await postgresServer.createDatabase({ name: templateName(), prepare: prepareBooks });
  const pools: Sql[] = [];
  const connect: TestBooks["connect"] = (login, connections = 4) => {
    const role = login === "superuser" ? {} : { role: login };
    const pool = postgres(url, { max: connections, onnotice: () => {}, connection: { ...role } });
    pools.push(pool);
    return pool;
  };
  const sql = connect("superuser");
  const [api, delivery, ticker] = ["gold_api", "gold_delivery", "gold_ticker"].map((login) =>
    connect(login)
  ) as [Sql, Sql, Sql];
  const id = () => uuidV7();

  return {
    url,
    sql,
    api,
    delivery,
    ticker,
    async createClient({ halalas = 0n, tenthMilligrams = 0n } = {}) {
      const publicId = `sbx_${randomUUID().replaceAll("-", "").slice(0, 20)}`;
      const client = await insertPartner(sql, {
        clientId: publicId,
        name: "Test",
        iban: "SA0380000000608010167519",
        webhook: "https://localhost/",
        ips: ["127.0.0.1/32"],
        secretHash: new Uint8Array(1),
        webhookSealed: new Uint8Array(1),
        sealingKey: "none",
      });
      if (halalas > 0n) {
        await sql`select gold.book_funding(false, ${client}, 1, ${`fund-${id()}`}, '\\x00', ${`${halalas}`}::text::bigint, 100000000000000, ${id()}::uuid, ${id()}::uuid)`;
      }
      if (tenthMilligrams > 0n) await giveGold(sql, client, tenthMilligrams);
      return client;
    },
    async addBar(fine) {
      const serial = `BAR-${randomUUID()}`;
      // The gross weight that gives exactly `fine`: at fineness 9999, the fine weight is 0.9999 of the gross
      // weight.
      const gross = (fine * 10000n + 9998n) / 9999n;
      await sql`select gold.add_bar(${serial}, 'Test', 'Test', ${`${gross}`}::text::bigint, 9999)`;
      return serial;
    },
    async setPrice(buyPips, sellPips) {
      await sql`select gold.set_price('fixed', ${`${sellPips}`}::text::bigint, ${`${buyPips}`}::text::bigint, ${`${sellPips}`}::text::bigint, 60, 10, null)`;
    },
    async quote(client, side, tenthMilligrams) {
      const quote = id();
      const [version] =
        await sql`select admission_version::text from gold.account where client_id = ${client}`;
      const [row] = await sql`
        select outcome, status, body from gold.book_quotes(true, false, array[${client}::int], array[${
        version!.admission_version
      }::text::bigint],
          array[${`quote-${quote}`}], array['\\x00'::bytea], array[${side}::gold.side], array[${`${tenthMilligrams}`}::text::bigint], array[null::bigint],
          array[1::bigint], array[1000000000::bigint], array[${quote}::uuid], array[${quote}::uuid], null, null)`;
      if (row!.status !== 201) throw new Error(`the quote failed: ${row!.outcome} ${row!.body}`);
      return quote;
    },
    async defects() {
      const rows = await sql<{ rule: string; subject: string; detail: string }[]>`
        select * from gold.verify_ledger() union all select * from gold.verify_chain()`;
      return rows.map(({ rule, subject, detail }) => `${rule}: ${subject}: ${detail}`);
    },
    connect,
    async stop() {
      for (const pool of pools) await pool.end({ timeout: 1 });
      if (!server) await postgresServer.stop();
    },
  };
}

async function prepareBooks(url: string): Promise<void> {
  await migrate(url, { environment: "sandbox" });
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`select gold.settle_deployment('sandbox', 'https://localhost:8443', true, null, null, 20000, '{443,8443}', 90)`;
  await sql`select gold.set_price('fixed', 3200000, 3210000, 3190000, 60, 10, null)`;
  await sql.end();
}

/** Gives a client gold in the usual way: the client is funded and buys it. */
async function giveGold(sql: Sql, client: number, tenthMilligrams: bigint): Promise<void> {
  const [id, funding, halalas] = [uuidV7(), uuidV7(), tenthMilligrams * 4n];
  await sql.begin(async (transaction) => {
    await transaction`select gold.book_funding(false, ${client}, 1, ${`gift-${id}`}, '\\x00', ${`${halalas}`}::text::bigint, 100000000000000, ${funding}::uuid, ${funding}::uuid)`;
    await transaction`insert into gold.quote values (${
      client % 64
    }, ${client}, 'buy', ${id}::uuid, ${`${tenthMilligrams}`}::text::bigint, 4000000,
      ${`${halalas}`}::text::bigint, clock_timestamp(), clock_timestamp() + interval '1 minute')`;
    const [row] = await transaction`
      select outcome, status, body from gold.book_orders(true, false, array[${client}::int], array[1::bigint], array[${id}::uuid],
        array[${`gift-order-${id}`}], array['\\x00'::bytea], array[${id}::uuid], array[${id}::uuid], null, null,
        array['\\xab'::bytea], array[sha256('')])`;
    if (row!.status !== 201) throw new Error(`the purchase of gold failed: ${row!.outcome} ${row!.body}`);
  });
}

/** Returns a new UUID of version 7, like the service's ids. */
function uuidV7(): string {
  const random = randomUUID();
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
