import { describe, it } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { expectProblem } from "../../testing/problem.ts";
import { suiteService } from "../../testing/service.ts";

const PAGES = ["/docs", "/docs/errors"];

describe("GET /docs and GET /docs/errors", () => {
  const service = suiteService();

  const get = (path: string, headers: Record<string, string | null> = {}) =>
    service.send(path, { method: "GET", headers });

  it("return pages that may load no resource and run no script, and require only a certificate", async () => {
    for (const path of PAGES) {
      const reply = await get(path, { Authorization: null });
      assertEquals([reply.status, reply.headers.get("Content-Type")], [200, "text/html; charset=utf-8"]);
      const policy = reply.headers.get("Content-Security-Policy")!;
      assertMatch(policy, /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; img-src data:; /);
      assertEquals(reply.headers.get("X-Content-Type-Options"), "nosniff");
      assertMatch(await reply.text(), /^<!doctype html>\n/);
    }
  });

  it("reject a request without a known certificate or with a parameter", async () => {
    for (const path of PAGES) {
      const unknown = { "x-forwarded-client-cert": `Hash=${"0".repeat(64)}` };
      await expectProblem(get(path, unknown), "certificate_unknown");
      await expectProblem(get(`${path}?page=2`), "invalid_request");
    }
  });

  it("are reached by redirects from the base URL and from a path with an added slash", async () => {
    for (const path of ["/", "/docs/"]) {
      const reply = await get(path, { Authorization: null });
      assertEquals([reply.status, reply.headers.get("Location")], [308, "/docs"]);
      assertMatch(reply.headers.get("X-Request-Id")!, /^req_/);
      const unknown = { "x-forwarded-client-cert": `Hash=${"0".repeat(64)}` };
      await expectProblem(get(path, unknown), "certificate_unknown");
      await expectProblem(get(`${path}?page=2`), "invalid_request");
      const posted = await service.send(path, { method: "POST" });
      assertEquals(posted.headers.get("Allow"), "GET");
      await expectProblem(posted, "method_not_allowed");
    }
  });

  it("contain the deployment's base URL, and the anchor in the type of each problem", async () => {
    assertStringIncludes(await (await get("/docs")).text(), service.config.publicBaseUrl);
    const { type } = await expectProblem(get("/v1/nothing"), "not_found");
    const [path, anchor] = type.split("#");
    assertStringIncludes(await (await get(path!)).text(), `id="${anchor}"`);
  });

  it("return 304 for a current ETag, as /openapi.json does, but only after all checks", async () => {
    for (const path of [...PAGES, "/openapi.json"]) {
      const { headers } = await get(path);
      const tag = headers.get("ETag")!;
      assertEquals(headers.get("Cache-Control"), "private, no-cache");
      for (const has of [tag, `"other", W/${tag}`, "*"]) {
        const reply = await get(path, { "If-None-Match": has });
        assertEquals([reply.status, await reply.text(), reply.headers.get("ETag")], [304, "", tag], has);
        assertMatch(reply.headers.get("X-Request-Id")!, /^req_/);
      }
      for (const has of ['"other"', tag.slice(1, -1), ""]) {
        const reply = await get(path, { "If-None-Match": has });
        assertEquals([reply.status, (await reply.text()).length > 1000], [200, true], has);
      }
      const refused = { "If-None-Match": tag, "x-forwarded-client-cert": `Hash=${"0".repeat(64)}` };
      await expectProblem(get(path, refused), "certificate_unknown");
    }
  });
});
