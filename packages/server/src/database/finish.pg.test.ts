import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { type TestBooks, testBooks } from "../../testing/books.ts";
import { bookOrder, bookWithdrawal, newUuid, orderItem, withdrawalItem, wordOf } from "../booking/fixture.ts";
import { rulesBrokenBy } from "../booking/ledger/tampered_fixture.ts";
import { migrate } from "./migrate.ts";

describe("the end of a migration", () => {
  let books: TestBooks;
  before(async () => {
    books = await testBooks();
    await books.addBar(1_000_000n);
  });
  after(() => books.stop());

  const bookAsLastRelease = async (client: number): Promise<string> => {
    const quote = await books.quote(client, "buy", 1n);
    return await books.api`
      select outcome, status from gold.book_orders(true, false, array[${client}::int], array[1::bigint], array[${newUuid()}::uuid],
        array[${newUuid()}], array['\\x0a'::bytea], array[${quote}::uuid], array[${newUuid()}::uuid])`
      .then(([row]) => `${row!.outcome} ${row!.status}`, ({ code }) => code as string);
  };
  const settled = async () =>
    (await books.sql`
      select (select requests_kept_since::text from gold.deployment) as since,
        (select count(*)::int from gold.audit where action = 'deployment.finish') as notes`)[0]!;

  it("drops the last release's SQL functions permanently, and keeps what they booked", async () => {
    const client = await books.createClient({ halalas: 1_000_000n });
    assertEquals(await bookAsLastRelease(client), "answered 201");
    assertEquals(await settled(), { since: null, notes: 0 } as never);
    await migrate(books.url, { finish: true });
    const first = await settled();
    assertEquals([first.since === null, first.notes], [false, 1]);
    // 42883: undefined_function.
    assertEquals(await bookAsLastRelease(client), "42883");
    await migrate(books.url);
    await migrate(books.url, { finish: true });
    assertEquals(await settled(), first);
    assertEquals(await bookAsLastRelease(client), "42883");
    const order = orderItem(client, await books.quote(client, "buy", 1n));
    assertEquals(wordOf(await bookOrder(books.api, order)), "answered 201");
    assertEquals(wordOf(await bookWithdrawal(books.api, withdrawalItem(client, 5n))), "answered 201");
    assertEquals(await books.defects(), []);
  });

  it("refuses an order without its signed request, and verification finds such an order", async () => {
    await migrate(books.url, { finish: true });
    const client = await books.createClient({ halalas: 1_000_000n });
    const quote = await books.quote(client, "buy", 1n);
    const { signedRequest: _, ...order } = orderItem(client, quote);
    const refused = await books.sql`
      select from gold.book_orders(true, false, array[${client}::int], array[1::bigint], array[${order.nonce}::uuid],
        array[${order.key}], array['\\x0a'::bytea], array[${quote}::uuid], array[${order.request}::uuid],
        null::text[], null::text[], null::bytea[], null::bytea[])`.then(
      () => "booked",
      ({ constraint_name }) => constraint_name,
    );
    assertEquals(refused, "idempotency_key_signed");
    await bookOrder(books.api, orderItem(client, quote));
    await books.sql`select gold.seal_chain(${client})`;
    assertEquals(
      await rulesBrokenBy(
        books.sql,
        `alter table gold.idempotency_key drop constraint idempotency_key_signed;
         update gold.idempotency_key set request = null, signing_thumbprint = null where result_id = '${quote}';
         update gold.orders set answer = null where id = '${quote}';
         update gold.event set line = 1 where subject = '${quote}'`,
      ),
      "chain_is_whole request_is_kept",
    );
  });
});
