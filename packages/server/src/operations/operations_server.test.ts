import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { createMetrics } from "./metrics.ts";
import { createMetricsServer, createOperationsServer } from "./operations_server.ts";

/** Serves while `use` runs, which asks for the status and the text of a path. */
async function serving(
  server: Server,
  use: (get: (path: string) => Promise<[number, string]>) => Promise<void>,
): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    await use(async (path) => {
      const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Connection: "close" } });
      return [reply.status, await reply.text()];
    });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe("createOperationsServer()", () => {
  it("answers /live, answers /ready according to isReady(), and shows its metrics", async () => {
    const metrics = createMetrics();
    metrics.count("gold_requests_total");
    let ready = false;
    await serving(createOperationsServer({ metrics, isReady: () => Promise.resolve(ready) }), async (get) => {
      assertEquals(await get("/live"), [200, "live\n"]);
      assertEquals(await get("/ready"), [503, "not ready\n"]);
      ready = true;
      assertEquals(await get("/ready"), [200, "ready\n"]);
      assertEquals(await get("/metrics"), [200, metrics.text()]);
      assertEquals(await get("/v1/orders"), [404, "/live, /ready, /metrics\n"]);
    });
  });
});

describe("createMetricsServer()", () => {
  it("shows the metrics, and nothing else", async () => {
    const metrics = createMetrics();
    metrics.count("gold_requests_total");
    await serving(createMetricsServer(metrics), async (get) => {
      assertEquals(await get("/metrics"), [200, metrics.text()]);
      for (const path of ["/", "/live", "/ready", "/metrics/", "/v1/orders"]) {
        assertEquals(await get(path), [404, "/metrics\n"]);
      }
    });
  });
});
