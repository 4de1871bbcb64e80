import { once } from "node:events";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../../../tools/testing/until.ts";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";
import { TIMEOUT } from "./limit.ts";
import { STREAMS } from "./upstream.ts";

/** How late an answer is. Longer than Envoy waits for one answer to a health check. */
const LATE_MS = 1500;

interface Process {
  readonly upstream: string;
  ready: boolean;
  /** How many of the next answers on the operations socket are late. */
  late: number;
  stop(): void;
}

/** Starts a fake process of the service with its two sockets. It answers every request with its own name. */
async function startProcess(name: string): Promise<Process> {
  const at = (socket: string): string => join(tmpdir(), `envoy-${process.pid}-${name}.${socket}`);
  const it = {
    upstream: `unix:${at("server")}|unix:${at("operations")}`,
    ready: true,
    late: 0,
    stop: () => {},
  };
  const servers: Server[] = [
    createServer((_request, response) => response.end(name)).listen(at("server")),
    createServer(({ url, headers }, response) => {
      const answer = () => response.writeHead(url === "/ready" && it.ready ? 200 : 503).end();
      // The checks of the cluster for streams are never late, so that these counts are of the other one.
      if (it.late === 0 || headers.host === STREAMS) return answer();
      it.late--;
      setTimeout(answer, LATE_MS);
    }).listen(at("operations")),
  ];
  await Promise.all(servers.map((server) => once(server, "listening")));
  it.stop = () => {
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  };
  return it;
}

describe("the processes of the service", () => {
  let [one, other]: Process[] = [];
  let fixture: TestEnvoy;
  before(async () => {
    [one, other] = [await startProcess("one"), await startProcess("other")];
    fixture = await startTestEnvoy({ UPSTREAMS: `${one.upstream},${other.upstream}` });
  });
  after(async () => {
    await fixture.stop();
    one!.stop();
    other!.stop();
  });

  const answering = async (): Promise<string[]> => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => fixture.send(request("GET /health"))));
    return [...new Set(answers.map(({ status, body }) => status === 200 ? body : JSON.parse(body).code))]
      .sort();
  };
  /**
   * Waits until exactly these processes answer. Envoy checks each process four times a second, and a busy
   * machine may delay that.
   */
  const untilAnswering = async (...expected: string[]): Promise<void> => {
    let found: string[] = [];
    await until(async () => `${found = await answering()}` === `${expected}`, () => found);
  };

  it("share the requests while they are ready, and get none while they are not", async () => {
    await untilAnswering("one", "other");
    one!.ready = false;
    await untilAnswering("other");
    one!.ready = true;
    await untilAnswering("one", "other");
  });

  const figure = async (name: string): Promise<number> =>
    Number(/: (\d+)$/m.exec(await fixture.ask(`/stats?filter=^cluster.service.${name}$`))?.[1]);

  it("stay in use after two late health checks, and are removed when they hang or die", async () => {
    await untilAnswering("one", "other");
    const failures = await figure("health_check.failure");
    const healthy: number[] = [];
    one!.late = 2;
    await until(async () => {
      healthy.push(await figure("membership_healthy"));
      return await figure("health_check.failure") >= failures + 2;
    });
    // Read once more after the second failure is counted. Two failures must not remove the process.
    healthy.push(await figure("membership_healthy"));
    assertEquals(healthy.filter((members) => members !== 2), []);
    one!.late = 1_000_000;
    await until(async () => await figure("membership_healthy") === 1);
    one!.late = 0;
    await until(async () => await figure("membership_healthy") === 2);
    other!.stop();
    const diedMs = performance.now();
    await until(async () => await figure("membership_healthy") === 1);
    // Allow 30 s, for a busy machine. Envoy removes a dead process after about 1 s.
    assert(performance.now() - diedMs < 30_000, `${performance.now() - diedMs} ms`);
    other = await startProcess("other");
    await until(async () => await figure("membership_healthy") === 2);
  });

  it("get no request when none is ready, and the reply has Retry-After", async () => {
    [one!.ready, other!.ready] = [false, false];
    await untilAnswering("upstream_unavailable");
    const { status, head, body } = await fixture.send(request("GET /health"));
    assertEquals([status, JSON.parse(body).code], [503, "upstream_unavailable"]);
    assertMatch(head, /\nretry-after: 1\r/);
    assertEquals(
      JSON.parse((await fixture.send(request("POST /oauth/token"))).body).error,
      "temporarily_unavailable",
    );
  });
});

describe("a connection to the service that Envoy never used", () => {
  it("is closed by Envoy before the service answers it with 408", async () => {
    const path = join(tmpdir(), `envoy-${process.pid}-unused.server`);
    const timeoutMs = 1000 * Number.parseFloat(TIMEOUT.request);
    const service = createServer(
      { requestTimeout: timeoutMs, headersTimeout: timeoutMs, connectionsCheckingInterval: 1000 },
      (_request, response) => response.end("ok"),
    );
    const open = new Set<Socket>();
    let closedUnused = 0;
    let timeouts = 0;
    service.on("connection", (socket) => {
      open.add(socket);
      socket.on("close", () => {
        open.delete(socket);
        if (socket.bytesRead === 0) closedUnused++;
      });
    });
    service.on("clientError", ({ code }: NodeJS.ErrnoException, socket) => {
      if (code === "ERR_HTTP_REQUEST_TIMEOUT") timeouts++;
      socket.destroy();
    });
    await once(service.listen(path), "listening");
    const fixture = await startTestEnvoy({ UPSTREAMS: `unix:${path}` });
    try {
      await until(async () => {
        const hasUnused = [...open].some(({ bytesRead }) => bytesRead === 0);
        // Clients disconnect right after their requests, so that Envoy has no request left for a connection.
        const clients = hasUnused ? [] : await Promise.all(Array.from({ length: 40 }, () => fixture.open()));
        for (const client of clients) client.on("error", () => {}).end(request("GET /health")).destroySoon();
        await sleep(500);
        return closedUnused > 0;
      });
      assertEquals(timeouts, 0);
    } finally {
      await fixture.stop();
      service.closeAllConnections();
      service.close();
    }
  });
});

describe("an Envoy that is stopped", () => {
  it("finishes in-flight requests", async () => {
    const ANSWER_MS = 1000;
    const fixture = await startTestEnvoy({}, (_request, response) => {
      setTimeout(() => response.end("late"), ANSWER_MS);
    });
    const pending = fixture.send(request("GET /health"));
    await until(() => fixture.arrived.length > 0);
    const stopped = fixture.stop();
    const { status, body } = await pending;
    assertEquals([status, body], [200, "late"]);
    await stopped;
  });
});
