import { after, before, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

describe("gold price, vault and ledger", () => {
  let operator: TestOperator;
  before(async () => void (operator = await testOperator()));
  after(() => operator.stop());

  const bar = (changes: Record<string, string> = {}) =>
    Object.entries({
      serial: "B-1",
      refiner: "R",
      gross: "1000",
      fineness: "999.9",
      vault: "Riyadh",
      ...changes,
    })
      .flatMap(([name, value]) => [`--${name}`, value]);

  it("price set sets a buy price above the sell price, and price show prints them", async () => {
    const set = await operator.done("price", "set", "--mid", "500", "--spread", "60");
    assertEquals([set.source, set.buy_price, set.sell_price], ["fixed", "501.5", "498.5"]);
    const shown = await operator.done("price", "show");
    assertEquals([shown.source, shown.buy_price, shown.stale], ["fixed", "501.5", false]);
  });

  it("price set rejects missing and invalid options", async () => {
    const set = (...argv: string[]) => operator.gold("price", "set", ...argv);
    refused(await set(), 2, "--mid");
    refused(await set("--mid", "500", "--source", "oracle"), 2, "--source");
    refused(await set("--mid", "500", "--spread", "-1"), 2, "spread");
    refused(await set("--mid", "500", "--stale-after", "0"), 2, "--stale-after");
    for (const mid of ["0", "-5", "1.00001", "abc", "1e400"]) refused(await set(`--mid=${mid}`), 2, "--mid");
    assertEquals((await operator.done("price", "show")).buy_price, "501.5");
  });

  it("vault add adds fine grams, vault remove removes them, and vault list keeps the bar", async () => {
    const added = await operator.done("vault", "add", ...bar());
    assertEquals([added.gross_grams, added.fine_grams], ["1000", "999.9"]);
    refused(await operator.gold("vault", "add", ...bar()), 1, "on record already");
    const removed = await operator.done("vault", "remove", "B-1");
    assertEquals([removed.fine_grams, removed.status], ["999.9", "removed"]);
    refused(await operator.gold("vault", "remove", "B-1", "--yes"), 1, "removed already");
    refused(await operator.gold("vault", "remove", "B-9", "--yes"), 1, "B-9");
    const [listed] = itemsOf(await operator.done("vault", "list"));
    assertEquals([listed!.serial, listed!.fine_grams, typeof listed!.removed_at], ["B-1", "999.9", "string"]);
    assertEquals([listed!.added_list, listed!.removed_list], ["lst_2", "lst_3"]);
  });

  it("vault add rejects an invalid fineness, weight or serial", async () => {
    for (const fineness of ["1000", "99.9", "994", "999.99", "0.9999", "x"]) {
      refused(await operator.gold("vault", "add", ...bar({ serial: "B-2", fineness })), 2, "--fineness");
    }
    for (const gross of ["0", "-1", "1.00001", "x"]) {
      const [, , , , , , ...others] = bar({ serial: "B-2" });
      const run = await operator.gold("vault", "add", "--serial", "B-2", `--gross=${gross}`, ...others);
      refused(run, 2, "--gross");
    }
    for (const serial of [" ", "B\n2", "B\u202e2"]) {
      refused(await operator.gold("vault", "add", ...bar({ serial })), 2, "--serial");
    }
    refused(await operator.gold("vault", "add", "--serial", "B-2"), 2, "--fineness");
  });

  it("vault remove refuses a bar whose gold is owed to partners", async () => {
    const { service } = operator;
    await operator.done("vault", "add", ...bar({ serial: "B-3" }));
    await service.books.createClient({ tenthMilligrams: 5_000_000n });
    refused(await operator.gold("vault", "remove", "B-3", "--yes"), 1, "owed to partners");
  });

  it("ledger verify exits with 0 for a clean ledger, otherwise with 4 and lists the defects", async () => {
    const clean = await operator.done("ledger", "verify");
    assertEquals([clean.clean, clean.defects], [true, 0]);
    const { sql } = operator.service.books;
    await sql`alter table gold.account disable trigger user`;
    await sql`update gold.account set sar_available = sar_available + 1 where client_id = ${operator.service.partner.client}`;
    const broken = await operator.gold("ledger", "verify", "--json");
    assertEquals([broken.exit, broken.json.clean], [4, false]);
    assertEquals(itemsOf(broken.json).length, broken.json.defects);
    const text = await operator.gold("ledger", "verify");
    assertMatch(text.out, /^The ledger has \d+ defect/);
    await sql`update gold.account set sar_available = sar_available - 1 where client_id = ${operator.service.partner.client}`;
    assertEquals((await operator.gold("ledger", "verify")).exit, 0);
  });
});
