import { createServer, type Server } from "node:http";
import type { Metrics } from "./metrics.ts";

interface Probes {
  readonly metrics: Metrics;
  readonly isReady: () => Promise<boolean>;
}

/**
 * Serves liveness, readiness and metrics on a separate listener. The proxy never routes to it. A service that
 * cannot reach its database is alive but not ready.
 */
export function createOperationsServer({ metrics, isReady }: Probes): Server {
  return createServer((request, response) => {
    const answer = (status: number, text: string) => {
      response.writeHead(status, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
    };
    switch (request.url) {
      case "/live":
        return answer(200, "live\n");
      case "/ready":
        return void isReady().then((ready) => answer(ready ? 200 : 503, ready ? "ready\n" : "not ready\n"));
      case "/metrics":
        return answer(200, metrics.text());
      default:
        return answer(404, "/live, /ready, /metrics\n");
    }
  });
}
