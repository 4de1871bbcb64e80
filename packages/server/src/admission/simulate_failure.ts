import { setTimeout as sleep } from "node:timers/promises";
import { ENDPOINTS, problemCodesOf } from "@gold-partner/protocol";
import type { AdmissionDeps } from "./deps.ts";
import type { AppContext } from "../http/context.ts";
import { Refusal } from "../http/refusal.ts";
import { problemReply } from "../http/reply.ts";
import type { Partner } from "./registry/snapshot.ts";

/**
 * Fails the request if its partner requested simulated failures with POST /sandbox/simulate/failure. The
 * database counts the failed requests, so that all processes together fail exactly as many as the partner
 * requested. A request counts once, even if it is admitted again.
 */
export async function simulateFailure(c: AppContext, partner: Partner, deps: AdmissionDeps): Promise<void> {
  const exchange = c.get("exchange");
  const endpoint = ENDPOINTS[c.get("operation")!];
  const until = partner.simulations?.failure?.until;
  if (until === undefined || Date.parse(until) <= deps.now()) return;
  if (exchange.failure || !endpoint.path.startsWith("/v1/")) return;
  const failure = await deps.booking.takeFailure(partner.id, problemCodesOf(endpoint));
  if (failure?.code) {
    throw new Refusal(
      failure.code,
      "You requested this refusal with POST /sandbox/simulate/failure. Nothing was executed.",
    );
  }
  if (failure) exchange.failure = failure;
}

/** Applies a simulated failure to the reply: `hang` delays it, `lost_reply` closes the connection instead. */
export async function failReply(c: AppContext): Promise<void> {
  const exchange = c.get("exchange");
  const { kind, seconds } = exchange.failure!;
  if (kind === "hang") return void await sleep(seconds! * 1000);
  // The proxy answers upstream_unavailable if it gets no reply. Use the same reply here, so that the log and
  // the metrics show this code.
  c.set("code", "upstream_unavailable");
  c.res = problemReply(new Refusal("upstream_unavailable"), exchange);
  c.env?.incoming?.socket?.destroy();
}
