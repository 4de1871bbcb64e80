import { suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";

/** A row of gold.transfer: its columns as Postgres reads them. */
type Posting = Record<string, string | number>;

const STATED_WRONGLY = "GB001";
const CHECK_VIOLATION = "23514";
const UNIQUE_VIOLATION = "23505";
const INVALID_TEXT = "22P02";

describe("post_transfers", () => {
  const books = suiteBooks();
  let client: number;
  before(async () => {
    await books.addBar(1_000n);
    client = await books.createClient({ halalas: 1_000n, tenthMilligrams: 10n });
  });

  // The client holds 10.00 SAR and 10 units of gold (0.0001 g each) at sequence 3. In the vault, 990 units
  // are free.
  const buy = (): Posting[] => [
    posting("available house SAR 50", { sar_available_after: 950 }),
    posting("vault gold XAU 5", { leg: 2, sar_available_after: 950, gold_after: 15 }),
  ];
  /** A posting of a movement, which is its debit, credit, asset and amount. */
  const posting = (movement = "bank available SAR 100", given: Posting = {}): Posting => {
    const [debit, credit, asset, amount] = movement.split(" ") as [string, string, string, string];
    return {
      ...{ bucket: client % 64, client_id: client, leg: 1, sequence: 4 },
      ...{ debit, credit, asset, amount: Number(amount) },
      ...{ sar_available_after: 1_000, sar_held_after: 0, gold_after: 10, posted_at: "infinity" },
      ...given,
    };
  };
  const deposit = (given: Posting = {}) => posting(undefined, { sar_available_after: 1_100, ...given });

  /**
   * Posts in one statement as gold_book, reads the balances, and rolls back. The verdict is "posted" or the
   * SQLSTATE.
   */
  async function post(...postings: Posting[]): Promise<{ verdict: string; account?: string; free?: string }> {
    let found = {};
    const verdict = await books.sql.begin(async (sql) => {
      const at = new Date(Date.now() + 1_000);
      const rows = postings.map((row) => ({
        ...row,
        posted_at: row.posted_at === "infinity" ? at : new Date(row.posted_at!),
      }));
      await sql`set local role gold_book`;
      await sql`insert into gold.transfer ${sql(rows as never)}`;
      const [row] = await sql`
        select concat_ws(' ', event_sequence, sar_available, sar_held, a.gold, last_posted_at = ${at}) as account, v.free
        from gold.account a, gold.vault v where client_id = ${postings[0]!["client_id"]!}`;
      found = { ...row };
      throw Object.assign(new Error("rolled back"), { code: "posted" });
    }).catch(({ code, message }) => code ?? message);
    return { verdict, ...found };
  }
  const verdictOf = async (...postings: Posting[]): Promise<string> => (await post(...postings)).verdict;

  it("updates balances, sequence, instant and vault by the transfers of a statement", async () => {
    assertEquals(await post(deposit()), { verdict: "posted", account: "4 1100 0 10 t", free: "990" });
    assertEquals(await post(...buy()), { verdict: "posted", account: "4 950 0 15 t", free: "985" });
    const held = posting("available held SAR 100", { sar_available_after: 900, sar_held_after: 100 });
    assertEquals(await post(held), { verdict: "posted", account: "4 900 100 10 t", free: "990" });
    const sold = posting("gold vault XAU 10", { gold_after: 0 });
    assertEquals(await post(sold), { verdict: "posted", account: "4 1000 0 0 t", free: "1000" });
  });

  it("handles several clients and sequence numbers in one statement", async () => {
    const other = await books.createClient();
    const rows = [
      deposit(),
      deposit({ bucket: other % 64, client_id: other, sequence: 1, gold_after: 0, sar_available_after: 100 }),
      deposit({ sequence: 5, sar_available_after: 1_200 }),
    ];
    assertEquals(await post(...rows), { verdict: "posted", account: "5 1200 0 10 t", free: "990" });
    const wrong = rows.map((row) => row["client_id"] === other ? { ...row, sar_available_after: 99 } : row);
    assertEquals(await verdictOf(...wrong), STATED_WRONGLY);
  });

  it("refuses balances that do not follow from the transfers", async () => {
    for (const column of ["sar_available_after", "sar_held_after", "gold_after"]) {
      for (const off of [-1, 1]) {
        const stated = Number(deposit()[column]) + off;
        assertEquals(await verdictOf(deposit({ [column]: stated })), STATED_WRONGLY, column);
      }
    }
    const [sar, gold] = buy();
    assertEquals(await verdictOf(sar!, { ...gold!, sar_available_after: 1_000 }), STATED_WRONGLY);
  });

  it("refuses a sequence number that does not increase, and an instant before the last posting", async () => {
    for (const sequence of [0, 2, 3]) {
      assertEquals(await verdictOf(deposit({ sequence, leg: 7 })), STATED_WRONGLY);
    }
    assertEquals(await verdictOf(deposit({ sequence: 3 })), UNIQUE_VIOLATION);
    const [account] = await books.sql`select last_posted_at from gold.account where client_id = ${client}`;
    const last: Date = account!.last_posted_at;
    assertEquals(
      await verdictOf(deposit({ posted_at: new Date(last.getTime() - 1).toISOString() })),
      STATED_WRONGLY,
    );
    assertEquals(await verdictOf(deposit({ posted_at: last.toISOString() })), "posted");
  });

  it("refuses an unknown client", async () => {
    const account = { bucket: 1_000_000 % 64, client_id: 1_000_000, sequence: 1 };
    const nobody = deposit({ ...account, gold_after: 0, sar_available_after: 100 });
    assertEquals(await verdictOf(nobody), STATED_WRONGLY);
    assertEquals(await verdictOf(deposit(), nobody), STATED_WRONGLY);
  });

  it("never lets a balance or the vault go below zero", async () => {
    const overdrawn = [
      posting("available house SAR 1001", { sar_available_after: -1 }),
      posting("gold vault XAU 11", { gold_after: -1 }),
      posting("held bank SAR 1", { sar_held_after: -1 }),
      posting("vault gold XAU 991", { gold_after: 1_001 }),
    ];
    for (const row of overdrawn) assertEquals(await verdictOf(row), CHECK_VIOLATION, `${row["debit"]}`);
  });

  it("accepts exactly the eleven defined movements", async () => {
    const postable: string[] = [];
    await books.sql`update gold.account set sar_held = 100 where client_id = ${client}`;
    const accounts = ["bank", "available", "held", "house", "bars", "vault", "gold"];
    for (const asset of ["SAR", "XAU"]) {
      for (const debit of accounts) {
        for (const credit of accounts) {
          const house = debit === "bars" || credit === "bars";
          const [owner, sequence] = house ? [0, 9] : [client, 4];
          const after = (account: string, unit: string) =>
            house || unit !== asset ? 0 : Number(credit === account) - Number(debit === account);
          const account = { bucket: owner % 64, client_id: owner, sequence };
          const balances = house
            ? [0, 0, 0]
            : [1_000 + after("available", "SAR"), 100 + after("held", "SAR"), 10 + after("gold", "XAU")];
          const [sar_available_after, sar_held_after, gold_after] = balances;
          const stated = { sar_available_after, sar_held_after, gold_after } as Posting;
          const verdict = await verdictOf(
            posting(`${debit} ${credit} ${asset} 1`, { ...account, ...stated }),
          );
          if (verdict === "posted") postable.push(`${asset} ${debit} ${credit}`);
          else assertEquals(verdict, CHECK_VIOLATION, `${asset} ${debit} ${credit}`);
        }
      }
    }
    await books.sql`update gold.account set sar_held = 0 where client_id = ${client}`;
    assertEquals(postable, [
      "SAR bank available",
      "SAR available bank",
      "SAR available held",
      "SAR available house",
      "SAR held bank",
      "SAR held available",
      "SAR house available",
      "XAU bars vault",
      "XAU vault bars",
      "XAU vault gold",
      "XAU gold vault",
    ]);
    assertEquals(await verdictOf(deposit({ debit: "margin" })), INVALID_TEXT);
  });

  it("refuses an amount of 0 or less, a wrong bucket, a client's bar, and money of client 0", async () => {
    for (const amount of [0, -100]) {
      const none = deposit({ amount, sar_available_after: 1_000 + amount });
      assertEquals(await verdictOf(none), CHECK_VIOLATION);
    }
    assertEquals(await verdictOf(deposit({ bucket: (client + 1) % 64 })), CHECK_VIOLATION);
    assertEquals(await verdictOf(posting("bars vault XAU 1")), CHECK_VIOLATION);
    const houseMoney = { bucket: 0, client_id: 0, sequence: 9, sar_available_after: 100, gold_after: 0 };
    assertEquals(await verdictOf(deposit(houseMoney)), CHECK_VIOLATION);
  });

  it("leaves no defects in the books, because every test statement was rolled back", async () => {
    assertEquals(await books.defects(), []);
  });
});
