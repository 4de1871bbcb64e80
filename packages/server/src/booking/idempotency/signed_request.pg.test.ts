import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { suiteBooks } from "../../../testing/books.ts";
import { bookOrder, orderItem } from "../fixture.ts";
import { rulesBrokenBy, unsign } from "../ledger/tampered_fixture.ts";

describe("an order without its signed request", () => {
  const books = suiteBooks();
  before(() => books.addBar(1_000_000n));

  it("is refused, and verification finds such an order unless it is older than requests_kept_since", async () => {
    const client = await books.createClient({ halalas: 1_000_000n });
    const quote = await books.quote(client, "buy", 1n);
    const { signedRequest: _, ...order } = orderItem(client, quote);
    const refused = await books.sql`
      select from gold.book_orders(true, false, array[${client}::int], array[1::bigint], array[${order.nonce}::uuid],
        array[${order.key}], array['\\x0a'::bytea], array[${quote}::uuid], array[${order.requestId}::uuid],
        null::text[], null::text[], null::bytea[], null::bytea[])`.then(
      () => "booked",
      ({ constraint_name }) => constraint_name,
    );
    assertEquals(refused, "idempotency_key_signed");
    await bookOrder(books.api, orderItem(client, quote));
    await books.sql`select gold.seal_chain(${client})`;
    const broken = (more: string) => rulesBrokenBy(books.sql, `${unsign(quote)}; ${more}`);
    assertEquals(await broken("select 1"), "chain_is_whole request_is_kept");
    assertEquals(
      await broken("update gold.deployment set requests_kept_since = clock_timestamp()"),
      "chain_is_whole",
    );
  });
});
