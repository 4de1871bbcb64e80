import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { temporaryFolder } from "../../../../../tools/testing/temporary_folder.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";
import { withoutTriggers } from "@gold-partner/server/testing";
import { widthOf } from "@gold-partner/command-line";
import { COMMANDS } from "../../gold.ts";
import { runGold } from "../../gold_fixture.ts";
import { askWithdrawal } from "../money/withdrawal_fixture.ts";

const SENT = { body: '{"amount_sar":100000}' };

describe("the views of gold", () => {
  let operator: TestOperator;
  const id = () => operator.service.partner.clientId;
  const sql = () => operator.service.books.sql;

  async function quote(side: string, grams: string): Promise<string> {
    const reply = await operator.service.send("/v1/quotes", {
      body: `{"side":"${side}","gold_grams":${grams}}`,
    });
    return (await reply.json() as { quote_id: string }).quote_id;
  }
  async function trade(side: string, grams: string): Promise<string> {
    const body = JSON.stringify({ quote_id: await quote(side, grams), reference: `INV-${grams}` });
    const reply = await operator.service.signed("/v1/orders", body);
    return (await reply.json() as { order_id: string }).order_id;
  }

  let [bought, sold]: [string, string] = ["", ""];
  before(async () => {
    operator = await testOperator();
    await operator.service.books.addBar(10_000_000n);
    await operator.service.send("/sandbox/fund", SENT);
    bought = await trade("buy", "10.5");
    sold = await trade("sell", "0.5");
    await quote("buy", "1");
    // A binding refusal.
    await trade("sell", "900");
    await askWithdrawal(operator, 5000n);
  });
  after(() => operator.stop());

  it("order lists orders page by page, and shows one with its quote, postings and event", async () => {
    const page = await operator.done("order", "--limit", "1");
    assertEquals(itemsOf(page).map(({ order_id, reference }) => [order_id, reference]), [[sold, "INV-0.5"]]);
    const rest = await operator.done("order", "--after", `${page.next}`, "--partner", id());
    assertEquals([itemsOf(rest).map(({ order_id }) => order_id), rest.next], [[bought], undefined]);
    const shown = await operator.done("order", bought);
    assertEquals([shown.client_id, shown.status], [id(), "executed"]);
    assertEquals(
      (shown.postings as Record<string, string>[]).map(({ account, change }) => [account, change]),
      [
        ["available_sar", "-3370.5"],
        ["gold_grams", "10.5"],
      ],
    );
    assertEquals((shown.event as Record<string, string>).type, "order.executed");
    const { request, signature } = shown.request as Record<string, string>;
    assertEquals([request, signature], ["POST /v1/orders", "verified"]);
    refused(await operator.gold("order", "--after", "7"), 2, "--after must be the next of a page; got 7");
    refused(await operator.gold("order", `ord_${crypto.randomUUID()}`), 1, "There is no order ord_");
  });

  it("quote lists quotes with their status; order says when a quote was not executed", async () => {
    const quotes = itemsOf(await operator.done("quote"));
    assertEquals(quotes.map(({ status }) => status), ["open", "open", "executed", "executed"]);
    const open = `${quotes[1]!.quote_id}`;
    assertEquals((await operator.done("quote", open)).status, "open");
    refused(
      await operator.gold("order", open.replace("qt_", "ord_")),
      1,
      `its quote ${open} was not executed`,
    );
  });

  it("today, position and stock add up", async () => {
    const today = await operator.done("today");
    const { price, trades, position: of, stock, owed } = today as Record<string, Record<string, unknown>>;
    assertEquals([trades!.orders, trades!.bought_grams, trades!.sold_grams], [2, "10.5", "0.5"]);
    assertEquals([of!.position_grams, stock!.owed_grams, stock!.free_grams], ["10", "10", "990"]);
    assertEquals([price!.market, owed!.sar_available, owed!.sar_held], ["open", "96739", "50"]);
    assertEquals(today.refusals, [{ code: "insufficient_gold", refusals: 1 }]);
    const waiting = today.waiting as Record<string, unknown>[];
    assertEquals(waiting.map(({ waiting, count, sar }) => [waiting, count, sar]), [
      ["proposals", 0, null],
      ["withdrawals, pending_approval", 1, "50"],
    ]);
    const position = await operator.done("position");
    assertEquals(itemsOf(position).map(({ client_id, net_grams }) => [client_id, net_grams]), [[id(), "10"]]);
    assertEquals((await operator.done("stock")).days_left, 693);
  });

  it("statement has each posting, and the balances before and after", async () => {
    const statement = await operator.done("statement", id());
    assertEquals(itemsOf(statement).length, 7);
    const [opening, closing] = statement.balances as Record<string, string>[];
    assertEquals([opening!.available_sar, closing!.available_sar, closing!.gold_grams], [
      "0",
      "96739",
      "10",
    ]);
    const before = await operator.done("statement", id(), "--from", "2026-01-01", "--to", "2026-01-31");
    assertEquals(itemsOf(before), []);
    refused(
      await operator.gold("statement", id(), "--from", "2026-02-30"),
      2,
      "--from must be a day such as",
    );
    refused(
      await operator.gold("statement", id(), "--from", "2999-01-01"),
      2,
      "--from must not be after --to",
    );
  });

  it("statement writes the postings to a file for a spreadsheet", async () => {
    const file = join(temporaryFolder("gold-statement"), "statement.csv");
    await operator.done("statement", id(), "--csv", file);
    const lines = (await readFile(file, "utf8")).trim().split("\r\n");
    const types = lines.map((line) => line.split(",")[2]!.replaceAll('"', ""));
    const balances = (type: string) => [type, type, type];
    assertEquals([types.slice(1, 4), types.slice(-3), types.length], [
      balances("opening_balance"),
      balances("closing_balance"),
      1 + 3 + itemsOf(await operator.done("statement", id())).length + 3,
    ]);
    assertEquals(
      lines[0],
      "posted_at,id,type,account,change,balance_after,reference,account_label,reserves_list_id",
    );
    refused(await operator.gold("statement", id(), "--csv", file), 2, `${file} already exists.`);
  });

  it("reads from READ_DATABASE_URL if it is set", async () => {
    const env = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", READ_DATABASE_URL: operator.url };
    const { exit, json } = await runGold(["stock", "--json"], { env });
    assertEquals([exit, json.free_grams], [0, "990"]);
  });

  it("inbox lists what waits, with the command for it, by the roles of the login", async () => {
    const waits = async () =>
      itemsOf(await operator.done("inbox")).map(({ waits, about, next }) => `${waits}: ${about}: ${next}`);
    const { name, iban } = await operator.done("partner", "show", id());
    await operator.done("partner", "set", id(), "--iban", "SA4420000001234567891234");
    assertEquals((await waits()).at(-1), `new IBAN: ${name}, requested by you: another person approves`);
    await operator.done("partner", "set", id(), "--iban", `${iban}`);
    const withdrawal = itemsOf(await operator.done("withdrawal", "list"))[0]!.withdrawal_id;
    assertEquals(await waits(), [
      `withdrawal, pending approval: 50 SAR of ${name}: gold withdrawal approve ${withdrawal}`,
    ]);
    await operator.done("withdrawal", "approve", `${withdrawal}`);
    assertEquals(await waits(), [
      `withdrawal, approved: 50 SAR of ${name}: another person submits`,
    ]);
  });

  it("inbox says that the price source gives no price, and neither for a fixed price nor in a closed market", async () => {
    const prices = async () =>
      itemsOf(await operator.done("inbox")).filter(({ waits }) => `${waits}`.startsWith("price"));
    const set = (change: string) => sql().unsafe(`update gold.price set ${change}`);
    const [before] = await sql()`select source, as_of::text from gold.price`;
    await set("source = 'fixed', as_of = '2026-01-31 09:30:00Z'");
    assertEquals(await prices(), []);
    await set("source = 'http', url = 'https://127.0.0.1:1/'");
    assertEquals(await prices(), [{
      waits: "price, stale",
      about: "the source http gives no price, so no quote is given",
      since: "2026-01-31T09:30:00.000Z",
      next: "gold price show",
    }]);
    await set("always_open = false");
    assertEquals(await prices(), []);
    await set("always_open = true, as_of = 'epoch'");
    assertEquals((await prices()).map(({ since }) => since), [null]);
    await set(`source = '${before!.source}', url = null, as_of = '${before!.as_of}'`);
  });

  it("find finds a record by its id, its reference, its idempotency key, and parts of them", async () => {
    const found = async (text: string) =>
      itemsOf(await operator.done("find", text)).map(({ kind, id }) => `${kind} ${id}`);
    const { request, event } = await operator.done("order", bought) as Record<string, Record<string, string>>;
    const { name } = await operator.done("partner", "show", id());
    const [withdrawal] = itemsOf(await operator.done("withdrawal", "list"));
    const [certificate] = itemsOf(await operator.done("cert", "list", id()));
    for (
      const [text, record] of [
        [bought, `order ${bought}`],
        [bought.replace("ord_", "qt_"), `order ${bought}`],
        [bought.slice(-9), `order ${bought}`],
        ["INV-10.5", `order ${bought}`],
        [request!.request_id!, `request ${request!.request_id}`],
        [request!.idempotency_key!, `request ${request!.request_id}`],
        [event!.event_id!, `event ${event!.event_id}`],
        [`${withdrawal!.withdrawal_id}`, `withdrawal ${withdrawal!.withdrawal_id}`],
        [`${certificate!.fingerprint}`, `certificate ${certificate!.fingerprint}`],
        [`${name}`.slice(0, 5), `partner ${id()}`],
      ] as const
    ) assertEquals((await found(text)).includes(record), true, text);
    const ofPartner = itemsOf(await operator.done("order", "--partner", `${name}`.slice(0, 5)));
    assertEquals(ofPartner.at(-1)!.client_id, id());
    refused(await operator.gold("find", "INV-nothing"), 1, "Nothing was found for INV-nothing.");
  });

  it("why finds what a request wrote, and the refusal that is bound to its key", async () => {
    const { request } = await operator.done("order", sold) as Record<string, Record<string, string>>;
    const done = await operator.done("why", request!.request_id!);
    assertEquals([done.client_id, done.outcome, done.request], [id(), `done: ${sold}`, request]);
    const sale = JSON.stringify({ quote_id: await quote("sell", "900") });
    const refusal = await operator.service.signed("/v1/orders", sale);
    const { request_id } = await refusal.json() as { request_id: string };
    const refused = await operator.done("why", request_id);
    const outcome = "refused, and kept as the answer to its key: insufficient_gold: ";
    assertEquals(`${refused.outcome}`.slice(0, outcome.length), outcome);
    assertEquals((refused.request as Record<string, string>).signature, "verified");
  });

  it("order and why show a request whose signature does not verify", async () => {
    const { request } = await operator.done("order", bought) as Record<string, Record<string, string>>;
    await withoutTriggers(sql(), async (tx) => {
      await tx`update gold.idempotency_key set request = set_byte(request, length(request) - 5, 55)
        where request_id = ${request!.request_id!.slice(4)}`;
    });
    const shown = await operator.done("why", request!.request_id!);
    assertEquals((shown.request as Record<string, string>).signature, "NOT VALID");
  });

  it("why finds another refusal in a log, and says where it looked", async () => {
    const sent = await operator.service.send("/v1/quotes", { body: '{"side":"hold"}' });
    const { request_id } = await sent.json() as { request_id: string };
    refused(await operator.gold("why", request_id), 1, `Nothing in the books has the request ${request_id}.`);
    const log = join(await mkdtemp(join(tmpdir(), "why-")), "service.log");
    await writeFile(
      log,
      `node | {"at":"2026-01-01T00:00:00.000Z","event":"request","request_id":"${request_id}",` +
        '"method":"POST","route":"/v1/quotes","status":422,"code":"invalid_request","client_id":"sbx_1"}\n',
    );
    const { outcome, looked_in, lines } = await operator.done("why", request_id, "--log", log);
    assertEquals(
      [outcome, looked_in, (lines as unknown[]).length],
      ["refused with 422 invalid_request; this refusal is counted, not kept", `the books and ${log}`, 1],
    );
    const other = `req_${crypto.randomUUID()}`;
    refused(await operator.gold("why", other, "--log", log), 1, `Nothing in the books and ${log} has`);
    refused(await operator.gold("why", other, "--log", "/absent"), 2, "--log /absent cannot be read: ENOENT");
  });

  it("takes the end of an id, the beginning of a partner's name, and @last", async () => {
    for (const given of [bought, bought.slice(-8), `ord_…${bought.slice(-8)}`]) {
      const { order } = await operator.done("order", given);
      assertEquals((order as Record<string, string>).order_id, bought);
    }
    const { name } = await operator.done("partner show", id());
    assertEquals(
      (await operator.done("partner", "show", `${name}`.slice(0, 3).toLowerCase())).client_id,
      id(),
    );
    assertEquals((await operator.done("partner", "show", "@last")).client_id, id());
    assertEquals((await operator.done("order", "@last")).status, "executed");
    refused(await operator.gold("order", "ffffffff0000"), 1, "There is no order ffffffff0000");
    refused(await operator.gold("proposal", "show", "@last"), 1, "There is no proposal yet");
    await operator.service.addPartner();
    refused(
      await operator.gold("partner", "show", `${name}`.slice(0, 3)),
      1,
      "matches more than one partner",
    );
  });

  for (const columns of [80, 120]) {
    it(`prints no line that is wider than a terminal of ${columns} columns`, async () => {
      const screen = { columns, hasColor: false, now: new Date() };
      const partner = id();
      const read = [
        ...[
          "today",
          "inbox",
          "order",
          `order ${bought}`,
          "quote",
          "position",
          "stock",
          `statement ${partner}`,
        ],
        ...[
          `find ${partner}`,
          "day check",
          "partner list",
          `partner show ${partner}`,
          `event list ${partner}`,
        ],
        ...[
          `cert list ${partner}`,
          `signing-key list ${partner}`,
          "inventory",
          "deposit list",
          "withdrawal list",
        ],
        ...[
          "vault list",
          "price show",
          "market show",
          "operator list",
          "ca list",
          "proposal list",
          "audit list",
        ],
        ...[
          "audit verify",
          "ledger verify",
          "ledger heads",
          "db status",
          "order ord_none",
          "partner shwo",
          "--help",
        ],
      ];
      const help = COMMANDS.map(({ words }) => `${words} --help`);
      const wide: string[] = [];
      for (const command of [...read, ...help]) {
        const { out, err } = await runGold([command], { env: operator.env, screen, errorScreen: screen });
        const lines = `${out}\n${err}`.split("\n").filter((line) => widthOf(line) > columns);
        wide.push(...lines.map((line) => `${command}: ${line}`));
      }
      assertEquals(wide, []);
    });
  }

  it("shows pricing the trades, but no statement", async () => {
    const rows =
      await sql()`select has_function_privilege('gold_pricing', p.oid, 'execute') as may, p.proname from pg_proc p
      where p.pronamespace = 'gold'::regnamespace and p.proname in ('page_orders', 'list_postings') order by 2`;
    assertEquals(rows.map(({ proname, may }) => [proname, may]), [["list_postings", false], [
      "page_orders",
      true,
    ]]);
    const { login, env } = operator.colleague;
    await sql().unsafe(`revoke gold_operator from ${login}; grant gold_pricing to ${login}`);
    const { exit, json } = await runGold(["find", bought.slice(-9), "--json"], { env });
    assertEquals([exit, itemsOf(json)[0]!.id], [0, bought]);
  });
});
