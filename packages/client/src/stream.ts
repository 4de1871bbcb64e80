import { hostBytes, type OperationId } from "@gold-partner/protocol";
import type { EventStreamQuery, Prices, WebhookEvent } from "./api_types.ts";
import { targetOf } from "./calls.ts";
import type { Exchange } from "./exchange.ts";
import { GoldError } from "./gold_error.ts";
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
    if (event === "message") yield readMessage<Prices>("streamPrices", data);
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
    if (event === "message") yield readMessage<WebhookEvent>("streamEvents", data);
  }
}

function readMessage<T>(operation: OperationId, data: string): T {
  try {
    return readValue(hostBytes.utf8(data)) as T;
  } catch (cause) {
    const detail = `A message of ${operation} does not have the documented form: see the error's cause.`;
    throw new GoldError("reply_invalid", detail, { cause });
  }
}

/**
 * Yields the messages of a stream. Opens it again whenever it ends or breaks, and throws only permanent
 * failures (docs/webhooks.md). `onId` gets the id of each message that has one.
 */
async function* follow(
  exchange: Exchange,
  operation: OperationId,
  targetOf: () => string,
  { signal }: CallOptions,
  onId: (id: string) => void = () => {},
): AsyncGenerator<Message> {
  /** The pauses since the last comment or data. The next pause grows with them. */
  let pauses = 0;
  for (;;) {
    const call = { target: targetOf(), signal };
    const { body, connection } = await exchange.open(operation, call, () => ++pauses);
    const stop = () => connection.abort(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      for await (const { event, data, id, isComment } of messagesOf(body, connection)) {
        if (event === END) break;
        if (isComment || data !== undefined) pauses = 0;
        if (id !== undefined) onId(id);
        if (data !== undefined) yield { event, data };
      }
    } finally {
      connection.abort();
      signal?.removeEventListener("abort", stop);
    }
    await exchange.pause(++pauses, signal);
  }
}

interface Block {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string | undefined;
  readonly isComment: boolean;
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
  return {
    ...{ event: field("event") ?? "message", id: field("id"), data: field("data") },
    isComment: block.startsWith(":"),
  };
}
