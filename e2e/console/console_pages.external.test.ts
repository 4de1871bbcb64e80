import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { findFreePort } from "@gold-partner/dev/postgres";
import { type Started, startUntilReady } from "@gold-partner/dev/testing";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { until } from "../../tools/testing/until.ts";
import { Caller } from "../contract/caller_fixture.ts";
import { launchBrowser, Typist } from "./browser_fixture.ts";

const AXE = fileURLToPath(
  new URL("../../.tools/lighthouse/node_modules/axe-core/axe.min.js", import.meta.url),
);
const WIDTHS = [1440, 1024] as const;
const LISTS = "/ /inbox /orders /quotes /partners /money /market /stock /people /audit /day /search?q=example"
  .split(" ");

describe("the pages of the console", () => {
  let folder: string;
  let started: Started;
  let browser: Browser;
  let person: Typist;
  let partner: Caller;
  let paths: readonly string[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-console-pages-"));
    started = await startUntilReady(folder, "--port", `${await findFreePort()}`, "--two-people");
    browser = await launchBrowser();
    const printed = () => /http:\/\/\S+\/open\/\S+/.exec(started.said())?.[0];
    await until(() => printed() !== undefined);
    person = await Typist.open(browser, printed()!);
    const [id] = (await readdir(join(folder, "partners"))) as [string];
    partner = await Caller.of(
      JSON.parse(await readFile(join(folder, "partners", id, "credentials.json"), "utf8")),
    );
    const hrefs = (form: string) =>
      person.page.locator(`main a[href^='${form}']`).first().getAttribute("href") as Promise<string>;
    const order = await hrefs("./order/ord_");
    await person.goto("/inbox");
    const withdrawal = await hrefs("./withdrawal/");
    await person.goto(order.slice(1));
    const records = [
      order,
      await hrefs("./event/"),
      await hrefs("./request/"),
      await hrefs("./partner/"),
      withdrawal,
    ];
    await person.goto("/audit");
    const forms = ["/do/deposit/record", "/do/partner/set", "/do/proposal/approve"];
    const found = [...records, await hrefs("./proposal/")].map((href) => href.slice(1));
    paths = [...LISTS, ...found, `/partner/${id}/statement`, ...forms];
  });
  after(async () => {
    await browser?.close();
    await started?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`have no accessibility violation, load nothing from another host, fit two widths: ${colorScheme}`, async () => {
      const axe = await readFile(AXE, "utf8");
      const found: string[] = [];
      await person.page.emulateMedia({ colorScheme });
      for (const path of paths) {
        await person.goto(path);
        await person.page.evaluate(axe);
        for (const width of WIDTHS) {
          await person.page.setViewportSize({ width, height: 900 });
          const place = `${path} ${width} ${colorScheme}`;
          const shown = await person.page.evaluate("document.documentElement.scrollWidth");
          if (shown !== width) found.push(`${place}: ${shown} wide`);
          const { violations } = await person.page.evaluate("axe.run()") as {
            violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[];
          };
          for (const { id, nodes } of violations) {
            found.push(
              ...nodes.map(({ target, failureSummary }) => `${place}: ${id} ${target}: ${failureSummary}`),
            );
          }
        }
      }
      assertEquals([found, person.complaints], [[], []]);
    });
  }

  it("show a new withdrawal and the price without a reload, and draw the charts", async () => {
    await person.goto("/");
    await person.page.locator(".chart canvas").nth(1).waitFor();
    const price = await person.page.locator(".figure p").first().innerText();
    const count = async () => Number(await person.page.locator("#waiting").innerText());
    const before = await count();
    assertEquals((await partner.call("createWithdrawal", { body: { amount_sar: 3 } })).status, 201);
    await until(async () => await count() === before + 1);
    await person.sees("3 SAR of Example Bank");
    await until(async () => await person.page.locator(".figure p").first().innerText() !== price);
  });

  it("notify a person who asked for it when something new waits, also behind another window", async () => {
    const link = (await readFile(join(folder, "console"), "utf8")).trim();
    const context = await browser.newContext();
    const page = await context.newPage();
    // A browser without a screen shows no notification, so this takes its place.
    await page.addInitScript(`
      window.told = [];
      window.Notification = class { constructor(title, { body }) { told.push(title + ": " + body); } };
      Notification.permission = "default";
      Notification.requestPermission = async () => Notification.permission = "granted";`);
    await page.goto(link);
    await page.goto(`${page.url()}inbox`);
    await page.locator("[data-notify]").click();
    await page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })");
    const count = Number(await page.locator("#waiting").innerText());
    assertEquals((await partner.call("createWithdrawal", { body: { amount_sar: 4 } })).status, 201);
    await until(async () => (await page.evaluate("told") as string[]).length > 0);
    assertEquals(await page.evaluate("told"), [`Gold: ${count + 1} waiting`]);
    await context.close();
  });

  it("have addresses that a colleague can open, and that work after a restart", async () => {
    const { page } = person;
    const [path] = paths.filter((one) => one.startsWith("/order/"));
    await page.goto(`${new URL(page.url()).origin}/${"0".repeat(32)}${path}`);
    await person.sees("The signed request");
  });

  it("print a statement with all its columns on a page of A4", async () => {
    const { page } = person;
    await person.goto(paths.find((one) => one.endsWith("/statement"))!);
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 700, height: 990 });
    const edges = await page.locator("th").evaluateAll((cells) =>
      cells.map((cell) =>
        (cell as unknown as { getBoundingClientRect(): { right: number } })
          .getBoundingClientRect().right
      )
    );
    assert(edges.length > 5 && Math.max(...edges) <= 700, `${edges}`);
    await page.emulateMedia({ media: "screen" });
  });

  it("work without scripts", async () => {
    const link = (await readFile(join(folder, "console"), "utf8")).trim();
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(link);
    await page.locator("main a[href^='./order/ord_']").first().click();
    assert((await page.locator("main").innerText()).includes("The signed request"));
    await page.locator("[name=q]").fill("example");
    await page.keyboard.press("Enter");
    await page.locator("main a[href^='./partner/']").first().click();
    assert((await page.locator("main").innerText()).includes("Balances"));
  });

  it("leave no trace of the link in the process list, the history or the referrer", async () => {
    const link = (await readFile(join(folder, "console"), "utf8")).trim();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    assertMatch(
      await page.evaluate("[document.referrer, history.length, location].join(' ')"),
      /^ 2 \S+\/[0-9a-f]{32}\/$/,
    );
    const used = await page.goto(link);
    assertEquals(used!.status(), 403);
    const lines = await Promise.all(
      (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map((pid) =>
        readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
      ),
    );
    assert(lines.some((line) => line.includes(process.argv[0]!)));
    assertEquals(lines.filter((line) => line.includes("/open/")), []);
  });

  it("open at an address that a colleague sent, and send no cookie to another port of this machine", async () => {
    await person.goto("/");
    const order = await person.page.locator("main a[href^='./order/ord_']").first().getAttribute("href");
    const { origin } = new URL(person.page.url());
    await person.page.goto(origin + order!.slice(1));
    await person.page.waitForURL(/\/[0-9a-f]{32}\/order\/ord_/);
    await person.sees("3. The signed request");
    const cookies: (string | undefined)[] = [];
    const other = createServer(({ headers, url }, reply) => {
      cookies.push(headers.cookie);
      reply.setHeader("content-type", "text/html");
      reply.end(url === "/" ? '<script>location.href = "/again"</script>' : "");
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    await person.page.goto(`http://127.0.0.1:${port}/`);
    await person.page.waitForURL("**/again");
    other.close();
    assertEquals(cookies.filter((cookie) => cookie !== undefined), []);
  });

  it("have empty forms for a person who follows the link of another site", async () => {
    await person.goto("/");
    const { page } = person;
    const { origin, pathname } = new URL(page.url());
    const webhook = page.locator("[name='--webhook']");
    const id = paths.find((path) => path.endsWith("/statement"))!.split("/")[2]!;
    const other = createServer(({ url }, reply) => {
      const to = `${origin}${decodeURIComponent(url!.slice(1))}?ID=${id}&--webhook=https://evil.example`;
      reply.setHeader("content-type", "text/html").end(`<a href="${to}">prize</a>`);
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    for (const path of ["/do/partner/set", `${pathname}do/partner/set`]) {
      await page.goto(`http://127.0.0.1:${port}/${encodeURIComponent(path)}`);
      await page.locator("a").click();
      await webhook.waitFor();
      assertEquals(await webhook.inputValue(), "", path);
    }
    other.close();
    await person.goto(`/partner/${id}`);
    await page.locator("a[href^='./do/partner/set']").click();
    assertEquals(await page.locator("[name=ID]").inputValue(), id);
  });

  it("end with the process: a cookie of before opens nothing at the same port", async () => {
    const { page } = person;
    await person.goto("/");
    const origin = new URL(page.url()).origin;
    await started.stop();
    started = await startUntilReady(
      folder,
      "--port",
      `${Number(new URL(started.run.base_url).port)}`,
      "--no-demo",
    );
    await until(() => started.said().includes("/open/"));
    assert(started.said().includes(`${origin}/open/`));
    const reply = await page.goto(`${origin}/`);
    assertEquals(reply!.status(), 403);
  });
});
