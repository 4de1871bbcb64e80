import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { drainEnvoy } from "./drain_envoy.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

type State = readonly [stopped: number, connections: number, requests: number];

describe("drainEnvoy()", () => {
  const folder = temporaryFolder("gold-drain");

  /**
   * Starts a fake admin interface. It answers with these states one after another, then repeats the last one.
   */
  const stage = async (name: string, states: readonly State[], answer = statsText) => {
    const requests: string[] = [];
    let at = 0;
    const server = createServer(({ method, url }, response) => {
      const path = decodeURIComponent(url!);
      requests.push(`${method} ${path.split("?filter")[0]}`);
      if (!path.startsWith("/stats")) return void response.end("OK\n");
      const state = states[Math.min(at++, states.length - 1)]!;
      response.end(answer(state));
    });
    const path = join(folder, name);
    server.listen(path);
    await once(server, "listening");
    return { admin: { kind: "unix", path } as const, requests, stop: () => server.close() };
  };

  it("asks Envoy to drain once, and waits until the listener and all connections are closed", async () => {
    const states: State[] = [[0, 2, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 0, 0]];
    const { admin, requests, stop } = await stage("waits", states);
    assertEquals(await drainEnvoy({ admin, seconds: 60 }), { connections: 0, requests: 0, closed: true });
    assertEquals(requests, ["POST /drain_listeners?graceful&inboundonly", ...states.map(() => "GET /stats")]);
    stop();
  });

  it("waits at most the given seconds, and returns the remaining connections", async () => {
    const { admin, stop } = await stage("late", [[1, 3, 2]]);
    const startedMs = performance.now();
    assertEquals(await drainEnvoy({ admin, seconds: 1 }), { connections: 3, requests: 2, closed: true });
    const tookMs = performance.now() - startedMs;
    // The upper bound detects a drainEnvoy that misses its deadline.
    assert(tookMs >= 990 && tookMs < 30_000, `${tookMs} ms`);
    stop();
  });

  it("rejects stats without a connection count", async () => {
    const { admin, stop } = await stage(
      "silent",
      [[1, 0, 0]],
      () => "listener_manager.listener_stopped: 1\n",
    );
    await assertRejects(
      () => drainEnvoy({ admin, seconds: 1 }),
      Error,
      "stats do not include partners' connections",
    );
    stop();
  });

  it("rejects when Envoy does not answer", async () => {
    const admin = { kind: "unix", path: join(folder, "nobody") } as const;
    await assertRejects(() => drainEnvoy({ admin, seconds: 1 }), Error);
  });
});

const statsText = ([stopped, connections, requests]: State) =>
  [
    `http.partners.downstream_cx_active: ${connections}`,
    `http.partners.downstream_rq_active: ${requests}`,
    `listener_manager.listener_stopped: ${stopped}`,
    "",
  ].join("\n");
