import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from "@gold-partner/client";

/** Each fault that a receiver can be built with, and the checks that must find it. */
export const FAULTS = {
  accepts_forged: ["forged", "stale"],
  accepts_unsigned: ["forged"],
  accepts_stale: ["stale"],
  answers_before_verifying: ["forged", "stale"],
  verifies_parsed_json: ["raw body"],
  accepts_first_signature_only: ["two secrets"],
  processes_duplicates: ["duplicated"],
  deduplicates_by_signature: ["duplicated"],
  refuses_duplicates: ["duplicated"],
  refuses_early_events: ["reordered", "gap"],
  drops_late_events: ["reordered", "gap", "filtered"],
  ignores_gaps: ["reordered", "gap"],
  waits_for_every_number: ["filtered"],
  refuses_null_previous: ["filtered"],
  refuses_unknown_types: ["unknown type"],
  drops_unknown_types: ["unknown type"],
  accepts_oversized: ["oversized"],
  crashes_on_oversized: ["oversized"],
  answers_too_late: ["delivery"],
} as const;

export type ReceiverFault = keyof typeof FAULTS;

const BODY_MAX_BYTES = 65_536;
const SECOND = /^(\S+) \S+$/;

export interface FaultyReceiver {
  readonly url: URL;
  stop(): Promise<void>;
}

/**
 * Starts a receiver. For each event that it processes, it writes a line `SEQUENCE TYPE ID` to the file `log`.
 * Without a fault, it does everything right.
 */
export async function startFaultyReceiver(
  { secret, log, fault }: { secret: string; log: string; fault?: ReceiverFault },
): Promise<FaultyReceiver> {
  const inbox = new Inbox(log, fault);
  const server = createServer(async (request, response) => {
    const status = await receive(request).catch(() => 500);
    if (status === "crash") {
      server.close();
      server.closeAllConnections();
    } else if (status !== "none") response.writeHead(status).end();
  });

  async function receive(request: IncomingMessage): Promise<number | "none" | "crash"> {
    const isLong = Number(request.headers["content-length"]) > BODY_MAX_BYTES;
    if (isLong && fault === "crashes_on_oversized") return "crash";
    const raw = await buffer(request);
    if (isLong) return fault === "accepts_oversized" ? 200 : 413;
    if (fault === "answers_too_late") return "none";
    const event = verify(raw.toString("utf8"), request.headers);
    if (!event) return fault === "answers_before_verifying" ? 200 : 400;
    return inbox.put(event, `${request.headers["webhook-signature"]}`);
  }

  function verify(body: string, headers: IncomingHttpHeaders): WebhookEvent | undefined {
    const signature = `${headers["webhook-signature"] ?? ""}`;
    if (fault === "accepts_forged") return JSON.parse(body);
    if (fault === "accepts_unsigned" && signature === "") return JSON.parse(body);
    const parsed = fault === "verifies_parsed_json" ? JSON.stringify(JSON.parse(body)) : body;
    const offered = fault === "accepts_first_signature_only" ? signature.replace(SECOND, "$1") : signature;
    const toleranceSeconds = fault === "accepts_stale" ? 1_000_000 : 300;
    try {
      return verifyWebhook(parsed, { ...headers, "webhook-signature": offered }, secret, { toleranceSeconds })
        .event;
    } catch (error) {
      if (error instanceof WebhookVerificationError) return undefined;
      throw error;
    }
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    async stop() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Stores each event once, and processes it after the event that its previous_sequence names, unless its fault
 * makes it do otherwise.
 */
class Inbox {
  readonly #log: string;
  readonly #fault: ReceiverFault | undefined;
  readonly #stored = new Map<number, WebhookEvent>();
  readonly #done = new Set<number>();
  readonly #signatures = new Set<string>();
  constructor(log: string, fault: ReceiverFault | undefined) {
    [this.#log, this.#fault] = [log, fault];
  }

  put(event: WebhookEvent, signature: string): number {
    const fault = this.#fault;
    const { sequence } = event;
    const isKnown = this.#signatures.has(signature);
    this.#signatures.add(signature);
    if (event.type !== "order.executed") {
      if (fault === "refuses_unknown_types") return 501;
      if (fault === "drops_unknown_types") return 200;
    }
    if (this.#done.has(sequence) || this.#stored.has(sequence)) {
      if (fault === "processes_duplicates") this.#process(event);
      if (fault === "deduplicates_by_signature" && !isKnown) this.#process(event);
      return fault === "refuses_duplicates" ? 409 : 200;
    }
    if (fault === "refuses_early_events" && !this.#isNext(event)) return 500;
    if (fault === "refuses_null_previous" && event.previous_sequence === null && sequence > 1) return 500;
    this.#stored.set(sequence, event);
    if (fault === "ignores_gaps") this.#process(event);
    else if (fault === "drops_late_events") {
      this.#process(event);
      for (let number = 1; number <= sequence; number++) this.#done.add(number);
    } else {
      for (const next of [...this.#stored.values()].sort((one, other) => one.sequence - other.sequence)) {
        if (!this.#isNext(next)) continue;
        this.#process(next);
        this.#done.add(next.sequence);
        this.#stored.delete(next.sequence);
      }
    }
    return 200;
  }

  #isNext({ sequence, previous_sequence }: WebhookEvent): boolean {
    const previous = this.#fault === "waits_for_every_number" ? sequence - 1 : previous_sequence;
    return !previous || this.#done.has(previous);
  }

  #process({ sequence, type, id }: WebhookEvent): void {
    appendFileSync(this.#log, `${sequence} ${type} ${id}\n`);
  }
}
