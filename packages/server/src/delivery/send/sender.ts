import { readAnswer, readRetryAfter } from "./answer.ts";
import { EndpointError, findDestination, type Rules } from "../../http/outbound/destination.ts";
import { exchange } from "./exchange.ts";
import { keepDestinations } from "./kept_destinations.ts";
import { PinnedAgent } from "../../http/outbound/pinned_agent.ts";
import { createResolver, type ResolveHost } from "../../http/outbound/resolve_host.ts";
import { type AttemptError, SendError } from "../../http/outbound/send_error.ts";

/** The result of one attempt. Only a 2xx status counts as delivered. */
export interface Attempt {
  readonly durationMs: number;
  /** Null if no answer came. */
  readonly httpStatus: number | null;
  readonly error: AttemptError | null;
  /** The first bytes of an answer that was not 2xx, as printable text. */
  readonly answer: string | null;
  readonly retryAfterSeconds: number | null;
}

type Headers = Readonly<Record<string, string>>;

export interface Sender {
  /**
   * Never rejects. The answer's head must arrive by the deadline. Its body is read for one second at most.
   */
  post(url: string, headers: Headers, body: string): Promise<Attempt>;
  /** Closes its connections. */
  stop(): void;
}

export interface SenderOptions {
  /** Returns the current rules. */
  readonly rules: () => Rules;
  /**
   * PEM of the CA that is trusted at loopback addresses. At all other addresses the system's CAs are trusted.
   */
  readonly ca?: string | undefined;
  readonly resolve?: ResolveHost | undefined;
  /** Unix milliseconds. The date in a Retry-After header is compared with it. */
  readonly nowMs: () => number;
  readonly monotonicMs?: () => number;
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 15_000;

/** Sends webhooks to endpoints that the rules allow. Connects only to addresses that were checked. */
export function createSender(options: SenderOptions): Sender {
  const {
    rules,
    ca,
    resolve = createResolver(),
    nowMs,
    monotonicMs = () => performance.now(),
    deadlineMs = DEADLINE_MS,
  } = options;
  const agents = { keeping: new PinnedAgent(ca, true), fresh: new PinnedAgent(ca, false) };
  const findKept = keepDestinations((url) => findDestination(url, rules(), resolve), monotonicMs);

  async function send(url: string, headers: Headers, body: string): Promise<Attempt> {
    const startedMs = monotonicMs();
    const destination = await findKept(url);
    const response = await exchange({
      destination,
      headers,
      body,
      // Round, so that most timers have the same length. Timers of equal length are cheap.
      deadlineMs: deadlineMs - Math.round(monotonicMs() - startedMs),
    }, agents);
    const { statusCode: httpStatus = 0 } = response;
    const durationMs = Math.round(monotonicMs() - startedMs);
    // The status decides, even if the body is cut off.
    const answer = await readAnswer(response);
    if (httpStatus >= 200 && httpStatus < 300) {
      return { durationMs, httpStatus, error: null, answer: null, retryAfterSeconds: null };
    }
    return {
      durationMs,
      httpStatus,
      error: httpStatus >= 300 && httpStatus < 400 ? "redirect" : null,
      answer: answer || null,
      retryAfterSeconds: readRetryAfter(response.headers["retry-after"], nowMs),
    };
  }

  return {
    async post(url, headers, body) {
      const startedMs = monotonicMs();
      try {
        return await send(url, headers, body);
      } catch (error) {
        const code = error instanceof EndpointError || error instanceof SendError ? error.code : "unexpected";
        const durationMs = Math.round(monotonicMs() - startedMs);
        return { durationMs, httpStatus: null, error: code, answer: null, retryAfterSeconds: null };
      }
    },
    stop() {
      agents.keeping.destroy();
      agents.fresh.destroy();
    },
  };
}
