import { createServer, type Server } from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import { PROBLEM_REGISTRY, type ProblemCode, type RequestId } from "@gold-partner/protocol";
import type { Log } from "../operations/log.ts";
import type { Metrics } from "../operations/metrics.ts";
import { Refusal } from "../refusal.ts";
import { problemReply } from "../reply.ts";
import { answerBroken } from "./answer_broken.ts";
import { findFault } from "./fault.ts";
import { sendProblem } from "./problem.ts";

interface WireOptions {
  /** The app, which is asked for what is a request. */
  readonly fetch: Parameters<typeof getRequestListener>[0];
  readonly log: Log;
  readonly metrics: Metrics;
  newRequestId(): RequestId;
  /** For a whole request to arrive. */
  readonly patienceMs: number;
}

const HEADERS_MAX_BYTES = 16_384;
const CHECK_MS = 1000;
/** Longer than a proxy keeps its upstream connections: whoever closes first must not be the service. */
const KEEP_ALIVE_MS = 75_000;

/** HTTP/1.1 alike on both runtimes: what is no request, or could be read as two, is refused before the app sees it. */
export function createWireServer({ fetch, log, metrics, newRequestId, patienceMs }: WireOptions): Server {
  const refused = (code: ProblemCode, requestId: RequestId) => {
    const { status } = PROBLEM_REGISTRY[code];
    metrics.count("gold_requests_total", { route: "none", status: `${status}` });
    log("info", "refused on the wire", { request_id: requestId, status, code });
  };
  const serve = getRequestListener(fetch, {
    errorHandler: (error) => {
      // The host is settled by then, so it is the target of which no URL can be made.
      const code = error instanceof RequestError ? "path_not_allowed" : "internal_error";
      const requestId = newRequestId();
      refused(code, requestId);
      return problemReply(new Refusal(code), { requestId });
    },
  });
  const timeouts = { requestTimeout: patienceMs, headersTimeout: patienceMs };
  const server = createServer({
    ...timeouts,
    connectionsCheckingInterval: Math.min(CHECK_MS, patienceMs),
    maxHeaderSize: HEADERS_MAX_BYTES,
    // Ours to answer, in the form of every other refusal.
    requireHostHeader: false,
  }, (request, response) => {
    const fault = findFault(request);
    if (fault === undefined) {
      // Judged, and of no further use: the service knows its own name.
      request.headers.host = "localhost";
      return void serve(request, response);
    }
    const requestId = newRequestId();
    refused("invalid_request", requestId);
    sendProblem(response, "invalid_request", requestId, fault);
  });
  // Node would drop headers beyond a number, and the proxy's come last; their size is bounded anyway.
  server.maxHeadersCount = 0;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  answerBroken(server, {
    newRequestId,
    refused: (_reason, code, requestId) => code && requestId && refused(code, requestId),
  });
  return server;
}
