import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { createTestAuthority } from "./certificates.ts";

export interface SilentDatabase {
  /** Requires TLS. */
  readonly url: string;
  stop(): Promise<void>;
}

const SSL_REQUEST_BYTES = 8;
/** The Postgres messages AuthenticationOk and ReadyForQuery. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

/**
 * Starts a server that speaks Postgres over TLS until the login. After that it is silent, like a machine that
 * lost its power.
 */
export async function silentDatabase(): Promise<SilentDatabase> {
  const { cert, key } = createTestAuthority().issue(["localhost"]);
  const open = new Set<Socket>();
  const inside = createTlsServer({ cert, key }, (socket) => {
    socket.on("error", () => {}).once("data", () => socket.write(WELCOME));
    socket.resume();
  });
  const port = await listen(inside);
  const outside = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("data", (first) => {
      if (first.length !== SSL_REQUEST_BYTES) return void socket.destroy();
      const onward = connect(port, "127.0.0.1").on("error", () => {});
      open.add(onward);
      socket.write("S");
      socket.pipe(onward).pipe(socket);
    });
  });
  const url = `postgres://gold_api:x@127.0.0.1:${await listen(outside)}/gold?sslmode=require`;
  return {
    url,
    async stop() {
      for (const socket of open) socket.destroy();
      await Promise.all([outside, inside].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
