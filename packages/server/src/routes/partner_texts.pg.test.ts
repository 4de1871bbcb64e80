import { randomUUID } from "node:crypto";
import { expectProblem } from "../../testing/problem.ts";
import { suiteService } from "../../testing/service.ts";
import {
  eventsReply,
  orderCreatedReply,
  orderReply,
  ordersReply,
  quoteReply,
  statementReply,
  withdrawalReply,
  withdrawalsReply,
} from "@gold-partner/protocol";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type Account, openAccount } from "./fixture.ts";

const ARABIC = "طلب العميل ٦٤";
const QUOTED = 'A "b" \\ c, <é> 😀';
const LONGEST = "😀".repeat(64);
const BUY = { side: "buy", gold_grams: 0.001 } as const;

describe("reference and account_label", () => {
  const service = suiteService();
  let account: Account;
  before(async () => {
    await service.books.addBar(10_000_000n);
    account = await openAccount(service);
    await account.fund(100_000);
  });

  const send = (path: string, body: unknown, key: string = randomUUID(), { partner } = account) =>
    service.signed(path, JSON.stringify(body), { partner, headers: { "Idempotency-Key": key } });
  async function made(path: string, body: unknown, of = account) {
    const reply = await send(path, body, undefined, of);
    const text = await reply.text();
    assertEquals(reply.status, 201, text);
    return JSON.parse(text);
  }
  const quote = async (texts: object = {}, of = account) =>
    quoteReply.parse(await made("/v1/quotes", { ...BUY, ...texts }, of));
  const order = async (quote_id: string, texts: object = {}, of = account) =>
    orderCreatedReply.parse(await made("/v1/orders", { quote_id, ...texts }, of));
  const textsOf = ({ reference, account_label }: { reference?: unknown; account_label?: unknown }) => [
    reference,
    account_label,
  ];

  it("of a quote are in its reply, and an order inherits each text that its request lacks", async () => {
    const cases = [
      [{ reference: QUOTED, account_label: ARABIC }, {}, [QUOTED, ARABIC]],
      [{ reference: QUOTED, account_label: ARABIC }, { reference: LONGEST }, [LONGEST, ARABIC]],
      [{ reference: QUOTED }, { account_label: LONGEST }, [QUOTED, LONGEST]],
      [{}, { reference: "=1+1", account_label: QUOTED }, ["=1+1", QUOTED]],
      [{ account_label: "Desk" }, {}, [undefined, "Desk"]],
    ] as const;
    for (const [quoted, ordered, expected] of cases) {
      const { quote_id, ...given } = await quote(quoted);
      assertEquals(textsOf(given), textsOf(quoted));
      const executed = await order(quote_id, ordered);
      assertEquals(textsOf(executed), [...expected]);
      const { balances, ...record } = executed;
      assert(balances);
      assertEquals(textsOf(await account.read(`/v1/quotes/${quote_id}`, quoteReply)), textsOf(quoted));
      assertEquals(await account.read(`/v1/orders/${record.order_id}`, orderReply), record);
      assertEquals((await account.read("/v1/orders?limit=1", ordersReply)).items, [record]);
    }
  });

  it("are in the event order.executed and in the statement, as JSON and as CSV", async () => {
    const own = await openAccount(service);
    await own.fund(1_000);
    const executed = await order((await quote({ reference: QUOTED }, own)).quote_id, {}, own);
    await order((await quote({ reference: "@SUM(A1)", account_label: ARABIC }, own)).quote_id, {}, own);
    await made("/v1/withdrawals", { amount_sar: 1, reference: "-5", account_label: "+1" }, own);
    await order((await quote({}, own)).quote_id, {}, own);
    await service.books.sql`select gold.seal_chain(${own.partner.client})`;
    const { items } = await own.read("/v1/events?after=1", eventsReply);
    const [event] = items;
    assert(event?.type === "order.executed");
    const { balances, ...record } = executed;
    assert(balances);
    assertEquals(event.data.order, record);
    const [body] = await service.books.sql`
      select b.body from gold.event e cross join lateral gold.event_body(e) b where 'evt_' || e.id = ${event.id}`;
    assertEquals(JSON.parse(body!.body).data.order, record);

    const day = new Date(service.now()).toISOString().slice(0, 10);
    const later = new Date(service.now() + 86_400_000).toISOString().slice(0, 10);
    const path = `/v1/statement?from=${day}&to=${later}`;
    const { postings } = await own.read(path, statementReply);
    const expected = [[QUOTED, undefined], ["@SUM(A1)", ARABIC], ["-5", "+1"], [undefined, undefined]];
    assertEquals(postings.slice(1).map(textsOf), expected.flatMap((texts) => [texts, texts]));
    assert(!("reference" in postings[0]!) && !("account_label" in postings.at(-1)!));
    const lines = (await (await own.get(path, { Accept: "text/csv" })).text()).split("\r\n");
    assert(lines[0]!.includes(",balance_after,reference,account_label,reserves_list_id"));
    const ends = [
      `,"A ""b"" \\ c, <é> 😀",,lst_2`,
      `,'@SUM(A1),${ARABIC},lst_2`,
      ",'-5,'+1,",
      ",,,lst_2",
    ];
    ends.flatMap((end) => [end, end]).forEach((end, n) => assert(lines[5 + n]!.includes(end), lines[5 + n]));
  });

  it("of a withdrawal are in its reply, and its reference must still be unique", async () => {
    const texts = { reference: "Payroll 9", account_label: QUOTED };
    const { balances, ...created } = await made("/v1/withdrawals", { amount_sar: 1, ...texts });
    assert(balances);
    assertEquals(textsOf(created), [texts.reference, texts.account_label]);
    assertEquals(await account.read(`/v1/withdrawals/${created.withdrawal_id}`, withdrawalReply), {
      ...created,
      bank_reference: null,
      expected_on: null,
    });
    await expectProblem(send("/v1/withdrawals", { amount_sar: 1, ...texts }), "withdrawal_reference_reused");
    const without = await made("/v1/withdrawals", { amount_sar: 1 });
    assertEquals([without.reference, "account_label" in without], [null, false]);
  });

  it("that are malformed get 400 with the name of the text, and book nothing", async () => {
    const { quote_id } = await quote();
    const values = ["", " a", "x".repeat(65), "😀".repeat(65), "a\nb", "\u0000", "\u202e", 1, null, ["a"]];
    for (const value of values) {
      const cases = [
        ["/v1/quotes", BUY, "reference"],
        ["/v1/quotes", BUY, "account_label"],
        ["/v1/orders", { quote_id }, "reference"],
        ["/v1/orders", { quote_id }, "account_label"],
        ["/v1/withdrawals", { amount_sar: 1 }, "account_label"],
      ] as const;
      for (const [path, body, name] of cases) {
        const { errors } = await expectProblem(send(path, { ...body, [name]: value }), "invalid_request");
        assertEquals(errors?.map((error) => "pointer" in error && error.pointer), [`#/${name}`], path);
      }
    }
    assertEquals((await account.read(`/v1/quotes/${quote_id}`, quoteReply)).status, "open");
  });

  it("that are malformed are also refused by the database", async () => {
    const { quote_id } = await quote();
    for (const text of ["", " a", "a ", "x".repeat(65), "a\nb", "\u202e"]) {
      for (const column of ["reference", "account_label"]) {
        const copy = service.books.sql.unsafe(
          `insert into gold.quote select (jsonb_populate_record(q, $1::text::jsonb)).* from gold.quote q where 'qt_' || id = $2`,
          [JSON.stringify({ id: randomUUID(), [column]: text }), quote_id],
        );
        assertEquals(await copy.then(() => "stored", ({ code }) => code), "23514", `${column} ${text}`);
      }
    }
  });

  it("that are not given do not change the last release's fingerprint, and are not in the reply", async () => {
    const key = randomUUID();
    await send("/v1/quotes", { side: "buy", gold_grams: 1.5 }, key);
    const { sql } = service.books;
    const [stored] =
      await sql`select encode(fingerprint, 'hex') as fingerprint from gold.idempotency_key where key = ${key}`;
    // The vector "a quote", as release 0.3.0 computed it.
    assertEquals(stored!.fingerprint, "eac9cb92e10bd2c43e6cbf9f29b39d2a692aaeb10e91f2ae30ca319419401e56");
    const { quote_id } = await quote();
    const text = await (await send("/v1/orders", { quote_id })).text();
    assertEquals(Object.keys(JSON.parse(text)), [
      "order_id",
      "quote_id",
      "side",
      "gold_grams",
      "price_per_gram_sar",
      "total_sar",
      "status",
      "executed_at",
      "reserves_list_id",
      "balances",
    ]);
  });

  it("do not change a reply that the last release stored", async () => {
    const quote_id = "qt_01890a5d-ac96-774b-bcce-b302099a8057";
    const body =
      `{"order_id":"ord_${quote_id.slice(3)}","quote_id":"${quote_id}","side":"buy","gold_grams":1,` +
      '"price_per_gram_sar":321,"total_sar":321,"status":"executed","executed_at":"2026-11-23T00:00:00.000Z","balances":{}}';
    const { client } = account.partner;
    // The fingerprint is the vector "an order", as release 0.3.0 computed it.
    await service.books.sql`
      insert into gold.idempotency_key
      values (${
      client % 64
    }, ${client}, 201, 'stored', decode('c4b4ed6a08efd65b2ccdfc46a544bd57b4807943353a60457267443af23611b0', 'hex'),
        gen_random_uuid(), ${quote_id.slice(3)}, now(), 'order', ${body}, '\\xab', sha256(''))`;
    const again = await send("/v1/orders", { quote_id }, "stored");
    assertEquals([again.status, await again.text()], [200, body]);
    await expectProblem(
      send("/v1/orders", { quote_id, reference: "a" }, "stored"),
      "idempotency_key_conflict",
    );
  });

  it("filter lists page by page, together with the other parameters", async () => {
    const own = await openAccount(service);
    await own.fund(1_000);
    const all: { id: string; at: string; texts: unknown[] }[] = [];
    for (let n = 0; n < 12; n++) {
      const texts = { reference: `R ${n % 3}`, ...(n % 2 === 0 ? { account_label: ARABIC } : {}) };
      const { order_id, executed_at } = await order((await quote(texts, own)).quote_id, {}, own);
      all.unshift({ id: order_id, at: executed_at, texts: textsOf(texts) });
      await made("/v1/withdrawals", { amount_sar: 1, ...(n > 9 ? texts : {}), reference: `W ${n}` }, own);
    }
    const idsOf = async (query: string): Promise<string[]> => {
      const ids: string[] = [];
      for (let cursor = "";;) {
        const page = await own.read(`/v1/orders?limit=2&${query}${cursor}`, ordersReply);
        ids.push(...page.items.map(({ order_id }) => order_id));
        if (page.next_cursor === null) return ids;
        cursor = `&cursor=${page.next_cursor}`;
      }
    };
    const ids = (of: typeof all) => of.map(({ id }) => id);
    const label = `account_label=${encodeURIComponent(ARABIC)}`;
    const second = all.filter(({ texts: [reference] }) => reference === "R 1");
    const both = second.filter(({ texts: [, given] }) => given === ARABIC);
    assertEquals([second.length, both.length], [4, 2]);
    assertEquals(await idsOf("reference=R%201"), ids(second));
    assertEquals(await idsOf(label), ids(all.filter(({ texts: [, given] }) => given === ARABIC)));
    assertEquals(await idsOf(`reference=R%201&${label}`), ids(both));
    assertEquals(await idsOf("reference=r%201"), []);
    const { at } = second[1]!;
    assertEquals(
      await idsOf(`reference=R%201&created_before=${at}`),
      ids(second.filter((one) => one.at < at)),
    );
    assertEquals(
      await idsOf(`reference=R%201&created_after=${at}`),
      ids(second.filter((one) => one.at > at)),
    );
    const withdrawals = await own.read(`/v1/withdrawals?${label}`, withdrawalsReply);
    assertEquals(withdrawals.items.map(({ reference }) => reference), ["W 10"]);
    const { errors } = await expectProblem(own.get("/v1/fundings?reference=a"), "invalid_request");
    assertEquals(errors?.length, 1);
  });

  it("filter a list beyond the 10,000 event numbers that one page searches", async () => {
    const own = await openAccount(service);
    await own.fund(1_000);
    const oldest = await order((await quote({ reference: "old" }, own)).quote_id, {}, own);
    const { client } = own.partner;
    await service.books
      .sql`update gold.account set event_sequence = event_sequence + 25000 where client_id = ${client}`;
    const pages: number[] = [];
    for (let query = "reference=old";;) {
      const { items, next_cursor } = await own.read(`/v1/orders?${query}`, ordersReply);
      pages.push(items.length);
      if (items.length > 0) assertEquals(items[0]!.order_id, oldest.order_id);
      if (next_cursor === null) break;
      query = `reference=old&cursor=${next_cursor}`;
    }
    assertEquals(pages, [0, 0, 1]);
  });
});
