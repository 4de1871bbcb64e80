import type { IncomingHttpHeaders } from "node:http";
import { FLOOD_PACE_MS } from "../http/wire/wire_refusal.ts";
import type { Arrival } from "../http/wire/wire_server.ts";
import { PROXY_HEADER } from "./admit_caller.ts";
import type { AdmissionDeps } from "./deps.ts";
import { fingerprintOf, isProxy } from "./identity/client_certificate.ts";
import { FAILURE_POLICY, FAILURE_RATE, TOO_MANY_FAILURES } from "./identity/limit_failures.ts";
import { rateFields, tooFast } from "./rate/rate_fields.ts";
import type { RateTerms } from "./rate/rate_limiter.ts";

/** The line of all callers without a registered certificate, and of every caller while the registry is too old. */
const UNKNOWN: Arrival = { line: "" };
/**
 * The proxy lets this many more requests a second pass than the rate allows. So the partner gets its whole rate, and
 * the service notices that the flood continues.
 */
const PACE_MORE = 60;
const NONE_LEFT = { allowed: false, remaining: 0, resetSeconds: 1 };

/**
 * Identifies the partner from the proxy's headers, before any check, so that the request waits in this partner's
 * line. During a flood of refused requests, also refuses the request, because reading it would cost more.
 */
export function recognize(
  headers: IncomingHttpHeaders,
  { config, registry, limiter, failures, monotonicMs }: AdmissionDeps,
): Arrival {
  if (!isProxy(headers[PROXY_HEADER.secret] as string | undefined, config.proxySecret)) return UNKNOWN;
  // snapshot() throws if the registry is too old. The app then refuses the request.
  if (!registry.isFresh()) return UNKNOWN;
  const fingerprint = fingerprintOf(headers[PROXY_HEADER.certificate] as string | undefined);
  const partner = fingerprint && registry.snapshot().certificates.get(fingerprint)?.partner;
  if (!partner) return UNKNOWN;
  const { id, publicId: line, rate } = partner;
  const nowMs = monotonicMs();
  if (limiter.isFlooded(id, rate, nowMs)) return refused(line, tooFast(rate), rate);
  if (failures.isFlooded(fingerprint, FAILURE_RATE, nowMs)) {
    return refused(line, TOO_MANY_FAILURES, FAILURE_RATE, FAILURE_POLICY);
  }
  return { line, passPerSecond: rate.perSecond + rate.burst + PACE_MORE };
}

const refused = (line: string, detail: string, terms: RateTerms, policy?: string): Arrival => ({
  line,
  refusal: {
    code: "rate_limited",
    detail,
    headers: rateFields(terms, NONE_LEFT, policy),
    pace: { ms: FLOOD_PACE_MS, perSecond: terms.perSecond + PACE_MORE },
  },
});
