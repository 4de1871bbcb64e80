import { readAnswer, readRetryAfter } from "./answer.ts";
import { EndpointError, findDestination, type Rules } from "../../outbound/destination.ts";
import { exchange } from "./exchange.ts";
import { keepDestinations } from "./kept_destinations.ts";
import { PinnedAgent } from "../../outbound/pinned_agent.ts";
import { createResolver, type ResolveHost } from "../../outbound/resolve_host.ts";
import { type AttemptError, SendError } from "../../outbound/send_error.ts";

/** How one attempt went. A 2xx status alone is a delivery. */
export interface Attempt {
  readonly durationMs: number;
  /** None came where it is null. */
  readonly httpStatus: number | null;
  readonly error: AttemptError | null;
  /** The first bytes of an answer that was no 2xx, as text that prints. */
  readonly answer: string | null;
  readonly retryAfterSeconds: number | null;
}

type Headers = Readonly<Record<string, string>>;

export interface Sender {
  /** Never rejects. The answer's head comes by the deadline or not at all, and its body takes a second at most. */
  post(url: string, headers: Headers, body: string): Promise<Attempt>;
  /** Closes its connections. */
  stop(): void;
}

export interface SenderOptions {
  /** As they are now. */
  readonly rules: () => Rules;
  /** PEM of who is trusted at loopback addresses; everywhere else the system's authorities are. */
  readonly ca?: string | undefined;
  readonly resolve?: ResolveHost | undefined;
  /** What the date of a Retry-After is compared with. */
  readonly nowMs: () => number;
  readonly monotonicMs?: () => number;
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 15_000;

/** Sends webhooks to whom the rules allow, over connections to judged addresses alone. */
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
      // Rounded, so that the usual one is the same number: timers of one length are cheap.
      deadlineMs: deadlineMs - Math.round(monotonicMs() - startedMs),
    }, agents);
    const { statusCode: httpStatus = 0 } = response;
    const durationMs = Math.round(monotonicMs() - startedMs);
    // What the head says stands, however the body ends.
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
