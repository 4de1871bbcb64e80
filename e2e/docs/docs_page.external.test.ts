import { execFile } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { ENDPOINTS, operationsOf, TOKEN_PROBLEM_REGISTRY } from "@gold-partner/protocol";
import { assert, assertEquals } from "@std/assert";
import { type Browser, chromium, type Page } from "playwright-core";
import type { Caller } from "../contract/caller_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const PAGES = [ENDPOINTS.getReference.path, ENDPOINTS.getErrorCatalogue.path];

/** A page in a browser, the URLs that it requested, and its console messages and errors. */
interface Visit {
  readonly page: Page;
  readonly requests: string[];
  readonly complaints: string[];
}

describe("the API reference in Chromium", () => {
  let stack: Stack;
  let browser: Browser;
  let forwarder: Server;
  let origin: string;

  before(async () => {
    await access(CHROMIUM).catch(() => {
      throw new Error(
        `This test needs Chromium, but ${CHROMIUM} does not exist. On Debian, install it with apt-get install chromium, ` +
          "or set CHROMIUM to the path of another Chromium.",
      );
    });
    stack = await Stack.open();
    forwarder = await openForwarder(stack.partner);
    origin = `http://localhost:${(forwarder.address() as AddressInfo).port}`;
    browser = await chromium.launch({ executablePath: CHROMIUM });
  });
  after(async () => {
    await browser?.close();
    forwarder?.close();
    await stack?.close();
  });

  async function visit(path: string, viewport: typeof DESKTOP): Promise<Visit> {
    const page = await browser.newPage({ viewport });
    const [requests, complaints]: [string[], string[]] = [[], []];
    page.on("request", (request) => requests.push(request.url()));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    const reply = await page.goto(origin + path, { waitUntil: "networkidle" });
    assertEquals(reply?.status(), 200);
    return { page, requests, complaints };
  }

  for (const [device, viewport] of [["desktop", DESKTOP], ["phone", PHONE]] as const) {
    it(`loads no other URL, logs nothing to the console and fits the width of a ${device}`, async () => {
      for (const path of PAGES) {
        const { page, requests, complaints } = await visit(path, viewport);
        assertEquals([requests, complaints], [[origin + path], []]);
        await page.locator("details").evaluateAll((all) =>
          all.forEach((one) => one.setAttribute("open", ""))
        );
        assertEquals(await page.evaluate("document.documentElement.scrollWidth"), viewport.width);
        const font = await page.evaluate("getComputedStyle(document.querySelector('pre, code')).fontFamily");
        assert(
          `${font}`.includes("monospace"),
          "the content security policy must allow the page's own style",
        );
        await page.close();
      }
    });
  }

  it("shows every operation with a request, a success reply and an error reply", async () => {
    const { page } = await visit("/docs", DESKTOP);
    const expected = operationsOf("sandbox").map((id) => `${ENDPOINTS[id].method} ${ENDPOINTS[id].path}`);
    const routes = await page.locator(".operation > .route").allInnerTexts();
    assertEquals(routes.toSorted(), expected.toSorted());
    for (const id of operationsOf("sandbox")) {
      const messages = await page.locator(`#${id} pre`).allInnerTexts();
      assert(messages.some((text) => text.startsWith(`${ENDPOINTS[id].method} /`)), id);
      assert(messages.some((text) => /^HTTP\/1\.1 20[01] /.test(text)), id);
      assert(messages.some((text) => /^HTTP\/1\.1 [45]\d\d /.test(text)), id);
    }
    await page.close();
  });

  it("links the contents to an operation, and the operation's error code to the error's entry", async () => {
    const { page } = await visit("/docs", PHONE);
    await page.getByRole("link", { name: "Contents" }).click();
    await page.getByRole("link", { name: "POST /v1/orders", exact: true }).click();
    assert(await page.locator("#createOrder h3").isVisible());
    await page.locator("#createOrder").getByRole("link", { name: "quote_expired" }).click();
    await page.waitForURL("**/docs/errors#quote_expired");
    const entry = await page.locator("#quote_expired").innerText();
    assert(entry.includes(TOKEN_PROBLEM_REGISTRY.quote_expired.title));
    await page.close();
  });

  it("opens at the base URL over mutual TLS, with a certificate in a PKCS#12 file", async () => {
    const { baseUrl, state, credentials: { cert, key } } = stack.running;
    const pfxPath = state.path("browser.p12");
    await promisify(execFile)("openssl", [
      ...["pkcs12", "-export", "-in", cert, "-inkey", key, "-passout", "pass:browser", "-out", pfxPath],
    ]);
    const context = await browser.newContext({
      // The demo's server CA is not in the browser's store.
      ignoreHTTPSErrors: true,
      clientCertificates: [{ origin: baseUrl, pfxPath, passphrase: "browser" }],
    });
    const page = await context.newPage();
    for (const path of ["", "/", "/docs/"]) {
      await page.goto(baseUrl + path);
      assertEquals(page.url(), `${baseUrl}/docs`);
      assertEquals(await page.locator("h1").innerText(), "Gold Trading Partner API");
    }
    await context.close();
  });
});

/** Opens a local HTTP server for the browser. It forwards each request with the partner's certificate. */
async function openForwarder(partner: Caller): Promise<Server> {
  const server = createServer(async (request, response) => {
    const reply = await partner.call("getReference", { target: request.url! });
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
  }).listen(0, "localhost");
  await once(server, "listening");
  return server;
}
