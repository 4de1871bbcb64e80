import { once } from "node:events";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";

/** How long to wait for the first byte of a reply. Longer than Envoy waits for a request. */
const SILENCE_MS = 20_000;
/** How long to wait for more bytes of a reply, or for another reply. */
const QUIET_MS = 2000;
const AT_ONCE = 8;

/** The text and the replies that one connection received. */
export interface Answer {
  readonly text: string;
  /** The status of each final reply, in their order. */
  readonly statuses: readonly number[];
  /** True if nothing was received and the connection was not closed. */
  readonly silent: boolean;
}

/** Writes the text as latin1, one byte per character. Reads until the connection ends or falls silent. */
export async function exchange(socket: Duplex, sent: string, quietMs = QUIET_MS): Promise<Answer> {
  let text = "";
  let silent = false;
  const giveUp = () => {
    silent = text === "";
    socket.destroy();
  };
  let timer = setTimeout(giveUp, SILENCE_MS);
  socket.setEncoding("latin1").on("error", () => {}).on("data", (part) => {
    text += part;
    clearTimeout(timer);
    timer = setTimeout(giveUp, quietMs);
  });
  socket.write(sent, "latin1");
  if (!socket.destroyed) await once(socket, "close");
  clearTimeout(timer);
  return { text, statuses: statusesOf(text), silent };
}

/**
 * Writes the part again and again, as fast as the other side reads. Ends when the connection ends or after
 * `maxBytes`. Returns the number of bytes written.
 */
export async function pour(socket: Duplex, part: Uint8Array, maxBytes: number): Promise<number> {
  let wake = () => {};
  const wakeUp = () => wake();
  socket.on("drain", wakeUp).on("close", wakeUp);
  let sent = 0;
  while (sent < maxBytes && !socket.destroyed && !socket.readableEnded) {
    sent += part.length;
    // Give the event loop a turn to read pending data, so that the end of the connection is noticed.
    if (socket.write(part)) await setImmediate();
    else await new Promise<void>((resolve) => wake = resolve);
  }
  socket.off("drain", wakeUp).off("close", wakeUp);
  return sent;
}

/** The status of each final reply, in their order. */
export function statusesOf(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)].map(([, status]) => Number(status));
}

/** Builds a request with these header lines. */
export function request(line: string, headers: readonly string[] = [], body = ""): string {
  return [line, "Host: localhost", ...headers, "", body].join("\r\n");
}

/** Runs the cases, AT_ONCE of them at a time. */
export async function eachOf<T>(cases: Iterable<T>, act: (one: T) => Promise<unknown>): Promise<void> {
  const queue = [...cases].values();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (const one of queue) await act(one);
  }));
}
