import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import { PROBLEM_REGISTRY, type ProblemCode, type RequestId } from "@gold-partner/protocol";
import type { Log } from "../../operations/log.ts";
import { COUNTED_HEADER, type RefusalLines } from "../../operations/refusal_lines.ts";
import type { Metrics } from "../../operations/metrics.ts";
import { Refusal } from "../refusal.ts";
import { problemReply } from "../reply.ts";
import { rankOf } from "../turns/rank.ts";
import type { Turns } from "../turns/turns.ts";
import { answerBroken } from "./answer_broken.ts";
import { findFault } from "./fault.ts";
import { sendProblem } from "./problem.ts";
import { createTurnRefusals, PACE_HEADER, paceText, type WireRefusal } from "./wire_refusal.ts";

/** Who sent a request, as far as its headers tell before any check. */
export interface Arrival {
  /** The line in which the request waits: the partner's client_id, or "" for all other callers. */
  readonly line: string;
  /** How many of this partner's requests the proxy shall let pass in a second while the line is full. */
  readonly passPerSecond?: number;
  /** Set if the request is to be refused before anything else. */
  readonly refusal?: WireRefusal;
}

interface WireOptions {
  /** The app. It gets only well-formed, unambiguous requests. */
  readonly fetch: Parameters<typeof getRequestListener>[0];
  readonly log: Log;
  readonly refusalLines: RefusalLines;
  readonly metrics: Metrics;
  readonly turns: Turns;
  recognize(headers: IncomingHttpHeaders): Arrival;
  newRequestId(): RequestId;
  readonly docsUrl?: string | undefined;
  /** Time limit for a whole request to arrive, in milliseconds. */
  readonly timeoutMs: number;
  /** How long to read and drop bytes after a refusal, in milliseconds. Default: one second. */
  readonly lingerMs?: number | undefined;
}

const HEADERS_MAX_BYTES = 16_384;
const CHECK_MS = 1000;
/**
 * How long an idle connection stays open. It is longer than the proxy's idle timeout for upstream
 * connections, so that the proxy closes first and not the service.
 */
const KEEP_ALIVE_MS = 75_000;

/**
 * Serves HTTP/1.1 in the same way on both runtimes. Malformed and ambiguous requests are refused before the
 * app sees them.
 */
export function createWireServer(
  { fetch, log, refusalLines, metrics, turns, recognize, newRequestId, docsUrl, timeoutMs, lingerMs }:
    WireOptions,
): Server {
  /** Returns whether the refusal got a line. */
  const refused = (code: ProblemCode, requestId: RequestId, line = ""): boolean => {
    const { status } = PROBLEM_REGISTRY[code];
    const client = line === "" ? {} : { client_id: line };
    metrics.count("gold_requests_total", { route: "none", status: `${status}` });
    metrics.count("gold_refusals_total", { code });
    const getsLine = refusalLines.getsLine(client.client_id, code);
    if (getsLine) log("info", "refused on the wire", { request_id: requestId, status, code, ...client });
    return getsLine;
  };
  const refuse = (response: ServerResponse, refusal: WireRefusal, line?: string): void => {
    const { code, detail, headers } = refusal;
    const requestId = newRequestId();
    if (!refused(code, requestId, line)) response.setHeader(COUNTED_HEADER, "1");
    const pace = paceText(response.req, refusal);
    if (pace !== undefined) response.setHeader(PACE_HEADER, pace);
    sendProblem(response, code, { requestId, docsUrl, ...(detail === undefined ? {} : { detail }) }, headers);
  };
  const turnRefusal = createTurnRefusals();
  const serve = getRequestListener(fetch, {
    errorHandler: (error) => {
      // A RequestError means that the target cannot be parsed as a URL, because the host is valid here.
      const code = error instanceof RequestError ? "path_not_allowed" : "internal_error";
      const requestId = newRequestId();
      const reply = problemReply(new Refusal(code), { requestId, docsUrl });
      if (!refused(code, requestId)) reply.headers.set(COUNTED_HEADER, "1");
      return reply;
    },
  });
  const timeouts = { requestTimeout: timeoutMs, headersTimeout: timeoutMs };
  const server = createServer({
    ...timeouts,
    connectionsCheckingInterval: Math.min(CHECK_MS, timeoutMs),
    maxHeaderSize: HEADERS_MAX_BYTES,
    // Node's own check is off: findFault() checks Host, so that this refusal is a problem like every other.
    requireHostHeader: false,
  }, (request, response) => {
    const fault = findFault(request);
    if (fault !== undefined) return refuse(response, { code: "invalid_request", detail: fault, headers: {} });
    // The service uses its own configured name, not the caller's Host.
    request.headers.host = "localhost";
    const { line, refusal, passPerSecond } = recognize(request.headers);
    if (refusal) return refuse(response, refusal, line);
    const rank = rankOf(request.method!, request.url!);
    const leave = turns.arrive(line, rank, {
      start: (waitedMs) => {
        if (waitedMs > 0) metrics.observeSeconds("gold_turn_wait_seconds", waitedMs / 1000);
        Object.assign(request, { waitedMs, leave: () => leave() });
        // Do not wait until the reply is sent. A client that reads nothing would keep its place.
        Promise.resolve(serve(request, response)).finally(() => leave());
      },
      refuse: (reason, quotesPerSecond) =>
        refuse(response, turnRefusal(reason, { rank, quotesPerSecond, passPerSecond }), line),
    });
    response.once("close", leave);
  });
  // 0 means no limit. With a limit, Node would drop the last headers, and these come from the proxy.
  // maxHeaderSize bounds the size of all headers.
  server.maxHeadersCount = 0;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  answerBroken(server, {
    newRequestId,
    docsUrl,
    lingerMs,
    // These replies are not marked: Envoy forwards no malformed request, and slow ones cannot flood its log.
    refused: (_reason, code, requestId) => code && requestId && refused(code, requestId),
  });
  return server;
}
