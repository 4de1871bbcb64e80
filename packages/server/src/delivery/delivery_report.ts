import { ID_PREFIX } from "@gold-partner/protocol";
import type { UsageRecorder } from "../admission/usage/usage_recorder.ts";
import type { Log } from "../operations/log.ts";
import type { Metrics } from "../operations/metrics.ts";
import type { CourierReport } from "./courier.ts";
import type { HeldEndpoint } from "./held_endpoint.ts";
import { FAILURES_BEFORE_REST } from "./pace.ts";

interface ReportParts {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly usage: Pick<UsageRecorder, "note">;
  readonly publicIdOf: (client: number) => string | undefined;
  /** Makes publicIdOf know the partners that exist now. */
  readonly refresh: () => Promise<unknown>;
}

const LABELS = {
  delivered: { outcome: "delivered" },
  refused: { outcome: "refused" },
  failed: { outcome: "failed" },
  disabled: { outcome: "disabled" },
};
const ATTEMPTS = "gold_webhook_attempts_total";

/**
 * Reports attempts to the operator. Counts every attempt in the metrics. Logs when an endpoint begins to
 * fail, works again or is disabled, and when an event is parked.
 */
export function createDeliveryReport(
  { log, metrics, usage, publicIdOf, refresh }: ReportParts,
): CourierReport {
  // Create the counters before the first attempt, so that an alert can see the first increase.
  for (const labels of Object.values(LABELS)) metrics.count(ATTEMPTS, labels, 0);
  // The first events of a new partner are sent before the next poll of the registry. So read the registry
  // again before the line of an unknown partner.
  const logOf = ({ partner, number }: HeldEndpoint): Log => async (level, event, fields) => {
    if (publicIdOf(partner) === undefined) await refresh().catch(() => {});
    const publicId = publicIdOf(partner);
    log(level, event, {
      ...(publicId === undefined ? {} : { client_id: publicId }),
      ...(number === 1 ? {} : { endpoint: number }),
      ...fields,
    });
  };
  return {
    onAttempt(endpoint, { event, attempt, verdict, failuresBefore }) {
      metrics.count(ATTEMPTS, LABELS[verdict.outcome]);
      metrics.observeSeconds("gold_webhook_seconds", attempt.durationMs / 1000);
      const [failed, fails] = [failuresBefore, endpoint.pace.failures].map((n) => n >= FAILURES_BEFORE_REST);
      const isParked = verdict.outcome !== "delivered" && verdict.againInMs === null;
      if (failed === fails && verdict.outcome !== "disabled" && !isParked) return;
      const log = logOf(endpoint);
      const fields = {
        ...attempt.httpStatus !== null && { status: attempt.httpStatus },
        ...attempt.error !== null && { code: attempt.error },
      };
      if (failed && !fails) log("info", "webhook endpoint works again", fields);
      if (fails && !failed) log("warn", "webhook endpoint fails", fields);
      if (verdict.outcome === "disabled") log("warn", "webhook endpoint disabled", fields);
      if (isParked) {
        log("warn", "webhook event parked", { ...fields, event_id: ID_PREFIX.event + event.id });
      }
    },
    onSigned(partner, secrets, atMs) {
      for (const { id } of secrets) {
        usage.note({ kind: "webhook_secret", partner, id: `${id}`, atMs });
      }
    },
    onBroken(endpoint, error) {
      metrics.count("gold_unexpected_errors_total");
      const { name, code } = error as { name: string; code?: unknown };
      logOf(endpoint)("error", "webhook not handled", {
        error_name: name,
        ...typeof code === "string" && { code },
      });
    },
  };
}
