import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "./log.ts";

/** Closes a server without losing a request. */
export interface GracefulShutdown {
  /** From now on every reply closes its connection, including the replies to in-flight requests. */
  announce(): void;
  /** Refuses new connections and lets in-flight requests finish. After GRACE_MS it cuts open connections. */
  close(): Promise<void>;
}

const GRACE_MS = 10_000;
const IDLE_CHECK_MS = 50;

export function prepareShutdown(server: Server, log: Log): GracefulShutdown {
  // Connections that have carried no request yet, such as those that a proxy opens in advance.
  // closeIdleConnections() does not close them.
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
      // Closes idle connections at once; busy connections get their reply first.
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
