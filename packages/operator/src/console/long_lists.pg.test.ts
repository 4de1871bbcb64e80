import { after, before, describe, it } from "node:test";
import { withoutTriggers } from "@gold-partner/server/testing";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { itemsOf, type TestOperator, testOperator } from "../commands/fixture.ts";
import { openConsole, type TestConsole } from "./console_fixture.ts";

const DEPOSITS = 30_000;
const FIELDS = 100_000;

describe("the console with many deposits", () => {
  let operator: TestOperator;
  let console: TestConsole;
  let person: Readonly<Record<string, string>>;

  before(async () => {
    operator = await testOperator();
    // Half of them wait for an approval. Some have the same instant.
    await withoutTriggers(operator.service.books.sql, (tx) =>
      tx`
        insert into gold.deposit (bucket, client_id, id, amount, bank_reference, recorded_at, recorded_by, approved_at, approved_by)
        select ${operator.service.partner.client} % 64, ${operator.service.partner.client}, gen_random_uuid(), n, 'R-' || n,
          now() - n / 3 * interval '1 second', 'one', case when n % 2 = 0 then now() end, case when n % 2 = 0 then 'two' end
        from generate_series(1, ${DEPOSITS}::int) n`);
    console = await openConsole(operator.env);
    person = await console.enter();
  });
  after(async () => {
    await console.stop();
    await operator.stop();
  });

  it("lists them in pages, which name their limit", async () => {
    const first = await operator.gold("deposit", "list");
    assertMatch(first.err, /These are the newest 100\. .* --after dep_/);
    const found: unknown[] = [];
    for (let next: string[] = [];;) {
      const page = await operator.done("deposit", "list", "--limit", "12000", ...next);
      found.push(...itemsOf(page).map(({ deposit_id }) => deposit_id));
      if (page.next === undefined) break;
      next = ["--after", `${page.next}`];
    }
    assertEquals([found.length, new Set(found).size], [DEPOSITS, DEPOSITS]);
    assertEquals((await operator.gold("deposit", "list", "--after", "dep_x")).exit, 1);
  });

  it("shows at most 50 of a list, and the next ones behind a link", async () => {
    const linksOf = (text: string) =>
      [...text.matchAll(/href="\.\/deposit\/(dep_[^"]+)"/g)].map(([, deposit]) => deposit!);
    const { text } = await console.get("/money", person);
    assertEquals(linksOf(text).length, 100);
    assertStringIncludes(text, "At most 50 rows, the newest first.");
    const [, more] = /href="\.(\/money\?list=recorded&[^"]+)"/.exec(text)!;
    const second = (await console.get(more!.replaceAll("&amp;", "&"), person)).text;
    assertEquals(linksOf(second).length, 50);
    assertEquals(linksOf(text).filter((deposit) => linksOf(second).includes(deposit)), []);
  });

  it("keeps each page small although all of them wait", async () => {
    const { text } = await console.get("/inbox", person);
    assert(text.length < 200_000, `${text.length}`);
    assertStringIncludes(text, "more of these wait");
    const day = await operator.done("day", "check");
    const [last] = itemsOf(day).filter(({ point }) => point === "deposits to approve").slice(-1);
    assertStringIncludes(`${last!.detail}`, "more of these wait");
  });

  it("refuses a form with too many fields or lines before it reads them", async () => {
    const path = "/do/withdrawal/approve";
    const boundary = "b";
    const type = { "content-type": `multipart/form-data; boundary=${boundary}` };
    const part = (name: string, value: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const bodies = [
      { body: "WD=a&".repeat(FIELDS), headers: {} },
      { body: part("W", "").repeat(FIELDS / 8) + `--${boundary}--`, headers: type },
      { body: "x=1&".repeat(2_000), headers: {} },
    ];
    for (const { body, headers } of bodies) {
      const { status, text } = await console.send(path, body, { ...person, ...headers });
      assertEquals([status, text.startsWith("A form has at most 1000 fields and lines.")], [413, true], text);
    }
    const [, form] = /name="form"\s+value="([^"]+)"/.exec((await console.get(path, person)).text)!;
    const lines = await console.post(path, { form: form!, WD: "wd_1\n".repeat(FIELDS) }, person);
    assertEquals(lines.status, 413);
    // The console closes the connection of a body that it does not read.
    const large = await console.send(path, "x".repeat(1_000_001), { ...person, connection: "close" });
    assertEquals([large.status, large.text.startsWith("A form has at most 1000000 bytes.")], [413, true]);
    assertEquals((await console.get("/", person)).status, 200);
  });
});
