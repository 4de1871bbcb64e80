import { Buffer } from "node:buffer";
import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import type { Identity, Line } from "../partner_line.ts";
import type { Reply } from "../wire.ts";

/** HTTP/2 over one connection, which is left for another when Envoy says that it goes (GOAWAY). */
export class MultiplexedLine implements Line {
  readonly #port: number;
  readonly #identity: Identity;
  #session: Promise<ClientHttp2Session> | undefined;
  #opened = 0;

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
      return await exchange(session, request);
    } catch (error) {
      return `HTTP/2: ${(error as Error).message}`;
    }
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
    // What is under way ends on the old one; what comes next takes another.
    const leave = () => {
      if (this.#session === opening) this.#session = undefined;
      session.close();
    };
    session.on("goaway", leave).on("close", leave).on("error", leave);
    return opening;
  }
}

const HOP = ["host", "x-forwarded-client-cert", "content-length"];

/** The same bytes that HTTP/1.1 would send, taken apart. */
async function exchange(session: ClientHttp2Session, request: Uint8Array): Promise<Reply> {
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
    stream.on("error", reject).on("close", () => {
      if (!answer || !stream.readableEnded) {
        return reject(new Error("the stream ended without a whole reply"));
      }
      resolve({
        status: Number(answer[":status"]),
        headers: new Map(Object.entries(answer).map(([name, value]) => [name, `${value}`])),
        body: Buffer.concat(parts).toString(),
      });
    });
  });
}
