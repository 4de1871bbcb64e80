import { Buffer } from "node:buffer";
import { once } from "node:events";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import type { Identity, PartnerConnection } from "./partner_connection.ts";
import type { Reply } from "./wire.ts";

/**
 * Sends requests over one HTTP/2 connection. After Envoy has announced with GOAWAY that it closes the
 * connection, the next request opens another one.
 */
export class MultiplexedConnection implements PartnerConnection {
  readonly #port: number;
  readonly #identity: Identity;
  #session: Promise<ClientHttp2Session> | undefined;
  #opened = 0;
  #moved = 0;

  constructor(port: number, identity: Identity) {
    this.#port = port;
    this.#identity = identity;
  }

  get opened(): number {
    return this.#opened;
  }

  async send(request: Uint8Array): Promise<Reply | string> {
    try {
      const session = await (this.#session ??= this.#connect());
      const reply = await exchange(session, request);
      if (reply !== "not begun") return reply;
      this.#moved++;
      return await this.send(request);
    } catch (error) {
      return `HTTP/2: ${(error as Error).message}`;
    }
  }

  /** The number of requests that were refused because of a GOAWAY and then sent over the next connection. */
  get moved(): number {
    return this.#moved;
  }

  close(): void {
    void this.#session?.then((session) => session.close());
  }

  #connect(): Promise<ClientHttp2Session> {
    this.#opened++;
    const session = connect(`https://localhost:${this.#port}`, {
      ...this.#identity,
      servername: "localhost",
    });
    const opening = once(session, "connect").then(() => session);
    // Finish in-flight requests on the old connection, and send later requests over a new one.
    const leave = () => {
      if (this.#session === opening) this.#session = undefined;
      session.close();
    };
    session.on("goaway", leave).on("close", leave).on("error", leave);
    return opening;
  }
}

const HOP = ["host", "x-forwarded-client-cert", "content-length"];

/**
 * Sends the bytes of an HTTP/1.1 request as one HTTP/2 stream. A request whose stream is refused was not
 * processed (RFC 9113, 8.7), so it can be sent again. After a GOAWAY, this client's HTTP/2 library refuses
 * new streams itself.
 */
async function exchange(session: ClientHttp2Session, request: Uint8Array): Promise<Reply | "not begun"> {
  const text = Buffer.from(request).toString("latin1");
  const headEnd = text.indexOf("\r\n\r\n");
  const [start = "", ...lines] = text.slice(0, headEnd).split("\r\n");
  const [method = "", path = ""] = start.split(" ");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  const body = request.subarray(headEnd + 4);
  const stream = session.request({
    ":method": method,
    ":path": path,
    ...Object.fromEntries(headers.filter(([name]) => !HOP.includes(name))),
  }, { endStream: body.length === 0 });
  if (body.length > 0) stream.end(body);
  return await new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let answer: Record<string, unknown> | undefined;
    stream.on("response", (given) => answer = given).on("data", (part: Buffer) => parts.push(part));
    const end = (error: Error) =>
      session.closed && !answer && stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
        ? resolve("not begun")
        : reject(error);
    stream.on("error", end).on("close", () => {
      if (!answer || !stream.readableEnded) {
        return end(new Error("the stream ended before the reply was complete"));
      }
      resolve({
        status: Number(answer[":status"]),
        headers: new Map(Object.entries(answer).map(([name, value]) => [name, `${value}`])),
        body: Buffer.concat(parts).toString(),
      });
    });
  });
}
