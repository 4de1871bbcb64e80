import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { suiteService } from "../../testing/service.ts";
import type { Config } from "../settings/config.ts";
import { startService } from "./service.ts";

const WORKERS = 8;
const PROBE_MS = 50;
/** How long a stop waits for requests. A busy machine does not pause for this long. */
const DRAIN_SECONDS = 4;

describe("a service that is stopped", () => {
  const fixture = suiteService();

  const pathOf = (address: Config["listen"]) => address.kind === "unix" ? address.path : "";
  const start = async (name: string, drainSeconds: number) => {
    const folder = dirname(pathOf(fixture.config.listen));
    const [socket, operations] = [join(folder, `${name}.sock`), join(folder, `${name}_operations.sock`)];
    const service = await startService({
      ...fixture.config,
      drainSeconds,
      listen: { kind: "unix", path: socket },
      operationsListen: { kind: "unix", path: operations },
    }, () => {});
    return { ...service, socket, operations };
  };
  const get = async (socketPath: string, path: string, agent: Agent) => {
    const headers = {
      "X-Forwarded-Client-Cert": `Hash=${fixture.partner.fingerprint}`,
      "X-Client-Ip": "127.0.0.1",
    };
    const outgoing = request({ socketPath, path, headers, agent }).end();
    const [reply] = await once(outgoing, "response");
    await once(reply.resume(), "end");
    return { status: reply.statusCode as number, connection: reply.headers.connection as string | undefined };
  };

  it("reports not ready at once, and answers with Connection: close during the drain time", async () => {
    const { socket, operations, stop } = await start("drained", DRAIN_SECONDS);
    const agent = new Agent({ keepAlive: true });
    const probe = new Agent({ keepAlive: true });
    assertEquals((await get(operations, "/ready", probe)).status, 200);
    assert((await get(socket, "/health", agent)).connection !== "close");
    const toldMs = performance.now();
    const stopped = stop();
    assertEquals((await get(operations, "/ready", probe)).status, 503);
    // Use the open connection for the first request, and a new one for the second.
    assertEquals(await get(socket, "/health", agent), { status: 200, connection: "close" });
    assertEquals(await get(socket, "/health", agent), { status: 200, connection: "close" });
    const again = stop();
    await stopped;
    await again;
    assert(
      performance.now() - toldMs >= 1000 * DRAIN_SECONDS - 10,
      "the service stopped before its drain time was over",
    );
    await assertRejects(() => get(socket, "/health", agent));
    agent.destroy();
    probe.destroy();
  });

  it("stops although a client holds an idle connection to the operations listener", async () => {
    const { operations, stop } = await start("held", 0);
    const held = connect(operations).on("error", () => {}).resume();
    await once(held, "connect");
    const ended = await Promise.race([stop().then(() => true), sleep(30_000, false, { ref: false })]);
    held.destroy();
    assertEquals(ended, true);
  });

  it("loses no request of a proxy that reuses connections and checks readiness", async () => {
    const [old, next] = [await start("old", DRAIN_SECONDS), await start("new", 0)];
    const agent = new Agent({ keepAlive: true, maxSockets: WORKERS, timeout: 300 });
    const probe = new Agent({ keepAlive: true });
    let current = old.socket;
    let working = true;
    const replies: Record<string, number> = {};
    const note = (what: string) => void (replies[what] = (replies[what] ?? 0) + 1);
    const watch = (async () => {
      while (working) {
        const ready = await get(old.operations, "/ready", probe).catch(() => ({ status: 0 }));
        if (ready.status !== 200) current = next.socket;
        await pause(PROBE_MS);
      }
    })();
    const work = Array.from({ length: WORKERS }, async (_, n) => {
      while (working) {
        const from = current === old.socket ? "old" : "new";
        const { status } = await get(current, "/health", agent).catch((error) => ({ status: error.code }));
        note(`${from} ${status}`);
        // Let some connections be idle for a while. All workers together stay below the partner's rate limit.
        await pause(n % 2 === 0 ? 10 : 3);
      }
    });
    const untilSaid = async (what: string) => {
      for (const endMs = performance.now() + 30_000; (replies[what] ?? 0) <= 10;) {
        if (performance.now() > endMs) break;
        await pause(10);
      }
    };
    await untilSaid("old 200");
    await old.stop();
    await untilSaid("new 200");
    working = false;
    await Promise.all([...work, watch]);
    agent.destroy();
    probe.destroy();
    await next.stop();
    assertEquals(Object.keys(replies).sort(), ["new 200", "old 200"]);
    assert(replies["old 200"]! > 10 && replies["new 200"]! > 10, JSON.stringify(replies));
  });
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
