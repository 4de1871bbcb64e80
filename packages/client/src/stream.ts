import { hostBytes, type OperationId } from "@gold-partner/protocol";
import type { EventStreamQuery, Prices, WebhookEvent } from "./api_types.ts";
import { targetOf } from "./calls.ts";
import type { Exchange } from "./exchange.ts";
import type { CallOptions } from "./options.ts";
import { readValue } from "./wire_value.ts";

/** A message of a stream of server-sent events. */
interface Message {
  readonly event: string;
  readonly data: string;
}

/** The service sends a comment every ten seconds. After a longer silence, the connection is lost. */
const SILENCE_MS = 30_000;
const END = "end";

export async function* pricesOf(
  exchange: Exchange,
  options: CallOptions,
): AsyncGenerator<Prices | null> {
  const target = targetOf("streamPrices");
  for await (const { event, data } of follow(exchange, "streamPrices", () => target, options)) {
    if (event === "message") yield readValue(hostBytes.utf8(data)) as Prices;
    else if (event === "unavailable") yield null;
  }
}

export async function* eventsOf(
  exchange: Exchange,
  { after }: EventStreamQuery,
  options: CallOptions,
): AsyncGenerator<WebhookEvent> {
  let last = after === undefined ? undefined : `${after}`;
  const target = () => targetOf("streamEvents", { query: { after: last } });
  for await (const { event, data } of follow(exchange, "streamEvents", target, options, (id) => last = id)) {
    if (event === "message") yield readValue(hostBytes.utf8(data)) as WebhookEvent;
  }
}

/**
 * Yields the messages of a stream. Opens it again whenever it ends or breaks, and throws when that cannot help.
 * `onId` gets the id of each message that has one.
 */
async function* follow(
  exchange: Exchange,
  operation: OperationId,
  targetOf: () => string,
  { signal }: CallOptions,
  onId: (id: string) => void = () => {},
): AsyncGenerator<Message> {
  let hasNewToken = false;
  for (let tries = 1;;) {
    const connection = new AbortController();
    const stop = () => connection.abort(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    let retryAfterMs: number | undefined;
    let isOver = false;
    try {
      const call = { target: targetOf(), signal: connection.signal };
      const opened = await exchange.open(operation, call);
      if ("failure" in opened) {
        const { failure } = opened;
        const renews: boolean = failure.cure === "token" && !hasNewToken;
        if (failure.cure !== "wait" && !renews) throw exchange.errorOf(failure, call);
        [isOver, hasNewToken, retryAfterMs] = [renews, renews, failure.retryAfterMs];
      } else {
        hasNewToken = false;
        for await (const { event, data, id } of messagesOf(opened.body, connection)) {
          tries = 1;
          if (id !== undefined) onId(id);
          isOver = event === END;
          if (isOver) break;
          if (data !== undefined) yield { event, data };
        }
      }
    } finally {
      connection.abort();
      signal?.removeEventListener("abort", stop);
    }
    // After its `end`, the next stream has nothing to wait for. The service may refuse it with Retry-After.
    if (!isOver) await exchange.pause(tries++, retryAfterMs, signal);
  }
}

interface Block {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string | undefined;
}

/** Yields the blocks of a stream until it ends, breaks or is silent for too long. */
async function* messagesOf(
  body: AsyncIterable<Uint8Array>,
  connection: AbortController,
): AsyncGenerator<Block> {
  const decoder = new TextDecoder();
  let text = "";
  const silent = () => setTimeout(() => connection.abort(), SILENCE_MS);
  let timer = silent();
  try {
    for await (const part of body) {
      clearTimeout(timer);
      timer = silent();
      const blocks = (text + decoder.decode(part, { stream: true })).split("\n\n");
      text = blocks.pop()!;
      yield* blocks.map(readBlock);
    }
  } catch {
    // A connection that breaks ends the messages as one that is closed. If the caller's signal ended it, the pause
    // that follows throws.
  } finally {
    clearTimeout(timer);
  }
}

function readBlock(block: string): Block {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  return { event: field("event") ?? "message", id: field("id"), data: field("data") };
}
