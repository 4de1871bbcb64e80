import { setTimeout as sleep } from "node:timers/promises";
import { askAdmin } from "../admin.ts";
import type { UnixAddress } from "../settings_values.ts";

export interface DrainOptions {
  readonly admin: UnixAddress;
  /** How long to wait at most. */
  readonly seconds: number;
}

/** What was left when the waiting ended. */
interface Remainder {
  readonly connections: number;
  readonly requests: number;
  /** False while new connections are still taken. */
  readonly closed: boolean;
}

const PAUSE_MS = 100;
const STATS = "^(listener_manager.listener_stopped|http.partners.downstream_(cx|rq)_active)$";

/**
 * Has Envoy ask its partners to go, and waits until they have. For its drain time Envoy goes on taking connections, since a
 * balancer may send some more, so a moment without any is not yet the end.
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

/** Who is connected now. */
export async function readRemainder(admin: UnixAddress): Promise<Remainder> {
  const text = await askAdmin(admin, "GET", `/stats?filter=${encodeURIComponent(STATS)}`);
  const valueOf = (name: string) =>
    Number(text.split("\n").find((line) => line.startsWith(`${name}: `))?.split(" ")[1]);
  const left = {
    connections: valueOf("http.partners.downstream_cx_active"),
    requests: valueOf("http.partners.downstream_rq_active"),
    closed: valueOf("listener_manager.listener_stopped") > 0,
  };
  // A number that is missed would pass for an end.
  if (Number.isNaN(left.connections + left.requests)) {
    throw new Error("Envoy counts no partners' connections.");
  }
  return left;
}
