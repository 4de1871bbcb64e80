import { execFile } from "node:child_process";
import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ENDPOINTS, type OperationId, operationsOf, TOKEN_PROBLEM_REGISTRY } from "@gold-partner/protocol";
import { openDocs } from "@gold-partner/dev";
import { findFreePort } from "@gold-partner/dev/postgres";
import { assert, assertEquals } from "@std/assert";
import { type Browser, chromium, type Page } from "playwright-core";
import { placeOf } from "../../site/operation_page.ts";
import { until } from "../../tools/testing/until.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SITE = join(ROOT, "site", "dist", "www");
const TOOLS = join(ROOT, ".tools", "lighthouse", "node_modules");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const VIEWPORTS = {
  desktop: { width: 1440, height: 900 },
  laptop: { width: 1024, height: 768 },
  phone: { width: 390, height: 844 },
} as const;
const DEVICES = ["desktop", "laptop", "phone"] as const;
/** Pages of the reference were up to 41,833 pixels high when each showed a whole group. */
const HEIGHT_MAX = 4_000;
const OPERATIONS = operationsOf("sandbox");
const pageOf = (operation: OperationId) => `/${placeOf(operation).replace(/md$/, "html")}`;
const THEMES = ["light", "dark"] as const;
/** Pages of every kind: landing page, guide, conventions, group, operations, webhooks, errors, code, changelog. */
const KINDS = [
  "/",
  "/quickstart.html",
  "/reference/",
  "/reference/trading.html",
  "/reference/create_order.html",
  "/reference/get_statement.html",
  "/reference/webhooks.html",
  "/errors.html",
  "/examples/receiver/",
  "/changelog.html",
];
/** The dark theme differs in its colors alone. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];
const rulesOf = (theme: typeof THEMES[number]) => theme === "dark" ? { runOnly: COLOR_RULES } : {};
const SEARCHING_PAGES = 3;
const run = promisify(execFile);

describe("the documentation site", () => {
  let server: Awaited<ReturnType<typeof openDocs>>;
  let browser: Browser;
  let origin: string;

  before(async () => {
    await access(CHROMIUM);
    const runtime = "Deno" in globalThis ? ["run", "-A"] : [];
    await run(process.execPath, [...runtime, "tools/run.mjs", "site", "--if-changed"], { cwd: ROOT });
    const port = await findFreePort();
    const facts = () => ({
      baseUrl: "https://localhost:8443",
      clientId: "sbx_1",
      certificate: { subject: "O=Example Bank", validTo: "tomorrow" },
      credentials: "credentials.json",
      consoleLink: "console",
      steps: [{ step: "order", ms: 9, what: "signed" }],
      site: "built" as const,
    });
    server = await openDocs({ port, baseUrl: "https://localhost:8443", site: SITE, facts });
    origin = `http://localhost:${port}`;
    browser = await chromium.launch({ executablePath: CHROMIUM });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Opens a page, and collects its requests and everything that the browser reports about it. */
  async function visit(path: string, device: keyof typeof VIEWPORTS, theme: typeof THEMES[number]) {
    const context = await browser.newContext({ viewport: VIEWPORTS[device], colorScheme: theme });
    const page = await context.newPage();
    const [requests, complaints]: [string[], string[]] = [[], []];
    page.on("request", (request) => requests.push(request.url()));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on(
      "response",
      (reply) => reply.status() >= 400 && complaints.push(`${reply.status()} ${reply.url()}`),
    );
    await page.goto(origin + path, { waitUntil: "networkidle" });
    // The page's scripts give the switch of themes its title. A busy machine runs them later.
    await until(async () => await page.locator('.VPSwitchAppearance[title=""]').count() === 0);
    return { page, requests, complaints, close: () => context.close() };
  }

  const pages = async () =>
    (await readdir(SITE, { recursive: true, encoding: "utf8" })).filter((name) => name.endsWith(".html"));

  it("runs no inline code but the scripts whose hashes its policy names, on every page", async () => {
    const names = await pages();
    assert(names.length > 40);
    for (const name of names) {
      const html = await readFile(join(SITE, name), "utf8");
      const [, policy = ""] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
      assert(/^default-src 'none'; script-src 'self'( 'sha256-[A-Za-z0-9+/=]{44}')+; /.test(policy), name);
      assertEquals(/unsafe|https?:|\*/.exec(policy)?.[0], undefined, name);
      // Code on a page may contain such text, but there its quotes are entities.
      assertEquals(/<[^>]* (style|on[a-z]+)="/.exec(html)?.[0], undefined, name);
    }
  });

  it("has no broken link on any page, also without JavaScript", async () => {
    const links = new Set<string>();
    for (const name of await pages()) {
      const html = await readFile(join(SITE, name), "utf8");
      for (const [, link] of html.matchAll(/<a [^>]*?href="(\/[^"]*)"/g)) links.add(link!);
    }
    assert(links.size > 100);
    // Every link must end in a slash or in a file's ending. This server also finds pages without it, but
    // other web servers may not.
    const bare = [...links].filter((link) => !/(?:\/|\.[a-z]+)(?:#.*)?$/.test(link));
    assertEquals(bare, []);
    const texts = new Map<string, string>();
    for (const link of links) {
      const [path = "", anchor] = link.split("#");
      if (!texts.has(path)) {
        const reply = await fetch(origin + path);
        assertEquals(reply.status, 200, link);
        texts.set(path, await reply.text());
      }
      if (anchor) assert(texts.get(path)!.includes(`id="${decodeURIComponent(anchor)}"`), link);
    }
  });

  it("shows its own page for an unknown address", async () => {
    const reply = await fetch(`${origin}/nowhere`);
    assertEquals([reply.status, /<title>404/.test(await reply.text())], [404, true]);
  });

  it("has the header at the same place on every kind of page", async () => {
    const places = new Set<number>();
    for (const path of ["/quickstart.html", "/reference/create_order.html", "/reference/"]) {
      const { page, close } = await visit(path, "desktop", "light");
      const { x, width } = (await page.locator(".VPNavBar .VPNavBarAppearance").boundingBox())!;
      places.add(x + width);
      await close();
    }
    assertEquals(places.size, 1);
  });

  for (const path of [...KINDS, "/start"]) {
    it(`has no accessibility violation, loads nothing from another host and fits every width: ${path}`, async () => {
      for (const theme of THEMES) {
        const { page, requests, complaints, close } = await visit(path, "desktop", theme);
        // Run axe with evaluate(), which the page's policy does not restrict. The policy would block a
        // script tag.
        await page.evaluate(await readFile(join(TOOLS, "axe-core", "axe.min.js"), "utf8"));
        for (const device of DEVICES) {
          await page.setViewportSize(VIEWPORTS[device]);
          const place = `${path} ${device} ${theme}`;
          assertEquals(
            await page.evaluate("document.documentElement.scrollWidth"),
            VIEWPORTS[device].width,
            place,
          );
          const { violations } = await page.evaluate(`axe.run(${JSON.stringify(rulesOf(theme))})`) as {
            violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[];
          };
          const found = violations.flatMap(({ id, nodes }) =>
            nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`)
          );
          assertEquals(found.slice(0, 5), [], place);
        }
        assertEquals([requests.filter((url) => !url.startsWith(`${origin}/`)), complaints], [[], []]);
        await close();
      }
    });
  }

  const results = (page: Page) =>
    page.locator("#localsearch-list a").evaluateAll((all) => all.map((one) => one.getAttribute("href")!));

  /** Types the words, and waits for their results. */
  async function search(page: Page, words: string): Promise<string[]> {
    await page.locator("#localsearch-input").fill("");
    while ((await results(page)).length > 0) await page.waitForTimeout(20);
    await page.locator("#localsearch-input").fill(words);
    await until(async () => (await results(page)).length > 0);
    return await results(page);
  }

  it("has a search that finds each error code, and each operation first by its path and name", async () => {
    const lost: string[] = [];
    // Two operations can have one path. Then one of them is first.
    const pagesOfPath = (path: string) =>
      OPERATIONS.filter((one) => ENDPOINTS[one].path === path).map(pageOf);
    const targets = [
      ...Object.keys(TOKEN_PROBLEM_REGISTRY).map((code) => ({
        words: code,
        pages: [`/errors.html#${code}`],
        isFirst: true,
      })),
      { words: "last-event-id", pages: [pageOf("streamEvents")], isFirst: true },
      { words: "place order", pages: [pageOf("createOrder")], isFirst: true },
      ...["order", "withdrawals", "price", "quote", "events", "token"].map((words) => ({
        words,
        pages: OPERATIONS.map(pageOf),
        isFirst: true,
      })),
      ...OPERATIONS.flatMap((operation) => {
        const { summary, method, path } = ENDPOINTS[operation];
        const spoken = operation.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
        return [
          ...[summary, operation, spoken, `${method} ${path}`].map((words) => ({
            words,
            pages: [pageOf(operation)],
            isFirst: true,
          })),
          { words: path, pages: pagesOfPath(path), isFirst: true },
        ];
      }),
    ];
    const queue = targets.values();
    // A page waits most of the time until its reader has stopped typing, so several pages search at once.
    await Promise.all(Array.from({ length: SEARCHING_PAGES }, async () => {
      const { page, close } = await visit("/", "desktop", "light");
      // The page hears the key only after its scripts have run.
      await until(async () => {
        await page.keyboard.press("/");
        return await page.locator("#localsearch-input").isVisible();
      });
      for (const { words, pages, isFirst } of queue) {
        const places = await search(page, words);
        const at = places.findIndex((place) => pages.some((one) => place.startsWith(one)));
        if (at < 0 || (isFirst && at > 0)) lost.push(`${words}: ${places.slice(0, 3)}`);
      }
      await close();
    }));
    assertEquals(lost, []);
  });

  it("has a start page whose form opens the search, and whose buttons copy the commands", async () => {
    const { page, complaints, close } = await visit("/start", "desktop", "light");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const commands = await page.locator("pre").allInnerTexts();
    const buttons = page.getByRole("button", { name: "Copy", exact: true });
    assertEquals(await buttons.count(), commands.length);
    await buttons.first().click();
    await until(async () => await page.getByRole("button", { name: "Copied" }).count() === 1);
    assertEquals(await page.evaluate("navigator.clipboard.readText()"), commands[0]);
    await page.getByRole("searchbox").fill("quote_expired");
    await page.getByRole("button", { name: "Search" }).click();
    await until(async () => (await results(page))[0] === "/errors.html#quote_expired");
    assertEquals(complaints, []);
    await close();
  });

  it("shows an order and its reply on the first screen, and leads to each operation with one click", async () => {
    const { page, close } = await visit("/", "desktop", "light");
    const { order_id } = ENDPOINTS.createOrder.reply.examples.buy as { order_id: string };
    const [request, reply] = [page.getByText("POST /v1/orders HTTP/1.1"), page.getByText(order_id)];
    assert(await request.isVisible() && await reply.isVisible());
    for (const block of await page.locator(".first pre").all()) {
      const { y, height } = (await block.boundingBox())!;
      assert(y + height <= VIEWPORTS.desktop.height, `The first screen ends above ${y + height}.`);
    }
    // The words and the request fill the column beside the reply.
    const boxes = await page.locator(".first > [class*=language-]").evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom }))
    );
    assert(boxes[1]!.top < boxes[0]!.top && Math.abs(boxes[1]!.bottom - boxes[0]!.bottom) < 20);
    for (const operation of OPERATIONS) {
      await page.locator(`main a[href="${pageOf(operation)}"]`).click();
      await page.waitForURL(`**${pageOf(operation)}`);
      const route = await page.locator(".route").innerText();
      assert(route.includes(`${ENDPOINTS[operation].method} ${ENDPOINTS[operation].path}`), route);
      // The sidebar leads from here to every other operation, and the outline to each part of the page.
      assertEquals(
        await page.locator(".VPSidebar a[href^='/reference/'] .method").count(),
        OPERATIONS.length,
      );
      assert((await page.locator(".VPDocAsideOutline a").allInnerTexts()).includes("Errors"));
      await page.goBack();
      await page.waitForURL(`${origin}/`);
    }
    await close();
  });

  it("has operations whose code fits its column, with patterns and fields of fields folded", async () => {
    const { page, close } = await visit("/", "desktop", "light");
    for (const operation of OPERATIONS) {
      for (const device of DEVICES) {
        await page.setViewportSize(VIEWPORTS[device]);
        await page.goto(origin + pageOf(operation));
        const wide = await page.locator("pre").evaluateAll((all) =>
          all.filter((one) => one.scrollWidth > one.clientWidth).length
        );
        assertEquals([wide, await page.locator("details[open]").count()], [0, 0], `${operation} ${device}`);
        const height = await page.evaluate("document.documentElement.scrollHeight") as number;
        assert(device !== "desktop" || height < HEIGHT_MAX, `${operation}: ${height}`);
      }
    }
    await close();
  });

  it("has each page as Markdown without tags, and lists it in llms.txt", async () => {
    const list = await (await fetch(`${origin}/llms.txt`)).text();
    assert(/^# Gold Trading Partner API\n\n> .+\n\n## /.test(list));
    const lines = [...list.matchAll(/^- \[.+\]\((.+)\): .+\.$/gm)].map(([, place]) => place!.slice(1));
    const names = (await pages()).filter((name) => name !== "404.html").map((name) =>
      name.replace(/html$/, "md")
    );
    assertEquals(lines.toSorted(), names.toSorted());
    for (const name of names) {
      const reply = await fetch(`${origin}/${name}`);
      const text = await reply.text();
      assertEquals(
        [reply.status, reply.headers.get("content-type")],
        [200, "text/markdown; charset=utf-8"],
        name,
      );
      const words = text.replaceAll(/^ *```[^]*?^ *```$/gm, "");
      assertEquals(/^ *(<|:::|---$)/m.exec(words)?.[0], undefined, name);
      assert(text.includes("# "), name);
    }
    for (const operation of OPERATIONS) {
      const { method, path, summary } = ENDPOINTS[operation];
      const line = list.split("\n").find((one) => one.includes(`(/${placeOf(operation)})`))!;
      assert(line.startsWith(`- [${summary}]`) && line.includes(`${method} \`${path}\``), line);
    }
  });
});
