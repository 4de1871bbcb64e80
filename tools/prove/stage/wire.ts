import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";

export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const HEAD_END = "\r\n\r\n";
const CONTENT_LENGTH = /\r\ncontent-length: *([0-9]+)\r\n/i;

/**
 * One persistent connection that carries one request at a time. Requests are bytes that were prepared
 * beforehand.
 */
export class Wire {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #answer: ((reply: Reply | undefined) => void) | undefined;
  #closed = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (part: Buffer) => {
      this.#received = this.#received.length === 0 ? part : Buffer.concat([this.#received, part]);
      const reply = this.#takeReply();
      if (reply) this.#settle(reply);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#closed = true;
      this.#settle(undefined);
    });
  }

  /** Connects to a port of this machine or to the path of a Unix socket. */
  static async open(target: number | string): Promise<Wire> {
    const socket = connectTo(target);
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new Wire(socket);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Returns the reply, or undefined if the connection ends before there is one. */
  send(request: Uint8Array): Promise<Reply | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    if (this.#answer) throw new Error("this connection still waits for a reply");
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#socket.write(request);
    });
  }

  /** Stops reading. The other side may continue to write until its buffer is full. */
  stopReading(): void {
    this.#socket.pause();
  }

  close(): void {
    // Set this now. The socket's own close event comes later, and until then a caller might send on it.
    this.#closed = true;
    this.#socket.destroy();
  }

  #settle(reply: Reply | undefined): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(reply);
  }

  #takeReply(): Reply | undefined {
    const headBytes = this.#received.indexOf(HEAD_END);
    if (headBytes < 0) return undefined;
    const head = this.#received.toString("latin1", 0, headBytes + 2);
    const length = CONTENT_LENGTH.exec(head)?.[1];
    if (length === undefined) throw new Error(`the reply has no Content-Length: ${head}`);
    const bodyStart = headBytes + HEAD_END.length;
    const bodyEnd = bodyStart + Number(length);
    if (this.#received.length < bodyEnd) return undefined;
    const body = this.#received.toString("utf8", bodyStart, bodyEnd);
    this.#received = this.#received.subarray(bodyEnd);
    return new ReceivedReply(head, body);
  }
}

/** Parses its headers only if they are read, because a benchmark sends thousands of requests a second. */
class ReceivedReply implements Reply {
  readonly status: number;
  readonly body: string;
  readonly #head: string;

  constructor(head: string, body: string) {
    this.status = Number(head.split(" ", 2)[1]);
    this.body = body;
    this.#head = head;
  }

  get headers(): ReadonlyMap<string, string> {
    return new Map(
      this.#head.split("\r\n").slice(1, -1).map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
  }
}

export const connectTo = (target: number | string): Socket =>
  typeof target === "number" ? connect(target, "127.0.0.1") : connect(target);

/**
 * A short verdict on a reply: `201`, `200 replayed`, `409 nonce_reused`; `none` if there is no reply, or the
 * sentence that says why there is none.
 */
export function verdictOf(reply: Reply | string | undefined): string {
  if (!reply || typeof reply === "string") return reply ?? "none";
  if (reply.status >= 400) {
    return `${reply.status} ${(JSON.parse(reply.body) as { code?: string }).code ?? "without code"}`;
  }
  return reply.headers.get("idempotent-replayed") === "true" ? `${reply.status} replayed` : `${reply.status}`;
}

/** Returns the reply. Throws if there is none, or if it has another status. */
export function requireReply(what: string, reply: Reply | string | undefined, status = 201): Reply {
  if (typeof reply === "object" && reply.status === status) return reply;
  throw new Error(`${what} failed: ${verdictOf(reply)} ${typeof reply === "object" ? reply.body : ""}`);
}

/** Reads a text of the reply's body. */
export const memberOf = ({ body }: Reply, name: string): string =>
  (JSON.parse(body) as Record<string, string>)[name]!;

/** The order that a success reply contains, executed now or before. */
export function acceptedOrderOf(reply: Reply | undefined): string | undefined {
  return reply && reply.status < 300 ? (JSON.parse(reply.body) as { order_id?: string }).order_id : undefined;
}

/** How often each verdict was given, in the order of their texts. */
export const tallyOf = (replies: readonly (Reply | undefined)[]): Map<string, number> =>
  countEach(replies.map(verdictOf).sort());

export function countEach(texts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) addTo(counts, text);
  return counts;
}

export function addTo(counts: Map<string, number>, text: string, times = 1): void {
  counts.set(text, (counts.get(text) ?? 0) + times);
}

/** The most frequent first. */
export const byFrequency = (counts: ReadonlyMap<string, number>): Map<string, number> =>
  new Map([...counts].sort(([, a], [, b]) => b - a));

export const tallyText = (tally: ReadonlyMap<string, number>): string =>
  [...tally].map(([verdict, times]) => `${times} × ${verdict}`).join(", ");
