import { itLeavesNoDefects, suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { until } from "../../../../../tools/testing/until.ts";
import { sealOnce, startSealer } from "./sealer.ts";

/** Three times as many clients as one call seals. */
const CLIENTS = 600;

describe("the sealer", () => {
  const books = suiteBooks();
  let first: number;
  before(async () => {
    const [row] = await books.sql`
      select min(gold.create_partner('sbx_' || lpad(n::text, 20, '0'), 'Test', 'SA0380000000608010167519', null, 2000, 2000, 10000000,
        '{127.0.0.1/32}', sha256(''), '\\x00', 'none', '[]')) as first
      from generate_series(1, ${CLIENTS}) n`;
    first = row!.first;
    // Each partner begins with the events of its own credentials.
    await sealAll();
  });

  /** Books `times` fundings for each of these clients. */
  const happen = (clients: readonly number[], times = 1) =>
    books.sql`
      select gold.book_funding(false, client, 1, gen_random_uuid()::text, '\\x00', 1, 100000000000000, gen_random_uuid(), gen_random_uuid())
      from unnest(${clients as number[]}::int[]) client, generate_series(1, ${times}) order by client`;
  const all = () => Array.from({ length: CLIENTS }, (_, n) => first + n);
  const tails = async () =>
    new Map(
      (await books.sql`select client_id, events::int from gold.unsealed_tail()`).map((
        { client_id, events },
      ) => [client_id as number, events as number]),
    );
  const sealAll = async () => {
    while (await sealOnce(books.delivery));
  };

  it("seals every client, even if all clients always have new events", async () => {
    const sealer = startSealer(books.delivery);
    try {
      // A sealer that began each round with the first clients might never reach the last client.
      let booked = 0;
      await until(async () => {
        await happen(all());
        booked++;
        return booked > ((await tails()).get(first + CLIENTS - 1) ?? 0);
      });
    } finally {
      sealer.stop();
    }
  });

  it("starts another round only for clients with more events than one call seals", async () => {
    await sealAll();
    await happen(all());
    await happen([first], 120);
    assertEquals(await sealOnce(books.delivery), true);
    assertEquals(await tails(), new Map([[first, 71]]));
    await happen([first + 1]);
    await sealAll();
    assertEquals(await tails(), new Map());
  });

  it("seals the other clients if some cannot be sealed", async () => {
    await sealAll();
    await happen(all());
    const holder = await books.sql.reserve();
    await holder`begin`;
    await holder`select from gold.chain_tail where client_id = ${first} for no key update`;
    const impatient = books.connect("gold_delivery", 1);
    await impatient`set lock_timeout = '200ms'`;
    assertEquals(await sealOnce(impatient), false);
    const left = [...(await tails()).keys()].sort((one, other) => one - other);
    assertEquals(left, all().slice(0, 200));
    await holder`rollback`;
    holder.release();
    assertEquals([await sealOnce(impatient), await tails()], [false, new Map()]);
  });

  it("ends between two calls when it is stopped", async () => {
    await happen(all());
    let calls = 0;
    assertEquals(await sealOnce(books.delivery, () => calls++ > 0), false);
    assertEquals((await tails()).size, CLIENTS - 200);
    await sealAll();
  });

  itLeavesNoDefects(books);
});
