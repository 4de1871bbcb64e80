import { setTimeout as sleep } from "node:timers/promises";
import { askAdmin } from "../admin.ts";
import type { UnixAddress } from "../settings_values.ts";

export interface DrainOptions {
  readonly admin: UnixAddress;
  /** Maximum time to wait. */
  readonly seconds: number;
}

/** Connections and requests that are still open. */
interface Remainder {
  readonly connections: number;
  readonly requests: number;
  /** False while Envoy still accepts new connections. */
  readonly closed: boolean;
}

const PAUSE_MS = 100;
const STATS = "^(listener_manager.listener_stopped|http.partners.downstream_(cx|rq)_active)$";

/**
 * Asks Envoy to drain, so that Envoy asks its clients to disconnect. Waits until all have disconnected and
 * Envoy accepts no more connections. During its drain time Envoy still accepts connections, because a load
 * balancer may send some more. So a moment without connections does not end the wait.
 */
export async function drainEnvoy({ admin, seconds }: DrainOptions): Promise<Remainder> {
  const endMs = performance.now() + seconds * 1000;
  await askAdmin(admin, "POST", "/drain_listeners?graceful&inboundonly");
  for (;;) {
    const left = await readRemainder(admin);
    const isDone = left.closed && left.connections === 0;
    if (isDone || performance.now() >= endMs) return left;
    await sleep(Math.min(PAUSE_MS, Math.max(0, endMs - performance.now())));
  }
}

/** Reads from Envoy's statistics how many connections and requests are open. */
export async function readRemainder(admin: UnixAddress): Promise<Remainder> {
  const text = await askAdmin(admin, "GET", `/stats?filter=${encodeURIComponent(STATS)}`);
  const valueOf = (name: string) =>
    Number(text.split("\n").find((line) => line.startsWith(`${name}: `))?.split(" ")[1]);
  const left = {
    connections: valueOf("http.partners.downstream_cx_active"),
    requests: valueOf("http.partners.downstream_rq_active"),
    closed: valueOf("listener_manager.listener_stopped") > 0,
  };
  // Fail if a statistic is missing. NaN never equals 0, so the drain would otherwise wait until its deadline.
  if (Number.isNaN(left.connections + left.requests)) {
    throw new Error("Envoy's stats do not include partners' connections and requests.");
  }
  return left;
}
