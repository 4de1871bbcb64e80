import { setTimeout as sleep } from "node:timers/promises";
import { bindsKey, isProblemCode } from "@gold-partner/protocol";
import { UNDECIDED } from "../stage/in_flight_orders.ts";
import { type Reply, verdictOf, Wire } from "../stage/wire.ts";
import type { Draw } from "./draw.ts";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 2000;
const SETTLE_MS = 60_000;

/** How one attempt of a request ended. */
interface Attempt {
  readonly request: string;
  readonly verdict: string;
  readonly sentMs: number;
  readonly tookMs: number;
}

/** What the clients of a round share. */
export interface RoundRecord {
  readonly attempts: Attempt[];
  readonly violations: string[];
  /** How long a client waits for a reply. */
  readonly replyLimitMs: number;
  /** True if this round's fault breaks a client's connection, so that a reply may never arrive. */
  readonly mayTimeOut: boolean;
}

/** A reply, and when the first attempt was sent and the reply arrived. */
export interface Answered {
  readonly reply: Reply;
  readonly fromMs: number;
  readonly toMs: number;
}

/** One connection of a partner. Retries as docs/idempotency.md tells a partner to. */
export class Client {
  readonly #ports: readonly number[];
  readonly #draw: Draw;
  readonly #record: RoundRecord;
  #wire: Wire | undefined;

  constructor(ports: readonly number[], draw: Draw, record: RoundRecord) {
    this.#ports = ports;
    this.#draw = draw;
    this.#record = record;
  }

  /** Sends a write until a reply decides it. Returns undefined, and records a violation, if none does. */
  async write(name: string, request: () => Promise<Uint8Array>): Promise<Answered | undefined> {
    return await this.#retryUntilFinal(name, request, performance.now() + SETTLE_MS);
  }

  /** Reads once. Returns undefined if the read did not succeed, because a failed read tells nothing. */
  async read(name: string, request: Uint8Array): Promise<Answered | undefined> {
    const fromMs = performance.now();
    const reply = await this.#attempt(name, request);
    return reply && reply.status < 300 ? { reply, fromMs, toMs: performance.now() } : undefined;
  }

  close(): void {
    this.#wire?.close();
  }

  async #retryUntilFinal(
    name: string,
    request: () => Promise<Uint8Array>,
    untilMs: number,
  ): Promise<Answered | undefined> {
    const fromMs = performance.now();
    for (let failures = 0;; failures++) {
      const reply = await this.#attempt(name, await request());
      if (reply && isFinal(reply, name)) return { reply, fromMs, toMs: performance.now() };
      const verdict = verdictOf(reply);
      if (!UNDECIDED.includes(verdict)) return undefined;
      if (performance.now() > untilMs) {
        this.#record.violations.push(
          `${name}: no attempt decided it within ${SETTLE_MS} ms; the last: ${verdict}`,
        );
        return undefined;
      }
      const longest = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
      const leastMs = Number(reply?.headers.get("retry-after") ?? 0) * 1000;
      await sleep(Math.max(leastMs, this.#draw.below(longest)));
    }
  }

  /** Returns undefined if there is no reply. */
  async #attempt(name: string, request: Uint8Array): Promise<Reply | undefined> {
    const { attempts, replyLimitMs, mayTimeOut, violations } = this.#record;
    const sentMs = performance.now();
    const ended = await this.#send(request, replyLimitMs);
    const reply = ended === "late" ? undefined : ended;
    const verdict = verdictOf(reply);
    attempts.push({ request: name, verdict, sentMs, tookMs: performance.now() - sentMs });
    if (ended === "late" && !mayTimeOut) violations.push(`${name}: no reply within ${replyLimitMs} ms`);
    if (reply && !isFinal(reply, name) && !UNDECIDED.includes(verdict)) {
      violations.push(`${name} got ${verdict}: ${reply.body}`);
    }
    if (reply?.status === 503 && !reply.headers.has("retry-after")) {
      violations.push(`${name}: a 503 had no Retry-After`);
    }
    return reply;
  }

  async #send(request: Uint8Array, replyLimitMs: number): Promise<Reply | undefined | "late"> {
    if (!this.#wire || this.#wire.closed) {
      this.#wire = await Wire.open(this.#draw.of(this.#ports)).catch(() => undefined);
    }
    if (!this.#wire) return undefined;
    const stop = new AbortController();
    const ended = await Promise.race([
      this.#wire.send(request),
      sleep(replyLimitMs, "late" as const, { signal: stop.signal }).catch(() => "late" as const),
    ]);
    stop.abort();
    // The reply to this request must not be taken for the reply to the next one.
    if (ended === "late") this.#wire.close();
    return ended;
  }
}

/** True if no retry can get another reply. */
function isFinal({ status, body }: Reply, name: string): boolean {
  if (status < 300) return true;
  const { code } = JSON.parse(body) as { code?: string };
  return code !== undefined && isProblemCode(code) &&
    bindsKey(code, name.startsWith("order") ? "order_quote_id" : "other");
}
