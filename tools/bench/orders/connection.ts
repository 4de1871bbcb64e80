// A kept-alive connection with a minimal reader for the replies of this server. A client library would use
// more CPU than the service that is measured.
import { createConnection, type Socket } from "node:net";

interface Answer {
  readonly status: number;
  readonly body: string;
}

const HEAD_END = "\r\n\r\n";
const CONTENT_LENGTH = /\r\ncontent-length: *([0-9]+)\r\n/i;

/** Returns the reply at the beginning of `text`, or undefined while the reply is incomplete. */
function readAnswer(text: string): Answer | undefined {
  const headEnd = text.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const length = CONTENT_LENGTH.exec(text.slice(0, headEnd + 2))?.[1];
  if (length === undefined) throw new Error(`A reply has no Content-Length:\n${text.slice(0, headEnd)}`);
  const bodyStart = headEnd + HEAD_END.length;
  const bodyEnd = bodyStart + Number(length);
  if (text.length < bodyEnd) return undefined;
  return { status: Number(text.slice(9, 12)), body: text.slice(bodyStart, bodyEnd) };
}

/** Sends one request at a time, as a client without pipelining does. */
export class Connection {
  readonly #socket: Socket;
  #text = "";
  #pending: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  /** Takes the path of a Unix socket, or a connection that is already open. */
  constructor(socket: string | Socket) {
    // Decode as latin1. It gives one character per byte, so the length of the text equals Content-Length.
    this.#socket = (typeof socket === "string" ? createConnection(socket) : socket).setEncoding("latin1");
    this.#socket.on("data", (chunk: string) => this.#read(chunk));
    this.#socket.on("error", (error) => this.#pending?.reject(error));
    this.#socket.on("close", () => this.#pending?.reject(new Error("The service closed a connection.")));
  }

  ask(request: Uint8Array): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      if (this.#socket.destroyed) return reject(new Error("The service closed an idle connection."));
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#text += chunk;
    try {
      const answer = readAnswer(this.#text);
      if (!answer) return;
      this.#text = "";
      this.#pending?.resolve(answer);
    } catch (error) {
      this.#pending?.reject(error as Error);
    }
  }
}
