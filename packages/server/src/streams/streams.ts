import { admitAgain } from "../admission/admit_caller.ts";
import type { AdmissionDeps } from "../admission/deps.ts";
import type { Partner } from "../admission/registry/snapshot.ts";
import type { AppContext } from "../http/context.ts";
import { Refusal } from "../http/refusal.ts";
import { streamReply } from "../http/reply.ts";
import { errorFields } from "../operations/log.ts";
import type { Feed } from "./feed.ts";

/** How many streams a partner may have open in one process of the service. */
export const STREAMS_MAX = 50;
/** Envoy ends a reply after 30 s without a byte. */
const HEARTBEAT_MS = 10_000;
const LONGEST_MS = 600_000;
const CHECK_MS = 1000;
/** The greatest age of a value from a pause that is sent when the pause ends. The feed reads every 50 ms. */
const FRESH_MS = 70;
const MEDIA_TYPE = "text/event-stream";
const NOTHING = {
  next: () => Promise.resolve({ done: true, value: undefined } as const),
  return: () => Promise.resolve(),
};
const PING = ": ping\n\n";
/** How long a browser waits before it opens the stream again. This line also sends the headers at once. */
const OPENED = "retry: 1000\n\n";

/** `left`: the partner closed the stream, or the connection broke. */
type EndReason = "left" | "drain" | "time_limit" | "token_expired" | "suspended" | "revoked";

/** Why a stream ends, by the code with which its request would now be refused. */
const REASON_OF: Partial<Record<string, EndReason>> = {
  token_expired: "token_expired",
  token_invalid: "revoked",
  token_certificate_mismatch: "revoked",
  partner_suspended: "suspended",
  certificate_unknown: "revoked",
  certificate_revoked: "revoked",
  certificate_expired: "revoked",
  ip_not_allowed: "revoked",
};

/** One open stream. */
class Stream {
  partner: Partner;
  reason: EndReason | undefined;
  readonly c: AppContext;
  readonly endsAtMs: number;
  readonly #monotonicMs: () => number;
  #wake = () => {};

  constructor(c: AppContext, partner: Partner, monotonicMs: () => number) {
    this.c = c;
    this.partner = partner;
    this.#monotonicMs = monotonicMs;
    this.endsAtMs = monotonicMs() + LONGEST_MS;
  }

  /**
   * Resolves with news from the feed, after `pauseMs` at the earliest. Resolves with undefined when a heartbeat is
   * due, and when the stream ends.
   */
  async next<Value>(
    feed: Feed<Value>,
    isNews: (value: Value) => boolean,
    pauseMs = 0,
  ): Promise<Value | undefined> {
    if (this.reason) return undefined;
    return await new Promise((resolve) => {
      // Follows during the pause too. Otherwise, if the reads hang after the pause, the stream would show a value for
      // too long that the feed already replaced during the pause.
      let latest: { readonly value: Value; readonly atMs: number } | undefined;
      let pausing = pauseMs > 0;
      const finish = (value?: Value) => {
        leave();
        clearTimeout(pause);
        clearTimeout(heartbeat);
        resolve(value);
      };
      const leave = feed.follow(this, (value) => {
        latest = { value, atMs: this.#monotonicMs() };
        if (!pausing && isNews(value)) finish(value);
      });
      const endPause = () => {
        pausing = false;
        // An older value may have been replaced already. Then the feed has a newer one soon, or says that it is lost.
        const fresh = latest && this.#monotonicMs() - latest.atMs <= FRESH_MS;
        if (latest && fresh && isNews(latest.value)) finish(latest.value);
      };
      const pause = setTimeout(endPause, pauseMs);
      const heartbeat = setTimeout(finish, HEARTBEAT_MS);
      this.#wake = finish;
    });
  }

  end(reason: EndReason): void {
    this.reason ??= reason;
    this.#wake();
  }
}

/** The open streams of this process. */
export interface Streams {
  /**
   * Answers with a stream of the texts that `write` yields; undefined is a heartbeat. The stream's last message
   * says why it ends.
   */
  open(
    c: AppContext,
    partner: Partner,
    write: (stream: Stream) => AsyncGenerator<string | undefined>,
  ): Response;
  /** Ends all streams and refuses new ones, because the process stops. */
  drain(): void;
}

export function openStreams(deps: AdmissionDeps): Streams {
  const { log, metrics, monotonicMs } = deps;
  const streams = new Set<Stream>();
  let draining = false;
  let checking = false;
  metrics.gauge("gold_streams_open", () => streams.size);

  /** Ends the streams of callers whose next request would be refused. */
  const check = async () => {
    for (const stream of streams) {
      if (stream.reason) {
        // It ended before this check, and its reply was not read to the end.
        remove(stream);
        continue;
      }
      if (monotonicMs() >= stream.endsAtMs) stream.end("time_limit");
      try {
        stream.partner = await admitAgain(stream.c, deps);
      } catch (error) {
        // Other errors, such as a registry that is too old, do not show that the caller would be refused.
        const reason = error instanceof Refusal ? REASON_OF[error.code] : undefined;
        if (reason) stream.end(reason);
      }
    }
  };
  let timer: ReturnType<typeof setInterval> | undefined;
  const add = (stream: Stream) => {
    streams.add(stream);
    timer ??= setInterval(() => {
      if (checking) return;
      checking = true;
      void check().finally(() => checking = false);
    }, CHECK_MS).unref();
  };
  const remove = (stream: Stream) => {
    if (!streams.delete(stream)) return;
    metrics.count("gold_streams_ended_total", { reason: stream.reason ?? "failed" });
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    open(c, partner, write) {
      if (draining) {
        throw new Refusal(
          "service_unavailable",
          "This process of the service is stopping. Open the stream again.",
        );
      }
      if ([...streams].filter((stream) => stream.partner.id === partner.id).length >= STREAMS_MAX) {
        throw new Refusal(
          "rate_limited",
          `You have ${STREAMS_MAX} open streams, which is the maximum. Close one.`,
        );
      }
      // The body of a reply to HEAD is never read.
      if (c.req.method === "HEAD") return streamReply(NOTHING, MEDIA_TYPE, c, {});
      const stream = new Stream(c, partner, monotonicMs);
      add(stream);
      const parts = partsOf(stream, write(stream));
      const leave = (value: undefined) => {
        stream.end("left");
        remove(stream);
        return parts.return(value);
      };
      const next = async () => {
        try {
          const part = await parts.next();
          if (part.done) remove(stream);
          return part;
        } catch (error) {
          remove(stream);
          const { requestId } = c.get("exchange");
          log("warn", "stream broken off", { request_id: requestId, ...errorFields(error) });
          throw error;
        }
      };
      // The request has its answer, so its place is free for another request.
      c.env?.incoming?.leave?.();
      return streamReply({ next, return: leave }, MEDIA_TYPE, c, {});
    },
    drain() {
      draining = true;
      for (const stream of streams) stream.end("drain");
    },
  };
}

async function* partsOf(
  stream: Stream,
  texts: AsyncGenerator<string | undefined>,
): AsyncGenerator<string, undefined> {
  yield OPENED;
  for await (const text of texts) {
    if (!stream.reason) yield text ?? PING;
    if (stream.reason) break;
  }
  yield `event: end\ndata: {"reason":"${stream.reason}"}\n\n`;
  return undefined;
}
