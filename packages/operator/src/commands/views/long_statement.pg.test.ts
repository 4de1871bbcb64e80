import { readdir, readFile } from "node:fs/promises";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { bookManyFundings } from "@gold-partner/server/testing";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { until } from "../../../../../tools/testing/until.ts";
import { openConsole, type TestConsole } from "../../console/console_fixture.ts";
import { assertRefused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

const MANY = 100_001;
const BALANCES = 3;

describe("a statement of more than 100,000 records of one day", () => {
  let operator: TestOperator;
  let console: TestConsole;
  let person: Readonly<Record<string, string>>;
  /** How long the download of the whole statement took. */
  let wholeMs = 0;
  const id = () => operator.service.partner.clientId;
  before(async () => {
    operator = await testOperator();
    await bookManyFundings(operator.service.books.sql, operator.service.partner.client, MANY);
    console = await openConsole(operator.env);
    person = await console.enter();
  });
  after(async () => {
    await console.stop();
    await operator.stop();
  });

  const hide = () => operator.service.books.sql`alter function gold.list_postings rename to hidden_postings`;
  const unhide = () =>
    operator.service.books.sql`alter function gold.hidden_postings rename to list_postings`;
  const SUM = "1000.01";

  it("is JSON and CSV as a whole, and shows a person the first postings", async () => {
    const whole = await operator.done("statement", id());
    assertEquals(itemsOf(whole).length, MANY);
    assertEquals((whole.balances as Record<string, string>[])[1]!.available_sar, SUM);
    const file = operator.path("statement.csv");
    await operator.done("statement", id(), "--csv", file);
    const lines = (await readFile(file, "utf8")).split("\r\n");
    assertEquals(lines.length, 1 + BALANCES + MANY + BALANCES + 1);
    assertMatch(lines.at(-4)!, /^,,"closing_balance","available_sar",,1000\.01,/);
    const { out, err } = await operator.gold("statement", id());
    assertEquals(out.split("\n").filter((line) => line.includes("funding.completed")).length, 1_000);
    assertMatch(err, /Only the first 1000 postings are shown\. CSV and JSON have all\./);
  });

  it("is downloaded from the console in the same forms, and its page says that it shows the first", async () => {
    const { text } = await console.get(`/partner/${id()}/statement`, person);
    assertMatch(text, /Only the first 1000 postings are shown/);
    const startMs = Date.now();
    const csv = await console.get(`/partner/${id()}/statement.csv`, person);
    wholeMs = Date.now() - startMs;
    assertEquals(csv.text.split("\r\n").length, 1 + BALANCES + MANY + BALANCES + 1);
    const json = await console.get(`/partner/${id()}/statement.json`, person);
    assertEquals((JSON.parse(json.text) as { items: unknown[] }).items.length, MANY);
  });

  /** Begins a download, and resolves when its first bytes are here. */
  const download = (kind: string) =>
    new Promise<{ ended: Promise<boolean>; close: () => void }>((resolve, reject) => {
      const sent = request(new URL(`${console.base()}partner/${id()}/statement.${kind}`, console.origin), {
        headers: person,
      }, (reply) => {
        const ended = new Promise<boolean>((whole) => {
          reply.on("end", () => whole(reply.complete)).on("error", () => whole(false));
        });
        reply.once("data", () => resolve({ ended, close: () => sent.destroy() }));
      });
      sent.on("error", reject).end();
    });

  it("never looks whole if it breaks off", async () => {
    for (const kind of ["csv", "json"]) {
      const { ended } = await download(kind);
      await hide();
      assertEquals(await ended, false, kind);
      await unhide();
    }
    await hide();
    try {
      assertRefused(await operator.gold("statement", id(), "--csv", operator.path("none.csv")), 3, "");
    } finally {
      await unhide();
    }
    const files = await readdir(operator.path("."));
    assertEquals(files.filter((name) => name.startsWith("none.csv")), []);
  });

  it("is read no further when the browser leaves", async () => {
    /** Milliseconds since an instant until the newest page began to be read, or null while pages may follow. */
    const lastAfter = async (at: Date): Promise<number | null> => {
      const [row] = await operator.service.books.sql`
        select extract(epoch from max(query_start) - ${at.toISOString()}::text::timestamptz)::float8 * 1000 as ms,
          max(query_start) < clock_timestamp() - interval '2 seconds' as is_quiet
        from pg_stat_activity where query like '%list_postings%' and pid <> pg_backend_pid()`;
      return row!.is_quiet ? row!.ms : null;
    };
    const { close } = await download("csv");
    close();
    const left = new Date();
    let lastMs: number | null = null;
    await until(async () => (lastMs = await lastAfter(left)) !== null);
    assert(lastMs! < wholeMs / 2, `${lastMs} of ${wholeMs} ms`);
  });
});
