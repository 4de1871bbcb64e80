import { createServer, type Server, type ServerResponse } from "node:http";
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
    switch (request.url) {
      case "/live":
        return answer(response, 200, "live\n");
      case "/ready":
        return void isReady().then((ready) =>
          answer(response, ready ? 200 : 503, ready ? "ready\n" : "not ready\n")
        );
      case "/metrics":
        return answer(response, 200, metrics.text());
      default:
        return answer(response, 404, "/live, /ready, /metrics\n");
    }
  });
}

/** How long a scraper may take to send its request. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Serves only the metrics, on a listener that Prometheus reaches from outside the pod. */
export function createMetricsServer(metrics: Metrics): Server {
  return createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS },
    ({ url }, response) =>
      url === "/metrics" ? answer(response, 200, metrics.text()) : answer(response, 404, "/metrics\n"),
  );
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
}
