import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { assertEquals } from "../../../../tools/testing/assert.ts";
import { createMetrics } from "./metrics.ts";
import { createOperationsServer } from "./operations_server.ts";

describe("createOperationsServer()", () => {
  it("answers /live, answers /ready according to isReady(), and shows its metrics", async () => {
    const metrics = createMetrics();
    metrics.count("gold_requests_total");
    let ready = false;
    const server = createOperationsServer({ metrics, isReady: () => Promise.resolve(ready) });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const get = async (path: string) => {
      const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Connection: "close" } });
      return [reply.status, await reply.text()];
    };
    assertEquals(await get("/live"), [200, "live\n"]);
    assertEquals(await get("/ready"), [503, "not ready\n"]);
    ready = true;
    assertEquals(await get("/ready"), [200, "ready\n"]);
    assertEquals(await get("/metrics"), [200, metrics.text()]);
    assertEquals(await get("/v1/orders"), [404, "/live, /ready, /metrics\n"]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
