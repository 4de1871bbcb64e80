import { createHash } from "node:crypto";
import { type TestBooks, testBooks } from "../../../testing/books.ts";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { rulesBrokenBy } from "./tampered_fixture.ts";

describe("the list of bars", () => {
  let books: TestBooks;
  beforeEach(async () => {
    books = await testBooks();
  });
  afterEach(() => books.stop());

  const lists = async () => [...await books.sql`select * from gold.bar_list order by id`];
  const orderOf = async (client: number) =>
    (await books
      .sql`select list_id from gold.orders where client_id = ${client} order by sequence desc limit 1`)[0]!
      .list_id as number;
  const buy = async (client: number) => {
    const quote = await books.quote(client, "buy", 100n);
    const [version] = await books
      .sql`select admission_version::text as v from gold.account where client_id = ${client}`;
    const [row] = await books.sql`
      select status, body from gold.book_orders(true, false, array[${client}::int], array[${
      version!.v
    }::text::bigint],
        array[gen_random_uuid()], array[${`order-${quote}`}], array['\\x00'::bytea], array[${quote}::uuid], array[gen_random_uuid()],
        null, null, array['\\xab'::bytea], array[sha256('')])`;
    return JSON.parse(row!.body);
  };

  it("is replaced when a bar is added or removed, and the next order names the new list", async () => {
    const client = await books.createClient({ halalas: 1_000_000n });
    const serial = await books.addBar(1_000n);
    assertEquals((await buy(client)).reserves_list_id, "lst_2");
    await books.addBar(500n);
    assertEquals((await buy(client)).reserves_list_id, "lst_3");
    assertEquals((await lists()).map(({ id, bars, fine }) => `${id} ${bars} ${fine}`), [
      "1 0 0",
      "2 1 1000",
      "3 2 1500",
    ]);
    assertEquals(await orderOf(client), 3);
    await books.addBar(1_000n);
    await books.sql`select gold.remove_bar(${serial})`;
    assertEquals((await buy(client)).reserves_list_id, "lst_5");
    assertEquals((await lists()).map(({ bars, fine }) => `${bars} ${fine}`).slice(3), ["3 2500", "2 1500"]);
    assertEquals(await books.defects(), []);
  });

  it("is not changed by a bar that is refused", async () => {
    const serial = await books.addBar(1_000n);
    const client = await books.createClient({ halalas: 1_000_000n });
    await buy(client);
    const refusals = [
      books.sql`select gold.add_bar(${serial}, 'R', 'V', 10000, 9999)`,
      books.sql`select gold.remove_bar(${serial})`,
      books.sql`select gold.remove_bar('none')`,
    ].map((change) => change.then(() => "done", ({ code, message }) => `${code} ${message}`));
    const [known, owed, none] = await Promise.all(refusals);
    assertMatch(known!, /^GR409 a bar with serial .* is on record already$/);
    assertMatch(owed!, /^GR409 the bar holds 0\.1 g and only 0\.09 g are free/);
    assertMatch(none!, /^GR404 /);
    assertEquals((await lists()).length, 2);
  });

  it("has a hash over its bars and the hash of the list before it", async () => {
    await books.sql`select gold.add_bar('B "2"', 'Réfiner', E'V\\\\1', 10000, 9999)`;
    await books.sql`select gold.add_bar('A', 'R', 'V', 20000, 9950)`;
    await books.sql`select gold.remove_bar('B "2"')`;
    const bars = {
      a: ["A", "R", "V", 20_000, 9950, 19_900],
      b: ['B "2"', "Réfiner", "V\\1", 10_000, 9999, 9_999],
    };
    let previous = "0".repeat(64);
    for (const [n, listed] of [[], [bars.b], [bars.a, bars.b], [bars.a]].entries()) {
      const { id, created_at, fine, sha256 } = (await lists())[n]!;
      const text = JSON.stringify([1, id, created_at.getTime(), Number(fine), previous, listed]);
      previous = createHash("sha256").update(text).digest("hex");
      assertEquals(sha256.toString("hex"), previous);
    }
  });

  it("never changes, and neither do its bars", async () => {
    const serial = await books.addBar(1_000n);
    await books.sql`select gold.remove_bar(${serial})`;
    await books.addBar(1_000n);
    for (
      const change of [
        "update gold.bar set refiner = 'Another'",
        "update gold.bar set added_list = 1",
        "update gold.bar set removed_list = 9, removed_at = now() where removed_at is not null",
        "delete from gold.bar",
        "update gold.bar_list set fine = 1",
      ]
    ) {
      assertEquals(await books.sql.unsafe(change).then(() => "done", ({ code }) => code), "GB002", change);
    }
  });

  it("lets verification find bars, lists and orders that were changed", async () => {
    const client = await books.createClient({ halalas: 1_000_000n });
    await books.addBar(1_000n);
    await buy(client);
    for (
      const [plant, rules] of [
        ["update gold.bar set refiner = 'Another'", "bar_list_is_whole"],
        [
          "update gold.bar_list set created_at = created_at - interval '1 ms' where id = 2",
          "bar_list_is_whole",
        ],
        ["delete from gold.bar_list where id = 1", "bar_list_is_whole"],
        ["update gold.vault set list_id = 1", "bar_list_is_whole"],
        ["update gold.bar_list set fine = fine + 1 where id = 2", "bar_list_is_whole gold_is_backed"],
        ["update gold.orders set list_id = 3", "order_names_list"],
      ] as const
    ) assertEquals(await rulesBrokenBy(books.sql, plant), rules, plant);
  });
});
