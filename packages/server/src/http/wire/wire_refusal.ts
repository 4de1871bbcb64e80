import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type ProblemCode, REPLY_HEADER } from "@gold-partner/protocol";
import { RANK, type Rank, rankOf } from "../turns/rank.ts";
import { LINE_MAX, type TurnRefusal } from "../turns/turns.ts";

/** A refusal of a request that the app has not seen. */
export interface WireRefusal {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Asks the proxy to refuse the excess of further requests itself. */
  readonly pace?: Pace;
}

/**
 * For `ms` milliseconds, the proxy lets so many of a certificate's requests pass: of its orders, of its quotes, or of
 * everything but orders.
 */
interface Pace {
  readonly ms: number;
  readonly perSecond: number;
}

/** The reply header that asks the proxy for a pace. The proxy removes it. */
export const PACE_HEADER = "x-gold-pace";

/** Names this process of the service to the proxy. */
const PROCESS = randomBytes(4).toString("hex");

/** Returns the header's value: the pace, which requests the proxy limits, and which process asks. */
export function paceText(
  { method = "", url = "", headers }: IncomingMessage,
  { code, pace }: WireRefusal,
): string | undefined {
  if (!pace) return undefined;
  const { ms, perSecond } = pace;
  const rank = rankOf(method, url);
  const kind = code === "service_unavailable" ? "quote" : rank === RANK.order ? "order" : "other";
  return [ms, perSecond, kind, PROCESS, headers["x-forwarded-client-cert"] ?? ""].join(" ");
}

/**
 * Longer than the delay of the proxy's refusals. Otherwise the pace would end before a flood that waits for its
 * refusals is sent again.
 */
export const FLOOD_PACE_MS = 3000;
/** More than a process can serve, so that the line stays full. */
const FULL_LINE_MOST_PER_SECOND = 2500;
/**
 * How much more than what was served the proxy lets pass. Some excess must arrive: it shows the service that the
 * overload continues. A quote that is refused here costs much more than one that the proxy refuses.
 */
const OVERLOAD_SHARE = 1.25;
/** And so many more a second, so that the pace grows again soon after a moment in which little was served. */
const OVERLOAD_MORE = 10;
/** Short, because the pace must not outlast the overload. */
const OVERLOAD_PACE_MS = 1000;
/** The longest Retry-After, in seconds. */
const RETURN_MAX_SECONDS = 4;

interface Refused {
  readonly rank: Rank;
  /** How many of the partner's quotes are served in a second. */
  readonly quotesPerSecond: number;
  /** How many of the partner's requests the proxy shall let pass in a second, if the partner is known. */
  readonly passPerSecond?: number | undefined;
}

/** Returns a function that describes the refusal of a request whose turn did not come. */
export function createTurnRefusals(): (reason: TurnRefusal, refused: Refused) => WireRefusal {
  let overloads = 0;
  const tooMany = (passPerSecond = Infinity): WireRefusal => ({
    code: "rate_limited",
    detail:
      `${LINE_MAX} of your requests already wait. This request was not executed. Send fewer at once, and ` +
      "repeat this one with the same Idempotency-Key after the number of seconds in Retry-After.",
    headers: {
      [REPLY_HEADER.rateLimitPolicy]: `"requests_at_once";q=${LINE_MAX};w=1`,
      [REPLY_HEADER.rateLimit]: '"requests_at_once";r=0;t=1',
    },
    pace: { ms: FLOOD_PACE_MS, perSecond: Math.min(FULL_LINE_MOST_PER_SECOND, passPerSecond) },
  });
  const overloaded = ({ rank, quotesPerSecond }: Refused): WireRefusal => ({
    code: "service_unavailable",
    detail:
      "The service is overloaded. This request was not executed. Repeat it with the same Idempotency-Key " +
      "after the number of seconds in Retry-After.",
    // Different values, so that the refused callers do not return all at once.
    headers: { [REPLY_HEADER.retryAfter]: `${1 + overloads++ % RETURN_MAX_SECONDS}` },
    ...(rank === RANK.quote ? { pace: paceOf(quotesPerSecond) } : {}),
  });
  return (reason, refused) => reason === "too_many" ? tooMany(refused.passPerSecond) : overloaded(refused);
}

const paceOf = (quotesPerSecond: number): Pace => ({
  ms: OVERLOAD_PACE_MS,
  perSecond: OVERLOAD_MORE + Math.ceil(OVERLOAD_SHARE * quotesPerSecond),
});
