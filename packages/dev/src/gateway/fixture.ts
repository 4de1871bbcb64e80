import { createTestAuthority, type Issued, type TestAuthority } from "@gold-partner/server/testing";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { type Answer, readAnswer, readToEnd } from "../../../../tools/testing/raw_http.ts";
import { type Gateway, type GatewayOptions, startGateway } from "./start_gateway.ts";

/** Fixtures for the gateway's tests: a service, and a client that writes raw bytes. */

/** A real HTTP server on a Unix socket. */
export interface Upstream {
  path: string;
  server: Server;
  /** How many connections it has accepted. */
  connections(): number;
  stop(): Promise<void>;
}

export async function startUpstream(answer: RequestListener): Promise<Upstream> {
  const path = join(tmpdir(), `gold-gw-${randomUUID().slice(0, 13)}.sock`);
  // Accept requests and headers that a Node server refuses or drops by default, so that a test sees exactly
  // what the gateway forwards.
  const server = createServer({ requireHostHeader: false, maxHeaderSize: 64 * 1024 }, answer);
  server.maxHeadersCount = 0;
  let accepted = 0;
  server.on("connection", () => accepted++);
  server.listen(path);
  await once(server, "listening");
  return {
    path,
    server,
    connections: () => accepted,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(path, { force: true });
    },
  };
}

export interface Fixture {
  authority: TestAuthority;
  client: Issued;
  /** The gateway's own certificate. */
  server: Issued;
  gateway: Gateway;
  upstream: Upstream;
  /**
   * The connection options of a client: the gateway's address, its CA, and the client's certificate and key.
   */
  credentials: ConnectionOptions;
  log: string[];
  open(overrides?: ConnectionOptions): Promise<TLSSocket>;
  /** Writes the bytes and returns all that comes back until the connection ends. */
  send(bytes: string, overrides?: ConnectionOptions): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startFixture(
  answer: RequestListener,
  options: Partial<GatewayOptions> = {},
): Promise<Fixture> {
  const authority = createTestAuthority();
  const [client, server] = [authority.issue(["client"]), authority.issue(["localhost"])];
  const upstream = await startUpstream(answer);
  const log: string[] = [];
  const gateway = await startGateway({
    port: 0,
    ca: authority.ca,
    ...server,
    upstreams: [upstream.path],
    newRequestId: () => "req_fixture",
    log: (line) => log.push(line),
    ...options,
  });
  const credentials = {
    host: "127.0.0.1",
    port: gateway.port,
    servername: "localhost",
    ca: authority.ca,
    ...client,
  };
  const open = async (overrides: ConnectionOptions = {}): Promise<TLSSocket> => {
    const socket = connect({ ...credentials, ...overrides });
    await once(socket, "secureConnect");
    return socket;
  };
  return {
    ...{ authority, client, server, gateway, upstream, credentials, log, open },
    send: async (bytes, overrides) => {
      const socket = await open(overrides);
      socket.write(bytes, "latin1");
      return readAnswer(await readToEnd(socket));
    },
    stop: async () => {
      await upstream.stop();
      await gateway.close();
    },
  };
}

/** A listener that answers with the request that arrived. */
export const echo: RequestListener = (request, response) => {
  const chunks: Uint8Array[] = [];
  request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, rawHeaders } = request;
    const body = Buffer.concat(chunks).toString("latin1");
    const text = JSON.stringify({ method, url, rawHeaders, body } satisfies Echo);
    response.writeHead(200, { "content-length": Buffer.byteLength(text) }).end(text);
  });
};

export interface Echo {
  method: string | undefined;
  url: string | undefined;
  rawHeaders: string[];
  body: string;
}
