import { randomUUID } from "node:crypto";
import { expectProblem } from "../../testing/problem.ts";
import { suiteService } from "../../testing/service.ts";
import {
  type EventsReply,
  eventsReply,
  fundingsReply,
  ordersReply,
  withdrawalsReply,
} from "@gold-partner/protocol";
import { before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Account, openAccount } from "./fixture.ts";

const ORDERS = 23;

describe("a list", () => {
  const service = suiteService();
  let account: Account;
  /** The orders made so far, oldest first. */
  const orders: { id: string; at: string; key: string }[] = [];
  before(async () => {
    await service.books.addBar(10_000_000n);
    account = await openAccount(service);
    await account.fund(100_000);
    for (let n = 0; n < ORDERS; n++) {
      const key = randomUUID();
      const { order_id, executed_at } = await account.trade("buy", 0.001, key);
      orders.push({ id: order_id, at: executed_at, key });
      if (n % 5 === 0) await account.withdraw(1);
    }
  });

  const idsOf = async (query: string): Promise<string[]> =>
    (await account.read(`/v1/orders${query}`, ordersReply)).items.map(({ order_id }) => order_id);
  const newest = (of: readonly { id: string }[]) => of.map(({ id }) => id).reverse();
  const refused = async (path: string, name: string): Promise<void> => {
    const { errors } = await expectProblem(account.get(path), "invalid_request");
    assertEquals(errors?.map((error) => "name" in error && error.name), [name], path);
  };

  it("is sorted newest first, and its pages together contain each record once", async () => {
    assertEquals(await idsOf(""), newest(orders));
    for (const limit of [1, 2, 7, ORDERS - 1, ORDERS, ORDERS + 1, 200]) {
      const ids: string[] = [];
      let pages = 0;
      for (let query = `?limit=${limit}`;; pages++) {
        const { items, next_cursor } = await account.read(`/v1/orders${query}`, ordersReply);
        assert(items.length > 0, "a page is empty");
        ids.push(...items.map(({ order_id }) => order_id));
        assert(ids.length <= ORDERS, "the pages repeat records");
        if (next_cursor === null) break;
        query = `?limit=${limit}&cursor=${next_cursor}`;
      }
      assertEquals([ids, pages + 1], [newest(orders), Math.ceil(ORDERS / limit)], `limit ${limit}`);
    }
  });

  it("excludes both given instants from the range, with or without a cursor", async () => {
    const [early, late] = [orders[4]!.at, orders[17]!.at];
    const within = (after: string, before: string) =>
      newest(orders.filter(({ at }) => after < at && at < before));
    const [never, always] = ["", "9"];
    assertEquals(await idsOf(`?created_after=${early}`), within(early, always));
    assertEquals(await idsOf(`?created_before=${late}`), within(never, late));
    assertEquals(await idsOf(`?created_after=${early}&created_before=${late}`), within(early, late));
    assertEquals(await idsOf(`?created_after=${late}&created_before=${early}`), []);
    assertEquals(await idsOf("?created_before=0000-01-01T00:00:00.000Z"), []);
    assertEquals(
      await idsOf("?created_after=0000-01-01T00:00:00.000Z&created_before=9999-12-31T23:59:59.999Z"),
      newest(orders),
    );
    assertEquals(await idsOf("?created_after=9999-12-31T23:59:59.999Z"), []);
    const { next_cursor } = await account.read("/v1/orders?limit=10", ordersReply);
    const rest = await idsOf(`?limit=200&cursor=${next_cursor}&created_after=${early}`);
    assertEquals(rest, within(early, always).slice(10));
  });

  it("accepts every spelling of an instant, and a cursor of the same range in another spelling", async () => {
    const { at } = orders[9]!;
    const inRiyadh = new Date(Date.parse(at) + 3 * 3_600_000).toISOString().slice(0, -1);
    const spellings = [
      at,
      at.toLowerCase(),
      `${inRiyadh}%2B03:00`,
      `${inRiyadh}%2b03%3A00`,
      `${at.slice(0, -1)}999999Z`,
      `${at.slice(0, -1)}-00:00`,
    ];
    const expected = newest(orders.slice(10));
    for (const [index, spelling] of spellings.entries()) {
      assertEquals(await idsOf(`?created_after=${spelling}`), expected, spelling);
      const first = `?limit=5&created_after=${spelling}`;
      const { items, next_cursor } = await account.read(`/v1/orders${first}`, ordersReply);
      const other = spellings[(index + 1) % spellings.length];
      const rest = await idsOf(`?created_after=${other}&cursor=${next_cursor}`);
      assertEquals(
        [...items.map(({ order_id }) => order_id), ...rest],
        expected,
        `${spelling}, then ${other}`,
      );
    }
    const wholeSecond = `${at.slice(0, 19)}.000Z`;
    assertEquals(
      await idsOf(`?created_before=${at.slice(0, 19)}Z`),
      newest(orders.filter((order) => order.at < wholeSecond)),
    );
    assertEquals(await idsOf("?created_after=2020-01-01&created_before=9999-12-31"), newest(orders));
  });

  it("says how to encode the plus of an offset", async () => {
    const { detail } = await expectProblem(
      account.get("/v1/orders?created_after=2026-01-31T12:30:00+03:00"),
      "invalid_request",
    );
    assertStringIncludes(detail!, "%2B");
  });

  it("finds a record by the idempotency key that created it, but only in the list of its kind", async () => {
    const { id, at, key } = orders[9]!;
    assertEquals(await idsOf(`?idempotency_key=${key}`), [id]);
    const { items: fundings } = await account.read(`/v1/fundings?idempotency_key=${key}`, fundingsReply);
    assertEquals(fundings, []);
    assertEquals(await idsOf(`?idempotency_key=${randomUUID()}`), []);
    assertEquals(await idsOf(`?idempotency_key=${key}&created_after=${at}`), []);
    assertEquals(await idsOf(`?idempotency_key=${key}&created_before=${at}`), []);
    const { next_cursor } = await account.read(`/v1/orders?limit=20`, ordersReply);
    assertEquals(await idsOf(`?idempotency_key=${key}&cursor=${next_cursor}`), []);
    // Checks that the key of a quote does not find the order, which has the same uuid.
    const quoted = randomUUID();
    await account.execute(await account.quote("buy", 0.001, quoted));
    assertEquals(await idsOf(`?idempotency_key=${quoted}`), []);
    const money = { fund: randomUUID(), withdraw: randomUUID() };
    const [funding, withdrawal] = [
      await account.fund(3, money.fund),
      await account.withdraw(2, money.withdraw),
    ];
    const found = await account.read(`/v1/fundings?idempotency_key=${money.fund}`, fundingsReply);
    assertEquals(found.items.map(({ funding_id }) => funding_id), [funding]);
    const paid = await account.read(`/v1/withdrawals?idempotency_key=${money.withdraw}`, withdrawalsReply);
    assertEquals(paid.items.map(({ withdrawal_id }) => withdrawal_id), [withdrawal]);
  });

  it("of orders is empty for the key of a refusal, of a quote or of another partner", async () => {
    const stranger = await openAccount(service);
    const [refusal, quote] = [randomUUID(), randomUUID()];
    const { quote_id } = JSON.parse(
      await (await service.send("/v1/quotes", {
        partner: stranger.partner,
        headers: { "Idempotency-Key": quote },
        body: '{"side":"buy","gold_grams":1}',
      })).text(),
    );
    const headers = { "Idempotency-Key": refusal };
    const sent = service.signed("/v1/orders", `{"quote_id":"${quote_id}"}`, {
      partner: stranger.partner,
      headers,
    });
    await expectProblem(sent, "insufficient_funds");
    for (const key of [refusal, quote, orders[0]!.key]) {
      const { items } = await stranger.read(`/v1/orders?idempotency_key=${key}`, ordersReply);
      assertEquals(items, []);
    }
  });

  it("rejects an unknown or invalid parameter, and names it", async () => {
    const { next_cursor } = await account.read("/v1/orders?limit=1", ordersReply);
    const stranger = await openAccount(service);
    await stranger.fund(1);
    await stranger.fund(1);
    const { next_cursor: foreign } = await stranger.read("/v1/fundings?limit=1", fundingsReply);
    for (const list of ["orders", "withdrawals", "fundings"]) {
      for (const limit of ["0", "201", "-1", "1.5", "x", ""]) {
        await refused(`/v1/${list}?limit=${limit}`, "limit");
      }
      for (const cursor of ["", "x", "%00", "x".repeat(600), foreign!]) {
        await refused(`/v1/${list}?cursor=${cursor}`, "cursor");
      }
      for (const instant of ["now", "2026-01-31T09:30:00", "2026-02-30T00:00:00Z"]) {
        await refused(`/v1/${list}?created_after=${instant}`, "created_after");
        await refused(`/v1/${list}?created_before=${instant}`, "created_before");
      }
      for (const key of ["", "%20", "%C3%A9", "x".repeat(256)]) {
        await refused(`/v1/${list}?idempotency_key=${key}`, "idempotency_key");
      }
      await refused(`/v1/${list}?after=1`, "after");
    }
    await refused(`/v1/fundings?cursor=${next_cursor}`, "cursor");
    await refused("/v1/events?cursor=1", "cursor");
    for (const after of ["-1", "x", "1.0", "1e3", "1000000000000000"]) {
      await refused(`/v1/events?after=${after}`, "after");
    }
  });

  it("of events is sorted oldest first, and continues after the given number", async () => {
    const { items: all, next_cursor: none } = await account.read("/v1/events?limit=200", eventsReply);
    assertEquals([all.map(({ sequence }) => sequence), none], [all.map((_, index) => index + 1), null]);
    for (const limit of [1, 10, all.length]) {
      const walked: typeof all = [];
      let after: string | null = "0";
      while (after !== null) {
        const page: EventsReply = await account.read(`/v1/events?after=${after}&limit=${limit}`, eventsReply);
        walked.push(...page.items);
        after = page.next_cursor;
      }
      assertEquals(walked, all);
    }
    assertEquals((await account.read("/v1/events?after=999999999999999", eventsReply)).items, []);
  });
});
