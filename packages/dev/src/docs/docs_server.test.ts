import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { findFreePort } from "../postgres/mod.ts";
import { openDocs } from "./docs_server.ts";
import type { StartFacts } from "./start_page.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

const FACTS: StartFacts = {
  baseUrl: "https://localhost:8443",
  clientId: "sbx_0123",
  certificate: { subject: "O=Example Bank, CN=sbx_0123", validTo: "Nov 22 2027" },
  credentials: ".gold/partners/sbx_0123/credentials.json",
  consoleLink: ".gold/console",
  steps: [{ step: "order", ms: 12.4, what: "signed; executed <ord_1>" }],
  site: "building",
};

describe("openDocs()", () => {
  const folder = temporaryFolder("gold-docs");
  let port: number;
  let server: Awaited<ReturnType<typeof openDocs>>;

  before(async () => {
    await writeFile(join(folder, "secret.txt"), "outside");
    port = await findFreePort();
    const plan = { port, baseUrl: FACTS.baseUrl, site: join(folder, "www"), facts: () => FACTS };
    server = await openDocs(plan);
  });
  after(() => server?.close());

  async function send(path: string, headers: Record<string, string> = {}, method = "GET") {
    const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) =>
      request(
        { host: "127.0.0.1", port, path, method, headers: { Host: `localhost:${port}`, ...headers } },
        resolve,
      )
        .on("error", reject).end()
    );
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  it("shows the demo partner and the steps on its start page, and redirects / to it while the site is not built", async () => {
    const { status, body, headers } = await send("/start");
    assertEquals([status, headers["content-type"]], [200, "text/html; charset=utf-8"]);
    assertMatch(
      `${headers["content-security-policy"]}`,
      /^default-src 'none'; .*; form-action 'self'; script-src 'sha256-[^']{44}'; frame-ancestors 'none'$/,
    );
    for (const shown of ["sbx_0123", "Nov 22 2027", "being built", "executed &lt;ord_1&gt;", "12 ms"]) {
      assertStringIncludes(body, shown);
    }
    for (
      const next of [
        "-- doctor --credentials",
        "-- quote buy",
        "-- listen",
        "-- trigger",
        "cat .gold/console",
      ]
    ) {
      assertStringIncludes(body, next);
    }
    assertStringIncludes(body, "docs/quickstart.md", "While the site is not built, no link leads to it.");
    const { status: moved, headers: { location } } = await send("/");
    assertEquals([moved, location], [302, "/start"]);
  });

  it("serves the service's own pages without a certificate", async () => {
    for (const path of ["/docs", "/docs/", "/docs/errors", "/openapi.json"]) {
      assertEquals((await send(path)).status, 200, path);
    }
    assertStringIncludes((await send("/docs")).body, FACTS.baseUrl);
  });

  it("serves the built site, and nothing outside its folder", async () => {
    await mkdir(join(folder, "www", "assets"), { recursive: true });
    await writeFile(join(folder, "www", "index.html"), "<p>site</p>");
    await writeFile(join(folder, "www", "assets", "a.js"), "1");
    const index = await send("/");
    assertEquals([index.status, index.body, index.headers["cache-control"]], [
      200,
      "<p>site</p>",
      "no-cache",
    ]);
    await writeFile(join(folder, "www", "guide.html"), "<p>guide</p>");
    for (const path of ["/guide", "/guide.html", "/guide?a=1"]) {
      assertEquals((await send(path)).body, "<p>guide</p>", path);
    }
    const script = await send("/assets/a.js", { "Accept-Encoding": "gzip" });
    assertEquals([script.status, script.headers["content-encoding"]], [200, "gzip"]);
    assertStringIncludes(`${script.headers["cache-control"]}`, "immutable");
    for (
      const path of [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/%zz",
        "/assets",
        "/%00",
      ]
    ) {
      assertEquals((await send(path)).status, 404, path);
    }
    await writeFile(join(folder, "www", "404.html"), "<p>no page</p>");
    const missing = await send("/nowhere");
    assertEquals([missing.status, missing.headers["content-type"], missing.body], [
      ...[404, "text/html; charset=utf-8", "<p>no page</p>"],
    ]);
  });

  it("refuses another Host, another Origin and another method", async () => {
    for (const host of ["evil.example", `evil.example:${port}`, "localhost"]) {
      assertEquals((await send("/start", { Host: host })).status, 421, host);
    }
    for (const origin of ["http://evil.example", "null", `https://localhost:${port}`]) {
      assertEquals((await send("/start", { Origin: origin })).status, 403, origin);
    }
    for (const host of [`127.0.0.1:${port}`, `[::1]:${port}`]) {
      assertEquals((await send("/start", { Host: host, Origin: `http://${host}` })).status, 200, host);
    }
    const posted = await send("/start", {}, "POST");
    assertEquals([posted.status, posted.headers.allow], [405, "GET, HEAD"]);
    const head = await send("/start", {}, "HEAD");
    assert(head.status === 200 && head.body === "" && Number(head.headers["content-length"]) > 500);
  });

  it("returns undefined if the port is taken or does not exist", async () => {
    for (const taken of [port, 65_536]) {
      assertEquals(await openDocs({ port: taken, baseUrl: "", site: folder, facts: () => FACTS }), undefined);
    }
  });
});
