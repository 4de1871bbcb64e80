import { ID_PREFIX, newId } from "@gold-partner/protocol";
import { Hono } from "hono";
import { refusalOf } from "./booking/booking.ts";
import { type AppContext, type AppEnv, enter } from "./corridor.ts";
import type { Deps } from "./deps.ts";
import { fundingRoute } from "./funding_route.ts";
import { orderRoute } from "./order_route.ts";
import { probeRoute } from "./probe_route.ts";
import { quoteRoute } from "./quote_route.ts";
import { balancesRoute, healthRoute, jwksRoute, metadataRoute, pricesRoute } from "./read_routes.ts";
import { Refusal } from "./refusal.ts";
import { problemReply, tokenErrorReply } from "./reply.ts";
import { checkTarget } from "./target.ts";
import { tokenRoute } from "./token_route.ts";

type Method = "GET" | "POST";
type Handler = (c: AppContext) => Promise<Response>;

const TOKEN_PATH = "/oauth/token";
const FUND_PATH = "/sandbox/fund";

/** The partner API. Everything that it needs comes in by `deps`, so a test calls it by `app.request()`. */
export function createApp(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const routes: readonly (readonly [Method, string, Handler])[] = [
    ["GET", "/health", healthRoute(deps)],
    ["POST", TOKEN_PATH, tokenRoute(deps)],
    ["GET", "/.well-known/jwks.json", jwksRoute(deps)],
    ["GET", "/.well-known/oauth-authorization-server", metadataRoute(deps)],
    ["GET", "/v1/prices", pricesRoute(deps)],
    ["GET", "/v1/balances", balancesRoute(deps)],
    ["POST", "/v1/quotes", quoteRoute(deps)],
    ["POST", "/v1/orders", orderRoute(deps)],
    ["POST", "/v1/signed-probe", probeRoute(deps)],
    // In production the path does not exist, for nobody and before any check.
    ...(deps.config.environment === "sandbox" ? [["POST", FUND_PATH, fundingRoute(deps)] as const] : []),
  ];

  const paths = new Set(routes.map(([, path]) => path));

  app.use(async (c, next) => {
    const startedMs = performance.now();
    c.set("requestId", newId(ID_PREFIX.request, deps.now(), deps.random));
    await next();
    // A path that a caller made up is no name for a metric, nor for a line of the log.
    observe(c, deps, paths.has(c.req.path) ? c.req.path : "none", performance.now() - startedMs);
  });
  app.use(async (c, next) => {
    c.set("target", checkTarget(c.env?.incoming?.url ?? pathAndQuery(c.req.url)));
    await next();
  });
  for (const [method, path, handler] of routes) app.on(method, path, handler);
  for (const path of paths) {
    const allowed = routes.filter((route) => route[1] === path).map(([method]) => method).join(", ");
    app.all(path, async (c) => {
      await enter(c, deps);
      const reply = refuse(new Refusal("method_not_allowed", `${path} takes ${allowed}.`), c, deps);
      reply.headers.set("Allow", allowed);
      return reply;
    });
  }
  app.notFound(async (c) => {
    const refusal = new Refusal("not_found", "There is no such path.");
    if (c.req.path === FUND_PATH) return refuse(refusal, c, deps);
    return await enter(c, deps).then(() => refuse(refusal, c, deps), (error) => refuse(error, c, deps));
  });
  app.onError((error, c) => refuse(error, c, deps));
  return app;
}

function refuse(error: unknown, c: AppContext, { log, metrics }: Deps): Response {
  const requestId = c.get("requestId");
  const refusal = error instanceof Refusal ? error : refusalOf(error) ?? new Refusal("internal_error");
  if (!(error instanceof Refusal)) {
    const { name, code } = error as { name?: string; code?: string };
    log("error", "request failed", {
      request_id: requestId,
      ...(name ? { error_name: name } : {}),
      ...(typeof code === "string" ? { sqlstate: code } : {}),
    });
    metrics.count("gold_unexpected_errors_total");
  }
  c.set("code", refusal.code);
  return c.req.path === TOKEN_PATH ? tokenErrorReply(refusal, requestId) : problemReply(refusal, requestId);
}

function observe(c: AppContext, { log, metrics }: Deps, route: string, durationMs: number): void {
  const labels = { route, status: `${c.res.status}` };
  metrics.count("gold_requests_total", labels);
  metrics.observeSeconds("gold_request_seconds", durationMs / 1000, { route });
  const [clientId, code] = [c.get("clientId"), c.get("code")];
  log("info", "request", {
    request_id: c.get("requestId"),
    method: c.req.method,
    route,
    status: c.res.status,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    ...(code ? { code } : {}),
    ...(clientId ? { client_id: clientId } : {}),
  });
}

function pathAndQuery(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
