import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { expectProblem } from "../../testing/problem.ts";
import { openApiDocument } from "@gold-partner/protocol";
import { suiteService } from "../../testing/service.ts";

describe("GET /openapi.json", () => {
  const service = suiteService();

  const get = (path: string, headers: Record<string, string | null> = {}) =>
    service.send(path, { method: "GET", headers });

  it("describes this deployment under its own URL, and requires only a certificate", async () => {
    const reply = await get("/openapi.json", { Authorization: null });
    assertEquals([reply.status, reply.headers.get("Content-Type")], [200, "application/json"]);
    const { publicBaseUrl: baseUrl, environment } = service.config;
    assertEquals(await reply.json(), openApiDocument({ baseUrl, environment }));
  });

  it("rejects a request without a known certificate or with a parameter", async () => {
    await expectProblem(
      get("/openapi.json", { "x-forwarded-client-cert": `Hash=${"0".repeat(64)}` }),
      "certificate_unknown",
    );
    await expectProblem(get("/openapi.json?version=1"), "invalid_request");
  });
});

describe("GET /openapi.json in production", () => {
  const service = suiteService({ environment: "production" });

  it("does not contain /sandbox/fund", async () => {
    const reply = await service.send("/openapi.json", { method: "GET" });
    const { paths, servers } = await reply.json() as { paths: Record<string, unknown>; servers: unknown[] };
    assertEquals(Object.hasOwn(paths, "/sandbox/fund"), false);
    assertEquals(servers, [{ url: service.config.publicBaseUrl, description: "production" }]);
  });
});
