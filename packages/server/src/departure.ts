import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "./operations/log.ts";

/** How a server leaves without taking a request along. */
export interface Departure {
  /** From now on every reply says that its connection closes, also those that are being made. */
  announce(): void;
  /** Takes nothing new, lets what is under way finish, and closes. */
  close(): Promise<void>;
}

const GRACE_MS = 10_000;
const IDLE_CHECK_MS = 50;

export function prepareDeparture(server: Server, log: Log): Departure {
  // Connections that have brought no request yet, as a proxy opens ahead of need: closeIdleConnections() does not know them.
  const unused = new Set<Socket>();
  const answering = new Set<ServerResponse>();
  let announced = false;
  server.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.prependListener("request", ({ socket }, response) => {
    unused.delete(socket);
    if (announced) response.shouldKeepAlive = false;
    answering.add(response);
    response.once("close", () => answering.delete(response));
  });
  const closeIdle = () => {
    server.closeIdleConnections();
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
  };
  return {
    announce() {
      announced = true;
      for (const response of answering) response.shouldKeepAlive = false;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Idle connections are closed at once; busy ones get their answer first.
      closeIdle();
      const idle = setInterval(closeIdle, IDLE_CHECK_MS);
      const cut = setTimeout(() => {
        log("warn", "cutting connections that did not finish");
        server.closeAllConnections();
      }, GRACE_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}
