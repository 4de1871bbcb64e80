import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sayEnd, startChild } from "./child.ts";
import type { Database } from "./database.ts";
import { awaitReady } from "./ready.ts";
import type { State } from "./state.ts";
import type { Watchdog } from "./watchdog.ts";

export interface Service {
  readonly pid: number;
  /** Resolves with an error sentence if the service exits unexpectedly. */
  readonly died: Promise<string>;
  ready(): Promise<void>;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL("../../server/src/main.ts", import.meta.url));

/**
 * How long the service may take to stop. This may interrupt a webhook delivery, which can take 15 s; the next
 * start retries it.
 */
const STOP_MS = 2_000;

/** Starts the service, configured by environment variables as in production. */
export function startService(
  state: State,
  { api, delivery, ticker }: Database["urls"],
  baseUrl: string,
  watchdog: Watchdog,
  lanes?: number,
): Service {
  // Two people have signed for every row, once this file exists. See beginTwoPeople().
  const operatorKeys = state.path("keys", "operator_keys");
  const [operations, log] = [state.socket("server_operations.sock"), state.path("log", "server.log")];
  const child = startChild(MAIN, {
    GOLD_ENV: "sandbox",
    PUBLIC_BASE_URL: baseUrl,
    DATABASE_URL: api,
    DELIVERY_DATABASE_URL: delivery,
    TICKER_DATABASE_URL: ticker,
    LISTEN: `unix:${state.socket("server.sock")}`,
    OPERATIONS_LISTEN: `unix:${operations}`,
    PEPPER_SOURCE: `file:${state.path("keys", "pepper")}`,
    SEALING_KEY_SOURCE: `file:${state.path("keys", "sealing_key")}`,
    WEBHOOK_CA: state.path("pki", "webhook_ca.pem"),
    ...(existsSync(operatorKeys) ? { OPERATOR_KEYS: operatorKeys } : {}),
    ...(lanes === undefined ? {} : { LANES: `${lanes}` }),
  }, log);
  watchdog.guard({ pid: child.pid, command: MAIN, signals: ["SIGTERM", "SIGKILL"] });
  return {
    pid: child.pid,
    died: child.exited.then((end) => `${sayEnd("The service", end)} See its log: ${log}`),
    ready: () => awaitReady(operations, child, log),
    stop: () => child.stop(STOP_MS),
  };
}
