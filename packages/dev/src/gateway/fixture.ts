import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { randomUUID, webcrypto } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { type Gateway, type GatewayOptions, startGateway } from "./start_gateway.ts";

/** Fixtures for the gateway's tests: certificates, a service, and a client that writes raw bytes. */

export interface Issued {
  cert: string;
  key: string;
  der: Uint8Array;
}

export interface Authority {
  ca: string;
  issue(name: string, lifetimeMs?: number): Promise<Issued>;
}

const EC = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const HOUR_MS = 3_600_000;

export async function createAuthority(): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(EC, true, ["sign", "verify"]) as webcrypto.CryptoKeyPair;
  const notBefore = new Date(Date.now() - HOUR_MS);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=Test CA",
    keys,
    signingAlgorithm: EC,
    notBefore,
    notAfter: new Date(Date.now() + HOUR_MS),
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    ca: root.toString("pem"),
    issue: async (name, lifetimeMs = HOUR_MS) => {
      const own = await webcrypto.subtle.generateKey(EC, true, ["sign", "verify"]) as webcrypto.CryptoKeyPair;
      const certificate = await x509.X509CertificateGenerator.create({
        subject: `CN=${name}`,
        issuer: root.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: EC,
        notBefore,
        notAfter: new Date(Date.now() + lifetimeMs),
        extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: name }])],
      });
      return {
        cert: certificate.toString("pem"),
        key: x509.PemConverter.encode(
          await webcrypto.subtle.exportKey("pkcs8", own.privateKey),
          "PRIVATE KEY",
        ),
        der: new Uint8Array(certificate.rawData),
      };
    },
  };
}

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

export interface Answer {
  status: number;
  head: string;
  body: string;
}

export async function startFixture(
  { authority, client, gateway: server }: { authority: Authority; client: Issued; gateway: Issued },
  answer: RequestListener,
  options: Partial<GatewayOptions> = {},
): Promise<Fixture> {
  const upstream = await startUpstream(answer);
  const log: string[] = [];
  const gateway = await startGateway({
    port: 0,
    ca: authority.ca,
    cert: server.cert,
    key: server.key,
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
    cert: client.cert,
    key: client.key,
  };
  const open = async (overrides: ConnectionOptions = {}): Promise<TLSSocket> => {
    const socket = connect({ ...credentials, ...overrides });
    await once(socket, "secureConnect");
    return socket;
  };
  return {
    gateway,
    upstream,
    credentials,
    log,
    open,
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

export async function readToEnd(socket: TLSSocket): Promise<string> {
  let received = "";
  socket.setEncoding("latin1");
  for await (const chunk of socket) received += chunk;
  return received;
}

export function readAnswer(received: string): Answer {
  const end = received.indexOf("\r\n\r\n");
  const head = received.slice(0, end);
  return { status: Number(head.split(" ")[1]), head: head.toLowerCase(), body: received.slice(end + 4) };
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

/** The values of one header of an echoed request. */
export function valuesIn(echoed: Echo, name: string): string[] {
  return echoed.rawHeaders.filter((_, i, all) => i % 2 === 1 && all[i - 1]!.toLowerCase() === name);
}
