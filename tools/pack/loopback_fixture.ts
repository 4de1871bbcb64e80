import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface Loopback {
  readonly url: string;
  close(): Promise<void>;
}

/** Opens a server on a free port of this machine. `listenerAt` receives the URL of the server. */
export async function openLoopback(listenerAt: (url: string) => RequestListener): Promise<Loopback> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  server.on("request", listenerAt(url));
  return {
    url,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
