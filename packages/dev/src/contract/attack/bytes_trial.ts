import { once } from "node:events";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";

/** For the first byte of an answer: longer than Envoy waits for a request. */
const SILENCE_MS = 20_000;
/** For more of it, or for another answer. */
const QUIET_MS = 2000;
const AT_ONCE = 8;

/** What came back on one connection. */
export interface Answer {
  readonly text: string;
  /** The status of each final reply, in their order. */
  readonly statuses: readonly number[];
  /** Nobody answered, and nobody ended the connection. */
  readonly silent: boolean;
}

/** Writes the text, one byte a character, and listens until the connection ends or nothing more is said. */
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

/** Writes the part again and again, as fast as the other side takes it, until it is cut off or so many bytes went; says how many. */
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
