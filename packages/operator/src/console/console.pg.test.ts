import { existsSync, readdirSync, readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";
import { itemsOf, type TestOperator, testOperator } from "../commands/fixture.ts";
import { askWithdrawal } from "../commands/money/withdrawal_fixture.ts";
import { openConsole, type TestConsole } from "./console_fixture.ts";
import { csvOf } from "../csv.ts";
import { AUDIT_SENTENCES } from "./texts.ts";

const MARKUP = `<script>alert(1)</script>" onload="x`;
const FORM = /name="form"\s+value="([^"]+)"/;

describe("gold console", () => {
  let operator: TestOperator;
  let console: TestConsole;
  let person: Readonly<Record<string, string>>;
  const id = () => operator.service.partner.clientId;

  before(async () => {
    operator = await testOperator();
    await operator.service.books.addBar(10_000_000n);
    await operator.service.send("/sandbox/fund", { body: '{"amount_sar":100000}' });
    await operator.done("partner", "set", id(), "--name", MARKUP);
    console = await openConsole(operator.env);
    person = await console.enter();
  });
  after(async () => {
    await console.stop();
    await operator.stop();
  });

  const page = async (path: string) => (await console.get(path, person)).text;
  /** The token of the first form of a page. */
  const formOf = async (path: string) => FORM.exec((await page(path)).replace(/[^]*<main/, ""))![1]!;

  it("opens for the browser with the one-time link, and for no other", async () => {
    assertEquals((await stat(console.linkFile)).mode & 0o777, 0o600);
    assertEquals((await console.get("/", person)).status, 200);
    for (
      const path of ["/", "/orders", "/assets/htmx.js", `/partner/${id()}`, "/series.json", "/do/price/set"]
    ) {
      const { status, text } = await console.get(path);
      assertEquals([status, text.includes("Open the console with the link")], [403, true], path);
    }
    // Outside the secret path, no cookie helps, and the page has nothing but what finds the path in this browser.
    const outside = await console.get("/stock", person, "/");
    assertEquals([outside.status, outside.text.includes("localStorage.getItem")], [403, true]);
    assertEquals(await console.enter(), {});
    const next = await console.nextLink();
    assert(next !== console.link);
    assertEquals(await console.enter(`${next.slice(0, -1)}x`), {});
    assertEquals((await console.get("/", await console.enter(next))).status, 200);
  });

  it("answers under no other name, so that no foreign page reads it (DNS rebinding)", async () => {
    for (
      const host of [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost.evil",
        "10.0.0.1",
      ]
    ) {
      const { status, text } = await console.get("/", { ...person, host });
      assertEquals([status, text], [403, "The console answers only at 127.0.0.1 and localhost."], host);
    }
    assertEquals((await console.get("/", { ...person, host: "localhost:9000" })).status, 200);
  });

  it("does nothing for a form of another site, or for one that was sent before", async () => {
    const wd = await askWithdrawal(operator, 100n);
    const form = await formOf(`/withdrawal/${wd}`);
    const fields = { form, WD: wd };
    for (const origin of ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"]) {
      const { status } = await console.post("/do/withdrawal/reject", fields, { ...person, origin });
      assertEquals(status, 403, origin);
    }
    assertEquals((await console.post("/do/withdrawal/reject", { WD: wd }, person)).status, 422);
    const asked = await console.post("/do/withdrawal/reject", fields, person);
    assertStringIncludes(asked.text, `Reject ${wd}`);
    const replayed = await console.post("/do/withdrawal/reject", fields, person);
    assertStringIncludes(replayed.text, "This form was already sent");
    const [row] = itemsOf(await operator.done("withdrawal", "list")).filter((one) =>
      one.withdrawal_id === wd
    );
    assertEquals(row!.status, "pending_approval");
  });

  it("asks what the command asks, and does it only with the answer to that question", async () => {
    const wd = await askWithdrawal(operator, 100n);
    const send = async (more: Readonly<Record<string, string>>) =>
      await console.post("/do/withdrawal/reject", {
        form: await formOf(`/withdrawal/${wd}`),
        WD: wd,
        ...more,
      }, person);
    const changed = (await send({ question: "another", answer: "yes" })).text;
    assertStringIncludes(changed, "This has changed since you read it.");
    // The page asks only the question that is left, so the person can answer it.
    const [question, ...others] = [...changed.matchAll(/name="question"\s+value="([^"]+)"/g)].map((one) =>
      one[1]!
    );
    assertEquals(others, []);
    const done = await send({ question: question!, answer: "yes" });
    assertEquals(done.status, 303);
    assertStringIncludes((await console.get(`${done.headers.location}`, person, "")).text, wd);
  });

  it("asks before an action of one click", async () => {
    const { deposit_id: DEP } = await operator.done(
      ...["deposit", "record", id(), "--amount", "10", "--bank-ref", "R-77"],
    ) as { deposit_id: string };
    const asked = await console.post(
      "/do/deposit/approve",
      { form: await formOf(`/deposit/${DEP}`), DEP },
      person,
    );
    assertStringIncludes(asked.text, `Approve ${DEP}: 10 SAR for`);
    assertStringIncludes(await page(`/deposit/${DEP}`), "recorded");
  });

  it("takes no answer for another list than the one that was shown", async () => {
    await operator.gold("withdrawal", "approve");
    const [kept, gone] = [await askWithdrawal(operator, 100n), await askWithdrawal(operator, 200n)];
    const send = async (more: Readonly<Record<string, string>> = {}) =>
      await console.post(
        "/do/withdrawal/approve",
        { form: await formOf("/do/withdrawal/approve"), ...more },
        person,
      );
    const question = /name="question"\s+value="([^"]+)"/.exec((await send()).text)![1]!;
    await operator.done("withdrawal", "reject", gone);
    const swapped = await askWithdrawal(operator, 200n);
    assertStringIncludes((await send({ question, answer: "yes" })).text, "Yes, do this");
    const rows = itemsOf(await operator.done("withdrawal", "list", "--status", "pending_approval"));
    assertEquals(rows.map(({ withdrawal_id }) => withdrawal_id).toSorted(), [kept, swapped].toSorted());
  });

  it("gives a cookie that a browser sends to no other path, so to no server at another port", async () => {
    const { headers } = await console.get(new URL(await console.nextLink()).pathname, {}, "");
    const [cookie] = headers["set-cookie"]!;
    assert(/; Path=\/[0-9a-f]{32}\/; HttpOnly; SameSite=Strict$/.test(cookie!), cookie);
    assertEquals(cookie!.includes(`Path=${headers.location};`), true);
  });

  it("shows a new secret once", async () => {
    const form = await formOf(`/do/secret/rotate?ID=${id()}`);
    let reply = await console.post("/do/secret/rotate", { form, ID: id() }, person);
    for (let n = 0; n < 2 && reply.status === 200; n++) {
      const question = /name="question"\s+value="([^"]+)"/.exec(reply.text)![1]!;
      const again = FORM.exec(reply.text.replace(/[^]*<main/, ""))![1]!;
      reply = await console.post(
        "/do/secret/rotate",
        { form: again, ID: id(), question, answer: "yes" },
        person,
      );
    }
    assertEquals(reply.status, 303, reply.text);
    const shown = await console.get(reply.headers.location!, person, "");
    assertStringIncludes(shown.text, "Client secret");
    assertEquals((await console.get(reply.headers.location!, person, "")).status, 404);
  });

  it("shows each notice of a change on a line of its own", async () => {
    const { iban } = await operator.done("partner", "show", id());
    const { sql, createClient } = operator.service.books;
    const [other] = await sql`
      update gold.partner set iban = 'SA4420000001234567891234' where id = ${await createClient()} returning public_id`;
    const ID: string = other!.public_id;
    const fields = { ID, "--iban": `${iban}`, "--webhook": "https://nowhere.invalid/" };
    const send = async (answer: Readonly<Record<string, string>> = {}) =>
      await console.post(
        "/do/partner/set",
        { form: await formOf(`/do/partner/set?ID=${ID}`), ...fields, ...answer },
        person,
      );
    const question = /name="question"\s+value="([^"]+)"/.exec((await send()).text)![1]!;
    const done = await send({ question, answer: "yes" });
    assertEquals(done.status, 303, done.text);
    const { text } = await console.get(done.headers.location!, person, "");
    const notices = [...text.matchAll(/<p class="note" dir="ltr">([^<]*)<\/p>/g)].map(([, notice]) =>
      notice!
    );
    assertEquals(notices.map((notice) => notice.split(" ")[0]), ["The", "--webhook"], text);
    assert(!text.includes("\\u{a}"));
  });

  it("leaves no folder and no link file behind, also if its port is taken", async () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = temporaryFolder("gold-console-tmp");
    try {
      const other = await openConsole(operator.env);
      const own = basename(dirname(other.linkFile));
      const left = () => readdirSync(process.env.TMPDIR!).filter((name) => name !== own);
      assertEquals(left().length, 1);
      await other.stop();
      assertEquals([left(), existsSync(other.linkFile)], [[], false]);
      const { port } = new URL(console.link);
      const taken = await operator.gold("console", "--port", port);
      assertEquals([taken.exit, taken.problem.detail.includes("is in use"), left()], [2, true, []]);
      const noFolder = await operator.gold("console", "--port", "0", "--link-file", "/nowhere/at/all");
      assertEquals([noFolder.exit, left()], [2, []], noFolder.err);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });

  it("refuses a request that no page sends, and goes on", async () => {
    const form = await formOf("/do/deposit/record");
    const odd = await console.post("/do/deposit/record", {
      form,
      __proto__x: "1",
      constructor: "2",
      ID: "--yes",
    }, person);
    assertEquals(odd.status, 422);
    const broken = await console.post("/do/deposit/record", {}, {
      ...person,
      "content-type": "multipart/form-data",
    });
    assertEquals(broken.status, 400);
    assertEquals((await console.get("/done/none", person)).status, 404);
    assertEquals((await console.get("/do/no/thing", person)).status, 404);
    assertEquals((await console.get("/", person)).status, 200);
  });

  it("shows a foreign text as text, on every page", async () => {
    const order = await trade();
    const paths = [
      ..."/ /inbox /orders /quotes /partners /money /market /stock /people /audit /day".split(" "),
      `/partner/${id()}`,
      `/partner/${id()}/statement`,
      `/order/${order}`,
      `/order/${order.replace("ord_", "qt_")}`,
      `/search?q=${encodeURIComponent(MARKUP)}`,
      `/do/partner/set?ID=${encodeURIComponent(MARKUP)}`,
      `/partners/${encodeURIComponent(MARKUP)}`,
    ];
    for (const path of paths) {
      const { text, status, headers } = await console.get(path, person);
      assertEquals(status, path.startsWith("/partners/") ? 404 : 200, path);
      assert(!text.includes("<script>alert") && !text.includes('" onload'), path);
      const nonce = /'nonce-([^']+)'/.exec(`${headers["content-security-policy"]}`)![1]!;
      const scripts = [...text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
      assertEquals(scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`)), [], path);
    }
    assertStringIncludes(await page(`/partner/${id()}`), "&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  it("exports no text that a spreadsheet would run", async () => {
    const rows = [{ name: "=cmd|' /C calc'!A0", change: "-3.5", about: 'a ;+1, "2"' }, {
      name: "@x",
      change: null,
    }];
    const parts: string[] = [];
    for await (const part of csvOf([rows], ["name", "change", "about"])) parts.push(part);
    assertEquals(
      parts.join(""),
      `\uFEFFname,change,about\r\n"'=cmd|' /C calc'!A0",-3.5,"a ;'+1, ""2"""\r\n"'@x",,\r\n`,
    );
    const { text, headers } = await console.get(`/partner/${id()}/statement.csv`, person);
    assertEquals(headers["content-type"], "text/csv; charset=utf-8");
    assertStringIncludes(text, "posted_at,id,type,account,change,balance_after");
  });

  it("finds a record by its id, and links to its page", async () => {
    const order = await trade();
    assertStringIncludes(await page(`/search?q=${order.slice(-9)}`), `href="./order/${order}"`);
    const [certificate] = itemsOf(await operator.done("cert", "list", id()));
    assertStringIncludes(await page(`/search?q=${certificate!.fingerprint}`), `href="./partner/${id()}"`);
    assertStringIncludes(await page("/search?q=nothing"), "Nothing was found");
  });

  it("has a sentence for each kind of audit row", async () => {
    const folder = fileURLToPath(new URL("../../../server/src/", import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".sql")
    );
    const written = files.flatMap((name) =>
      Array.from(
        readFileSync(join(folder, name), "utf8").matchAll(/\bnote(?:_as\(actor, |\()'([a-z_]+\.[a-z_]+)'/g),
        ([, action]) => action!,
      )
    );
    assert(written.length > 50);
    assertEquals(written.filter((action) => AUDIT_SENTENCES[action] === undefined), []);
  });

  it("says what is missing, and no more, once a role was taken away", async () => {
    const { login } = operator.colleague;
    const other = await openConsole(operator.colleague.env);
    try {
      const cookie = await other.enter();
      assertEquals((await other.get(`/partner/${id()}/statement`, cookie)).status, 200);
      await operator.service.books.sql.unsafe(
        `revoke gold_operator from ${login}; grant gold_pricing to ${login}`,
      );
      const statement = await other.get(`/partner/${id()}/statement`, cookie);
      assertEquals(statement.status, 403);
      assertStringIncludes(statement.text, `which the login ${login} does not have`);
      await operator.service.books.sql.unsafe(
        `revoke gold_pricing from ${login}; alter role ${login} nologin`,
      );
      // While its requests are being answered.
      const asked = Array.from({ length: 8 }, () => other.get("/", cookie));
      await operator.service.books
        .sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${login}`;
      await Promise.all(asked);
      for (const path of ["/", "/waiting", "/series.json"]) {
        const { status, text } = await other.get(path, cookie);
        assertEquals([status >= 400, text.includes("Position")], [true, false], path);
      }
    } finally {
      await other.stop();
    }
  });

  async function trade(): Promise<string> {
    const { service } = operator;
    const quoted = await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":0.5}' });
    const { quote_id } = await quoted.json() as { quote_id: string };
    const executed = await service.signed("/v1/orders", JSON.stringify({ quote_id }));
    const { order_id } = await executed.json() as { order_id: string };
    return order_id;
  }
});
