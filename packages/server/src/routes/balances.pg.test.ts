import { suiteService } from "../../testing/service.ts";
import { type BalancesReply, balancesReply } from "@gold-partner/protocol";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { sendOrders } from "../booking/trading/book_orders.ts";
import { bookFunding, fundingItem, orderItem, plantQuote } from "../booking/fixture.ts";
import { type Account, openAccount } from "./fixture.ts";

const READING_MS = 3000;
const READS = 300;

describe("GET /v1/balances while fundings and orders run", () => {
  const service = suiteService();
  let account: Account;
  before(async () => {
    await service.books.addBar(1_000_000_000n);
    account = await openAccount(service);
    await account.fund(1_000_000);
  });

  it("returns balances that every later read at the same as_of confirms", async () => {
    const { sql, api } = service.books;
    const { client } = account.partner;
    const replies: BalancesReply[] = [];
    const startedMs = performance.now();
    let booked = 0;
    const enough = () =>
      performance.now() - startedMs > READING_MS && booked > READS && replies.length > READS;
    const fund = async () => {
      for (; !enough(); booked++) await bookFunding(api, fundingItem(client, 1n));
    };
    const trade = async () => {
      const terms = { client, side: "buy", grams: 1n, price: 3_210_000n, ageSeconds: 0 } as const;
      for (; !enough(); booked++) {
        const order = orderItem(client, await plantQuote(sql, terms));
        await sendOrders(api)([order], { wait: true, settle: false });
      }
    };
    const read = async () => {
      while (!enough()) {
        const now = await account.read("/v1/balances", balancesReply);
        assertEquals(
          await account.read(`/v1/balances?at=${now.as_of}`, balancesReply),
          now,
          "read again at once",
        );
        replies.push(now);
      }
    };
    await Promise.all([fund(), fund(), trade(), read(), read()]);
    for (const now of replies) {
      assertEquals(
        await account.read(`/v1/balances?at=${now.as_of}`, balancesReply),
        now,
        "read again at the end",
      );
    }
    const different = new Set(replies.map(({ sar, gold }) => `${sar.available} ${gold.grams}`));
    assert(different.size > READS / 4, `${different.size} different balances were returned`);
    assertEquals(await service.books.defects(), []);
  });
});
