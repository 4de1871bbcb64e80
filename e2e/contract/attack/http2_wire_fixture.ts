import { Buffer } from "node:buffer";
import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { pour } from "./bytes_fixture.ts";
import {
  type Field,
  FLAG,
  FRAME,
  type Frame,
  frame,
  PREFACE,
  readFrames,
  SETTING,
  settings,
  statusOf,
} from "./frames_fixture.ts";

const CODE = /"code":"([a-z_]+)"/;

/** An HTTP/2 connection on which a test can send any bytes. It records the frames that it receives. */
export class Http2Wire {
  readonly frames: Frame[] = [];
  readonly #socket: TLSSocket;
  #left: Buffer = Buffer.alloc(0);

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on("data", (part: Buffer) => {
      const { frames, bytes } = readFrames(this.#left = Buffer.concat([this.#left, part]));
      this.#left = this.#left.subarray(bytes);
      this.frames.push(...frames);
      // Acknowledge settings, because Envoy cuts off a client that does not.
      if (frames.some(({ type, flags }) => type === FRAME.settings && flags === 0)) {
        this.write(frame(FRAME.settings, FLAG.ack, 0));
      }
    });
  }

  /**
   * Sends the preface, and sets the size of the header table to 0, so that a reply can be read without a
   * table.
   */
  greet(more: readonly (readonly [number, number])[] = []): this {
    return this.write(Buffer.from(PREFACE), settings([[SETTING.tableSize, 0], ...more]));
  }

  write(...bytes: readonly Uint8Array[]): this {
    if (!this.#socket.destroyed) this.#socket.write(Buffer.concat(bytes));
    return this;
  }

  /** Writes the part again and again, until the connection ends or `maxBytes` were written. */
  async pour(part: Uint8Array, maxBytes: number): Promise<void> {
    await pour(this.#socket, part, maxBytes);
  }

  get ended(): boolean {
    return this.#socket.destroyed || this.#socket.readableEnded || this.#socket.errored !== null;
  }

  close(): void {
    this.#socket.destroy();
  }

  /**
   * The outcome of a stream, such as `200`, `400 path_not_allowed`, `reset` or `goaway`. Undefined until the
   * outcome is known.
   */
  verdictOf(stream: number): string | undefined {
    const own = this.frames.filter((one) => one.stream === stream);
    const head = own.find(({ type }) => type === FRAME.headers);
    if (head) {
      const body = own.filter(({ type }) => type === FRAME.data).map(({ payload }) => payload);
      const ended = own.some(({ type, flags }) => type <= FRAME.headers && (flags & FLAG.endStream) > 0) ||
        own.some(({ type }) => type === FRAME.reset);
      const code = CODE.exec(Buffer.concat(body).toString("latin1"))?.[1];
      return ended || this.ended ? `${statusOf(head)}${code ? ` ${code}` : ""}` : undefined;
    }
    if (own.some(({ type }) => type === FRAME.reset)) return "reset";
    if (this.frames.some(({ type }) => type === FRAME.goaway)) return "goaway";
    return this.ended ? "closed" : undefined;
  }

  async untilVerdict(stream: number, timeoutMs: number): Promise<string> {
    const end = performance.now() + timeoutMs;
    while (performance.now() < end && this.verdictOf(stream) === undefined) await sleep(10);
    return this.verdictOf(stream) ?? "silence";
  }

  async untilEnded(timeoutMs: number): Promise<boolean> {
    const end = performance.now() + timeoutMs;
    while (performance.now() < end && !this.ended) await sleep(10);
    return this.ended;
  }
}

/** The pseudo-headers of a plain request, followed by `more`. */
export function fieldsOf(
  authority: string,
  path: string,
  more: readonly Field[] = [],
  method = "GET",
): Field[] {
  return [[":method", method], [":scheme", "https"], [":authority", authority], [":path", path], ...more];
}
