import type { IncomingMessage } from "node:http";
import { type ProblemCode, REPLY_HEADER } from "@gold-partner/protocol";
import { RANK, rankOf } from "../turns/rank.ts";
import { LINE_MAX, type TurnRefusal } from "../turns/turns.ts";

/** A refusal of a request that the app has not seen. */
export interface WireRefusal {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Asks the proxy to refuse the excess of further requests itself. */
  readonly pace?: Pace;
}

/** For `ms` milliseconds, the proxy lets `count` of a certificate's requests pass in each 50 ms. */
interface Pace {
  readonly ms: number;
  readonly count: number;
}

/** The reply header that asks the proxy for a pace. The proxy removes it. */
export const PACE_HEADER = "x-gold-pace";

/** Names the requests that the proxy limits: the orders of a certificate, or its other requests. */
export const paceText = ({ method = "", url = "", headers }: IncomingMessage, { ms, count }: Pace): string =>
  [
    ms,
    count,
    rankOf(method, url) === RANK.order ? "order" : "other",
    headers["x-forwarded-client-cert"] ?? "",
  ].join(" ");

/** More than a process can serve, so that the line stays full. The service refuses the rest itself. */
const FULL_LINE_PACE: Pace = { ms: 3000, count: 128 };
/** The longest Retry-After, in seconds. */
const RETURN_MAX_SECONDS = 4;

/** Returns a function that describes the refusal of a request whose turn did not come. */
export function createTurnRefusals(): (reason: TurnRefusal) => WireRefusal {
  let overloads = 0;
  const tooMany: WireRefusal = {
    code: "rate_limited",
    detail:
      `${LINE_MAX} of your requests already wait. This request was not executed. Send fewer at once, and ` +
      "repeat this one with the same Idempotency-Key after the number of seconds in Retry-After.",
    headers: {
      [REPLY_HEADER.rateLimitPolicy]: `"requests_at_once";q=${LINE_MAX};w=1`,
      [REPLY_HEADER.rateLimit]: '"requests_at_once";r=0;t=1',
    },
    pace: FULL_LINE_PACE,
  };
  const overloaded = (): WireRefusal => ({
    code: "service_unavailable",
    detail:
      "The service is overloaded. This request was not executed. Repeat it with the same Idempotency-Key " +
      "after the number of seconds in Retry-After.",
    // Different values, so that the refused callers do not return all at once.
    headers: { [REPLY_HEADER.retryAfter]: `${1 + overloads++ % RETURN_MAX_SECONDS}` },
  });
  return (reason) => reason === "too_many" ? tooMany : overloaded();
}
