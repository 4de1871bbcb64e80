import { statSync } from "node:fs";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findFreePort } from "@gold-partner/dev/postgres";
import { askAdmin } from "../admin.ts";
import { startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";

describe("Envoy's admin interface", () => {
  let fixture: TestEnvoy;
  let port: number;
  before(async () => {
    port = await findFreePort();
    fixture = await startTestEnvoy({ STATS_LISTEN: `127.0.0.1:${port}`, CONNECTIONS_MAX: "1" });
  });
  after(() => fixture.stop());

  const get = async (path: string, method = "GET"): Promise<[number, string]> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return [answer.status, await answer.text()];
  };

  it("is a socket that only Envoy's own user can open", () => {
    const { mode } = statSync(join(fixture.folder, "admin.sock"));
    assertEquals((mode & 0o777).toString(8), "600");
  });

  it("shows only its statistics and its readiness on loopback", async () => {
    const [status, figures] = await get("/stats/prometheus");
    assertEquals(status, 200);
    assertMatch(
      figures,
      /^envoy_http_downstream_cx_active\{envoy_http_conn_manager_prefix="partners"\} \d+$/m,
    );
    assertEquals(await get("/ready"), [200, "LIVE\n"]);
    for (
      const path of ["/", "/config_dump", "/certs", "/stats", "/stats/prometheus/", "/ready/../config_dump"]
    ) {
      assertEquals([path, ...await get(path)], [path, 404, ""]);
    }
    for (const path of ["/quitquitquit", "/drain_listeners", "/ready", "/stats/prometheus"]) {
      assertEquals([path, ...await get(path, "POST")], [path, 404, ""]);
    }
  });

  it("shows its statistics while all connections are taken, and after a drain", async () => {
    const held = await fixture.open();
    await assertRejects(() => fixture.open());
    assertEquals((await get("/ready"))[0], 200);
    held.destroy();
    await askAdmin(
      { kind: "unix", path: join(fixture.folder, "admin.sock") },
      "POST",
      "/drain_listeners?inboundonly",
    );
    const stopped = /^envoy_listener_manager_listener_stopped\{\} 1$/m;
    const endMs = Date.now() + 30_000;
    while (!stopped.test((await get("/stats/prometheus"))[1])) assert(Date.now() < endMs, "still open");
    await assertRejects(() => fixture.open());
  });
});
