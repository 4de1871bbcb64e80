import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import type { Issued } from "../../../testing/certificates.ts";

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void;

/** A webhook receiver. The test controls its answers, down to the bytes on its connection. */
export interface Receiver {
  readonly port: number;
  /** Each complete request, with its body. */
  readonly received: (Pick<IncomingMessage, "url" | "method" | "rawHeaders"> & { readonly body: string })[];
  /** How many connections were ever opened, and how many are open now. */
  opened(): number;
  open(): number;
  answers(answer: Answer): void;
  stop(): Promise<void>;
}

export async function startReceiver(
  certificate: Issued,
  address = "127.0.0.1",
  keepAliveTimeout = 60_000,
): Promise<Receiver> {
  const received: Receiver["received"] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  let answer: Answer = (response) => void response.writeHead(204).end();
  const server = createServer({ ...certificate, keepAliveTimeout }, (request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (part: string) => body += part);
    request.on("error", () => {});
    request.on("end", () => {
      const { url, method, rawHeaders } = request;
      received.push({ url, method, rawHeaders, body });
      answer(response, request, body);
    });
  });
  server.on("secureConnection", (socket: Socket) => socket.on("error", () => {}));
  server.on("connection", (socket: Socket) => {
    opened++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, address);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    received,
    opened: () => opened,
    open: () => sockets.size,
    answers: (next) => void (answer = next),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A server that must never be reached. It counts connections and bytes. */
export interface ForbiddenPlace {
  readonly port: number;
  connections(): number;
  bytes(): number;
  stop(): Promise<void>;
}

/** Starts a TCP server that accepts connections and answers nothing, unless `act` makes it answer. */
export async function startPlace(act: (socket: Socket) => void = () => {}): Promise<ForbiddenPlace> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let bytes = 0;
  const server = createTcpServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (part) => bytes += part.length);
    act(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    bytes: () => bytes,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
