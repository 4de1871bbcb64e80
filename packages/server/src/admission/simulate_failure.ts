import { setTimeout as sleep } from "node:timers/promises";
import { ENDPOINTS, problemCodesOf } from "@gold-partner/protocol";
import type { Deps } from "../deps.ts";
import type { AppContext } from "../http/context.ts";
import { Refusal } from "../http/refusal.ts";
import { problemReply } from "../http/reply.ts";
import type { Partner } from "./registry/snapshot.ts";

/**
 * Fails the request if its partner armed a failure. The database counts the failed requests, so that several
 * processes together fail as many as the partner asked for. A request counts once, even if it is admitted
 * again.
 */
export async function simulateFailure(c: AppContext, partner: Partner, deps: Deps): Promise<void> {
  const exchange = c.get("exchange");
  const endpoint = ENDPOINTS[c.get("operation")!];
  const until = partner.simulations?.failure?.until;
  if (until === undefined || Date.parse(until) <= deps.now()) return;
  if (exchange.failure || !endpoint.path.startsWith("/v1/")) return;
  const failure = await deps.booking.takeFailure(partner.id, problemCodesOf(endpoint));
  if (failure?.code) {
    throw new Refusal(
      failure.code,
      "You armed this refusal with POST /sandbox/simulate/failure. Nothing was executed.",
    );
  }
  if (failure) exchange.failure = failure;
}

/** Applies an armed failure to the reply: `hang` delays it, `lost_reply` closes the connection instead. */
export async function failReply(c: AppContext): Promise<void> {
  const exchange = c.get("exchange");
  const { kind, seconds } = exchange.failure!;
  if (kind === "hang") return void await sleep(seconds! * 1000);
  // Without a reply, the proxy answers upstream_unavailable. So this reply goes to the log and the metrics.
  c.set("code", "upstream_unavailable");
  c.res = problemReply(new Refusal("upstream_unavailable"), exchange);
  c.env?.incoming?.socket?.destroy();
}
