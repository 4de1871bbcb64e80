import { once } from "node:events";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";

const QUIET_MS = 2500;

/** Writes the text, one byte a character, and returns what comes back until the connection ends or nothing more is said. */
export async function exchange(socket: Duplex, text: string, quietMs: number = QUIET_MS): Promise<string> {
  let received = "";
  let timer = setTimeout(() => socket.destroy(), quietMs);
  socket.setEncoding("latin1").on("error", () => {}).on("data", (part) => {
    received += part;
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), quietMs);
  });
  socket.write(text, "latin1");
  if (!socket.destroyed) await once(socket, "close");
  clearTimeout(timer);
  return received;
}

/**
 * Writes the part again and again, as fast as the other side takes it, until it is cut off, and says how many bytes went; no more
 * than `maxBytes`.
 */
export async function pour(socket: Duplex, part: Uint8Array, maxBytes: number): Promise<number> {
  let wake = () => {};
  const wakeUp = () => wake();
  socket.on("drain", wakeUp).on("close", wakeUp);
  let sent = 0;
  while (sent < maxBytes && !socket.destroyed && !socket.readableEnded) {
    sent += part.length;
    // What is at hand is read in between, so that an end is seen.
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

/** A request with its headers, each a line. */
export function request(line: string, headers: readonly string[] = [], body = ""): string {
  return [line, "Host: localhost", ...headers, "", body].join("\r\n");
}

/** Runs the cases some at a time, each with a connection of its own. */
export async function eachOf<T>(cases: Iterable<T>, act: (one: T) => Promise<unknown>): Promise<void> {
  const queue = [...cases].values();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (const one of queue) await act(one);
  }));
}

const AT_ONCE = 8;
