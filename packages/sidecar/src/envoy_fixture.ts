import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { askAdmin } from "./admin.ts";
import { type EnvoyProcess, startEnvoy } from "./envoy_process.ts";
import { createTestAuthority, type Identity, type TestAuthority } from "./pki_fixture.ts";
import { readSidecarConfig } from "./settings.ts";
import { writeTrust } from "./trust/trust_folder.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";
import { type Answer, readAnswer, readToEnd } from "../../../tools/testing/raw_http.ts";
import { until } from "../../../tools/testing/until.ts";

/**
 * Starts the real Envoy with its real configuration, and behind it a test service that records every request.
 */

export interface Arrived {
  readonly method: string;
  readonly target: string;
  /** Names and values alternate, in the order received. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export type LogLine = Readonly<Record<string, unknown>>;

export interface TestEnvoy {
  readonly folder: string;
  readonly authority: TestAuthority;
  readonly client: Identity;
  /** The secret that Envoy sends to a service on TCP, to prove that the request comes from Envoy. */
  readonly proxySecret: string;
  readonly envoy: EnvoyProcess;
  /** The requests that reached the service. */
  readonly arrived: Arrived[];
  open(options?: ConnectionOptions): Promise<TLSSocket>;
  /** Writes the string as latin1, one byte per character, and reads until the connection ends. */
  send(bytes: string, options?: ConnectionOptions): Promise<Answer>;
  ask(path: string): Promise<string>;
  /** Waits for the first access log line that matches, and returns it with all lines before it. */
  log(fits: (line: LogLine) => boolean): Promise<LogLine[]>;
  trust(revoked: readonly Identity[]): Promise<void>;
  presentServer(identity: Identity): void;
  stop(): Promise<void>;
}

const SECRET = "test-secret-of-32-characters-or-more";

const answerOk: RequestListener = (_request, response) => response.end("ok");

export async function startTestEnvoy(
  settings: Record<string, string> = {},
  answer: RequestListener = answerOk,
  drainSeconds = 2,
): Promise<TestEnvoy> {
  const folder = temporaryFolder("envoy");
  const at = (name: string): string => join(folder, name);
  const authority = createTestAuthority(at("pki"));
  const client = authority.issue("partner");
  const trust = async (revoked: readonly Identity[]): Promise<void> => {
    const revocationLists = [authority.revocationList(revoked)];
    await writeTrust(at("trust"), { certificates: [authority.cert], revocationLists });
  };
  const presentServer = serverCertificates(at("server"));
  await trust([]);
  presentServer(authority.issue("localhost", "serverAuth"));
  writeFileSync(at("secret"), SECRET);
  const service = await startService(settings["UPSTREAMS"], at("service.sock"), answer);
  const config = readSidecarConfig({
    GOLD_ENV: "sandbox",
    PUBLIC_BASE_URL: "https://localhost",
    SIDECAR_LISTEN: "127.0.0.1:0",
    UPSTREAMS: service.address,
    PROXY_SECRET_FILE: at("secret"),
    CONFIG_DIRECTORY: at("config"),
    TRUST_DIRECTORY: at("trust"),
    SERVER_CERTIFICATE_DIRECTORY: at("server"),
    ADMIN_LISTEN: `unix:${at("admin.sock")}`,
    ACCESS_LOG: at("access.log"),
    ...settings,
  });
  const envoy = await startEnvoy({ config, logFile: at("envoy.log"), concurrency: 1, drainSeconds });
  const open = async (options: ConnectionOptions = {}): Promise<TLSSocket> => {
    const { cert, key } = client;
    const socket = connect({
      ...{ host: "127.0.0.1", port: envoy.ports[0]!, servername: "localhost" },
      ...{ ca: authority.cert, cert, key, ALPNProtocols: ["http/1.1"], ...options },
    });
    await once(socket, "secureConnect");
    return socket;
  };
  return {
    ...{
      folder,
      authority,
      client,
      envoy,
      proxySecret: SECRET,
      arrived: service.arrived,
      open,
      trust,
      presentServer,
    },
    send: async (bytes, options) => {
      const socket = await open(options);
      socket.write(bytes, "latin1");
      return readAnswer(await readToEnd(socket));
    },
    ask: (path) => askAdmin(config.adminListen, "GET", path),
    log: (fits) =>
      until(() => {
        const text = readFileSync(at("access.log"), "utf8");
        const lines = text.split("\n").slice(0, -1).map((line) => JSON.parse(line) as LogLine);
        const found = lines.findIndex(fits);
        return found < 0 ? undefined : lines.slice(0, found + 1);
      }) as Promise<LogLine[]>,
    stop: async () => {
      await envoy.stop();
      await service.stop();
    },
  };
}

/**
 * Replaces the certificate as Kubernetes does: creates a symbolic link that points to the new folder, then
 * renames this link so that it replaces the old one.
 */
function serverCertificates(folder: string): (identity: Identity) => void {
  let version = 0;
  return ({ cert, key }) => {
    const fresh = `..version_${version++}`;
    mkdirSync(join(folder, fresh), { recursive: true });
    writeFileSync(join(folder, fresh, "tls.crt"), cert);
    writeFileSync(join(folder, fresh, "tls.key"), key);
    symlinkSync(fresh, join(folder, "..next"));
    renameSync(join(folder, "..next"), join(folder, "..data"));
    if (version > 1) return;
    for (const name of ["tls.crt", "tls.key"]) symlinkSync(join("..data", name), join(folder, name));
  };
}

async function startService(upstreams: string | undefined, path: string, answer: RequestListener) {
  const arrived: Arrived[] = [];
  // Accept requests that the real service would refuse, and keep headers that it would drop. So a test sees
  // exactly what Envoy forwards.
  const server = createServer({ requireHostHeader: false, maxHeaderSize: 64 * 1024 }, (request, response) => {
    const parts: Uint8Array[] = [];
    request.on("data", (part: Uint8Array) => parts.push(part)).on("end", () => {
      const { method = "", url: target = "", rawHeaders } = request;
      arrived.push({ method, target, rawHeaders, body: Buffer.concat(parts).toString("latin1") });
      answer(request, response);
    });
  });
  server.maxHeadersCount = 0;
  const port = /^127\.0\.0\.1:(\d+)$/.exec(upstreams ?? "")?.[1];
  if (port) server.listen(Number(port), "127.0.0.1");
  else server.listen(path);
  await once(server, "listening");
  return {
    arrived,
    address: `unix:${path}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Builds a complete HTTP/1.1 request that asks the server to close the connection. */
export function request(line: string, headers: readonly string[] = [], body = ""): string {
  return [`${line} HTTP/1.1`, "Host: localhost", ...headers, "Connection: close", "", body].join("\r\n");
}
