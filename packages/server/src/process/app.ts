import {
  ENDPOINTS,
  ID_PREFIX,
  type Json,
  newId,
  openApiDocument,
  type OperationId,
  operationsOf,
  routePath,
} from "@gold-partner/protocol";
import { Hono } from "hono";
import { refusalOf } from "../booking/booking.ts";
import { admitCertificateAlone } from "../admission/admit_caller.ts";
import { failReply } from "../admission/simulate_failure.ts";
import type { AppContext, AppEnv, Route } from "../http/context.ts";
import { redeliveryRoute, webhookTestRoute } from "../routes/delivery_route.ts";
import type { Deps } from "../routes/deps.ts";
import { errorCatalogueRoute, referenceRoute, toReferenceRoute } from "../routes/docs_route.ts";
import { fundingRoute } from "../routes/funding_route.ts";
import { openApiRoute } from "../routes/openapi_route.ts";
import { orderRoute } from "../routes/order_route.ts";
import { changeListRoute, changeReadRoute, changeRoute } from "../routes/change_route.ts";
import { cancellationRoute, withdrawalRoute } from "../routes/withdrawal_route.ts";
import { probeRoute } from "../routes/probe_route.ts";
import { quoteRoute } from "../routes/quote_route.ts";
import {
  accountRoute,
  balancesRoute,
  chainKeyRoute,
  credentialsRoute,
  limitsRoute,
} from "../routes/account_route.ts";
import { jwksRoute, metadataRoute } from "../routes/discovery_route.ts";
import { eventsRoute } from "../routes/events_route.ts";
import {
  healthRoute,
  priceHistoryRoute,
  pricesRoute,
  reservesListRoute,
  reservesRoute,
} from "../routes/market_route.ts";
import { listRoute, recordRoute } from "../routes/records_route.ts";
import { simulationRoutes } from "../routes/simulation_route.ts";
import { eventStreamRoute, priceStreamRoute } from "../routes/stream_route.ts";
import { statementRoute } from "../routes/statement_route.ts";
import { Refusal } from "../http/refusal.ts";
import { problemReply, tokenErrorReply } from "../http/reply.ts";
import { checkTarget, PATHS_TO_REFERENCE } from "../http/target.ts";
import { tokenRoute } from "../routes/token_route.ts";
import { openStreams, type Streams } from "../streams/streams.ts";
import { errorFields } from "../operations/log.ts";
import { COUNTED_HEADER } from "../operations/refusal_lines.ts";

const TOKEN_PATH = ENDPOINTS.issueToken.path;
const SANDBOX_PATH = /^\/sandbox\//;

/**
 * The route of each operation. The protocol package defines the methods and paths, and makes the API
 * description from the same table.
 */
const routesOf = (deps: Deps, streams: Streams, description: Json): Readonly<Record<OperationId, Route>> => ({
  getHealth: healthRoute(deps),
  issueToken: tokenRoute(deps),
  getTokenKeys: jwksRoute(deps),
  getAuthorizationServer: metadataRoute(deps),
  probeSignature: probeRoute(deps),
  getPrices: pricesRoute(deps),
  getPriceHistory: priceHistoryRoute(deps),
  streamPrices: priceStreamRoute(deps, streams),
  createQuote: quoteRoute(deps),
  getQuote: recordRoute("quote", deps),
  createOrder: orderRoute(deps),
  listOrders: listRoute("order", deps),
  getOrder: recordRoute("order", deps),
  fundSandbox: fundingRoute(deps),
  listFundings: listRoute("funding", deps),
  getFunding: recordRoute("funding", deps),
  createWithdrawal: withdrawalRoute(deps),
  cancelWithdrawal: cancellationRoute(deps),
  listWithdrawals: listRoute("withdrawal", deps),
  getWithdrawal: recordRoute("withdrawal", deps),
  getBalances: balancesRoute(deps),
  listEvents: eventsRoute(deps),
  streamEvents: eventStreamRoute(deps, streams),
  getEvent: recordRoute("event", deps),
  redeliverEvent: redeliveryRoute(deps),
  testWebhook: webhookTestRoute(deps),
  getStatement: statementRoute(deps),
  getReserves: reservesRoute(deps),
  getReservesList: reservesListRoute(deps),
  getLimits: limitsRoute(deps),
  getAccount: accountRoute(deps),
  requestChange: changeRoute(deps),
  getChanges: changeListRoute(deps),
  getChange: changeReadRoute(deps),
  getCredentials: credentialsRoute(deps),
  getChainKey: chainKeyRoute(deps),
  getOpenApi: openApiRoute(description, deps),
  getReference: referenceRoute(description, deps),
  getErrorCatalogue: errorCatalogueRoute(deps),
  ...simulationRoutes(deps),
});

/** The partner API. All its dependencies are in `deps`, so a test can call it with `app.request()`. */
export function createApp(deps: Deps, streams = openStreams(deps)): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const { publicBaseUrl: baseUrl, environment } = deps.config;
  const routes = routesOf(deps, streams, openApiDocument({ baseUrl, environment }));
  const methodsOf = new Map<string, string[]>();

  app.use(async (c, next) => {
    const startedMs = deps.monotonicMs();
    const requestId = newId(ID_PREFIX.request, deps.now(), deps.random);
    c.set("exchange", { requestId, docsUrl: deps.config.docsUrl });
    await next();
    if (c.get("exchange").failure) await failReply(c);
    observe(c, deps, (c.env?.incoming?.waitedMs ?? 0) + deps.monotonicMs() - startedMs);
  });
  app.use((c, next) => {
    c.set("target", checkTarget(c.env?.incoming?.url ?? pathAndQuery(c.req.url)));
    return next();
  });
  // In production, the paths under /sandbox/ do not exist. notFound() below answers them before any check of
  // the caller.
  for (const operation of operationsOf(environment)) {
    const endpoint = ENDPOINTS[operation];
    const path = routePath(endpoint);
    methodsOf.set(path, [...methodsOf.get(path) ?? [], endpoint.method]);
    app.on(endpoint.method, path, (c) => {
      c.set("operation", operation);
      return routes[operation](c);
    });
  }
  for (const path of PATHS_TO_REFERENCE) {
    methodsOf.set(path, ["GET"]);
    app.get(path, toReferenceRoute(deps));
  }
  for (const [path, methods] of methodsOf) {
    const allowed = methods.sort().join(", ");
    app.all(path, async (c) => {
      await admitCertificateAlone(c, deps);
      const reply = refuse(new Refusal("method_not_allowed", `This path accepts only ${allowed}.`), c, deps);
      reply.headers.set("Allow", allowed);
      return reply;
    });
  }
  app.notFound(async (c) => {
    const refusal = new Refusal("not_found", "This path does not exist.");
    if (environment === "production" && SANDBOX_PATH.test(c.req.path)) return refuse(refusal, c, deps);
    return await admitCertificateAlone(c, deps).then(
      () => refuse(refusal, c, deps),
      (error) => refuse(error, c, deps),
    );
  });
  app.onError((error, c) => refuse(error, c, deps));
  return app;
}

function refuse(error: unknown, c: AppContext, { log, metrics }: Deps): Response {
  const exchange = c.get("exchange");
  const known = error instanceof Refusal ? error : refusalOf(error);
  const refusal = known ?? new Refusal("internal_error");
  if (!(error instanceof Refusal)) {
    log(known ? "warn" : "error", "request failed", {
      request_id: exchange.requestId,
      ...errorFields(error),
    });
    if (!known) metrics.count("gold_unexpected_errors_total");
  }
  c.set("code", refusal.code);
  return c.req.path === TOKEN_PATH ? tokenErrorReply(refusal, exchange) : problemReply(refusal, exchange);
}

function observe(c: AppContext, { log, metrics, refusalLines }: Deps, durationMs: number): void {
  // An unknown path counts as "none". Otherwise callers could create metrics and write their text to the log.
  const operation = c.get("operation");
  const route = operation === undefined ? "none" : ENDPOINTS[operation].path;
  const labels = { route, status: `${c.res.status}` };
  metrics.count("gold_requests_total", labels);
  metrics.observeSeconds("gold_request_seconds", durationMs / 1000, { route });
  const [clientId, code] = [c.get("clientId"), c.get("code")];
  if (code) metrics.count("gold_refusals_total", { code });
  if (code && !c.get("isAdmittedWrite") && !refusalLines.getsLine(clientId, code)) {
    c.res.headers.set(COUNTED_HEADER, "1");
    return;
  }
  log("info", "request", {
    request_id: c.get("exchange").requestId,
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
