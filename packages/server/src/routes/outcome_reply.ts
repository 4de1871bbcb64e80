import { PROBLEM_MEDIA_TYPE, problemBody, type ProblemCode, REPLY_HEADER } from "@gold-partner/protocol";
import { limitFields, type LimitState } from "../admission/rate/rate_fields.ts";
import { LIMIT_STATUS, type Outcome } from "../booking/outcome.ts";
import { Refusal } from "../http/refusal.ts";
import type { Exchange } from "../http/context.ts";
import { JSON_MEDIA_TYPE, problemReply, textReply } from "../http/reply.ts";

/** Turns a booking's outcome into a reply: the stored bytes, or a problem that does not bind the key. */
export function outcomeReply({ outcome, status, body }: Outcome, exchange: Exchange): Response {
  switch (outcome) {
    case "answered":
    case "replayed": {
      if (status === LIMIT_STATUS) return limitReply(body!, exchange);
      const replayed = outcome === "replayed";
      const refused = status! >= 400;
      return textReply(
        replayed && !refused ? 200 : status!,
        body!,
        refused ? PROBLEM_MEDIA_TYPE : JSON_MEDIA_TYPE,
        exchange,
        {
          ...(replayed ? { [REPLY_HEADER.idempotentReplayed]: "true" } : {}),
        },
      );
    }
    case "admission_changed":
    case "busy":
      throw new Error(`booking must not return the outcome "${outcome}"`);
    default:
      return problemReply(new Refusal(outcome, body ?? undefined), exchange);
  }
}

/**
 * A refusal by one of the partner's limits. The database gives the code, the detail and the state of the
 * limit. The problem registry gives the rest.
 */
function limitReply(text: string, exchange: Exchange): Response {
  const { code, detail, limit } = JSON.parse(text) as {
    code: ProblemCode;
    detail: string;
    limit: LimitState;
  };
  const { requestId, docsUrl } = exchange;
  const body = problemBody(code, { requestId, docsUrl, detail });
  return textReply(body.status, JSON.stringify(body), PROBLEM_MEDIA_TYPE, exchange, {
    ...limitFields(limit),
    [REPLY_HEADER.retryAfter]: `${limit.reset_seconds}`,
  });
}
