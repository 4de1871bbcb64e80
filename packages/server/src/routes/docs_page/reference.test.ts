import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  ENDPOINTS,
  type Json,
  openApiDocument,
  operationsOf,
  TOKEN_PROBLEM_REGISTRY,
} from "@gold-partner/protocol";
import { errorsPage } from "./errors.ts";
import { referencePage } from "./reference.ts";

const BASE_URL = "https://gold.example";
const pageOf = (environment: "sandbox" | "production") =>
  referencePage(openApiDocument({ baseUrl: BASE_URL, environment }));

/** Replaces the entities in markup with the characters that a browser shows. */
const unescape = (markup: string) =>
  markup.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
const sectionOf = (page: string, id: string) =>
  unescape(page.slice(page.indexOf(`id="${id}"`)).split("</section>", 1)[0]!);
const shown = (value: Json) => typeof value === "string" ? value : JSON.stringify(value, null, 2);

describe("referencePage()", () => {
  it("shows every operation with each of its examples and a refusal", async () => {
    const page = await pageOf("sandbox");
    for (const operation of operationsOf("sandbox")) {
      const { method, path, request, reply, idempotent } = ENDPOINTS[operation];
      const section = sectionOf(page, operation);
      assertStringIncludes(section, `<b>${method}</b> ${path}`);
      const examples = request?.mediaType === "application/x-www-form-urlencoded"
        ? {}
        : request?.examples ?? {};
      for (const example of Object.values(examples)) {
        assertStringIncludes(section, JSON.stringify(example), operation);
      }
      for (const example of Object.values(reply.examples)) {
        assertStringIncludes(section, shown(example), operation);
      }
      if (reply.csv) assertStringIncludes(section, reply.csv.example);
      assertStringIncludes(section, idempotent ? "HTTP/1.1 201 Created" : "HTTP/1.1 200 OK");
      assert(/HTTP\/1\.1 [45]\d\d [^]*"code": "/.test(section), `${operation} shows no refusal`);
    }
    assertStringIncludes(page, "grant_type=client_credentials&amp;client_id=");
  });

  it("shows each request as it is sent over the connection", async () => {
    const page = await pageOf("sandbox");
    for (
      const [operation, lines] of [
        ["createOrder", [
          "POST /v1/orders HTTP/1.1</b>",
          "Host: gold.example",
          "Authorization: Bearer ",
          "X-Nonce: 8c45",
          "X-Nonce: a3a1",
        ]],
        ["probeSignature", ["X-Timestamp: 1769851875", "X-JWS-Signature: eyJ"]],
        ["getOrder", ["GET /v1/orders/ord_019c1364-6eb8-739a-82ca-327a22aa2d59 HTTP/1.1"]],
        ["getStatement", [
          "GET /v1/statement?from=2026-01-31&to=2026-01-31 HTTP/1.1",
          "Content-Type: text/csv",
        ]],
      ] as const
    ) for (const line of lines) assertStringIncludes(sectionOf(page, operation), line);
    const health = sectionOf(page, "getHealth");
    assertEquals([health.includes("Authorization"), health.includes("access token")], [false, false]);
  });

  it("contains only the operations of its environment", async () => {
    const [sandbox, production] = [await pageOf("sandbox"), await pageOf("production")];
    assertEquals([sandbox, production].map((page) => page.includes("/sandbox/fund")), [true, false]);
    assertStringIncludes(production, '<span class="kind">production</span>');
  });

  it("links only to existing pages and anchors, and contains no script", async () => {
    const [page, errors] = [await pageOf("sandbox"), await errorsPage()];
    const paths = operationsOf("sandbox").map((operation) => ENDPOINTS[operation].path);
    for (const [here, text] of [["/docs", page], ["/docs/errors", errors]] as const) {
      for (const [, target] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
        if (target === "data:,") continue;
        const [path, anchor] = target!.split("#");
        assert(path === "" || paths.includes(path!), target);
        const there = (path || here) === "/docs" ? page : errors;
        if (anchor) assert(there.includes(`id="${anchor}"`), target);
      }
      assertEquals(/<script|\bon[a-z]+=|style="|undefined|\[object/.exec(text)?.[0], undefined, here);
      const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      assertEquals(ids.length, new Set(ids).size);
    }
  });

  it("escapes HTML in titles and descriptions", async () => {
    const document = openApiDocument({ baseUrl: BASE_URL, environment: "sandbox" }) as { info: object };
    const info = { title: "<script>1</script>", description: "`<b>` & **<i>**" };
    const page = await referencePage({ ...document, info } as unknown as Json);
    assertEquals(page.split("&lt;script&gt;1&lt;/script&gt;").length, 3);
    assertEquals(page.includes("<script"), false);
    assertStringIncludes(page, "<code>&lt;b&gt;</code> &amp; <strong>&lt;i&gt;</strong>");
  });
});

describe("errorsPage()", () => {
  it("shows every code under its own anchor, with its cause, its cure and its effects", async () => {
    const page = await errorsPage();
    for (const [code, { status, title, cause, cure, retryable }] of Object.entries(TOKEN_PROBLEM_REGISTRY)) {
      const section = sectionOf(page, code).replace(/<\/?code>/g, "");
      for (const said of [`${status}`, title, cause.replaceAll("`", ""), cure.replaceAll("`", "")]) {
        assertStringIncludes(section, said, code);
      }
      assertEquals(section.includes("not retryable"), !retryable, code);
    }
    const effects = (code: string) =>
      [...sectionOf(page, code).matchAll(/<span>([^<]*)<\/span>/g)].map(([, effect]) => effect);
    assertEquals(effects("quote_expired"), ["422", "not retryable", "binds the key", "spends the nonce"]);
    assertEquals(effects("not_found"), [
      "404",
      "not retryable",
      "binds the key at an order",
      "spends the nonce at an order",
    ]);
    assertEquals(effects("upstream_timeout"), ["504", "retryable", "spends the nonce (possibly)"]);
  });
});
