import { chmod, rm, stat } from "node:fs/promises";
import { createConnection, type Socket } from "node:net";
import type { Server } from "node:http";
import { ID_PREFIX, newId } from "@gold-partner/protocol";
import { createApp } from "./app.ts";
import { assemble } from "./assembly.ts";
import { about, type Config, type ListenAddress } from "./config.ts";
import { createLog, type Log } from "./operations/log.ts";
import { createOperationsServer } from "./operations/operations_server.ts";
import { createWireServer } from "./wire/wire_server.ts";

export interface Service {
  /** Stops taking connections, lets what is under way finish, then closes everything. */
  stop(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 15_000;
const GRACE_MS = 10_000;
const PING_MS = 2000;

/** Assembles the real parts and serves them. */
export async function startService(config: Config, write: (line: string) => void): Promise<Service> {
  const log = createLog(write, () => new Date());
  const { deps, stop: dismantle } = await assemble(config, log);
  const { registry, reads, metrics } = deps;

  let stopping = false;
  const isReady = async () =>
    !stopping && registry.isFresh() &&
    await Promise.race([reads.ping().then(() => true, () => false), falseAfter(PING_MS)]);
  const operations = createOperationsServer({ metrics, isReady });
  const server = createWireServer({
    fetch: createApp(deps).fetch,
    log,
    metrics,
    newRequestId: () => newId(ID_PREFIX.request, deps.now(), deps.random),
    patienceMs: REQUEST_TIMEOUT_MS,
  });
  const unused = watchUnused(server);
  try {
    await about("OPERATIONS_LISTEN", listen(operations, config.operationsListen));
    await about("LISTEN", listen(server, config.listen));
  } catch (error) {
    operations.close();
    await dismantle();
    throw error;
  }
  log("info", "serving", { address: addressText(config.listen), pid: process.pid });

  return {
    async stop() {
      stopping = true;
      log("info", "stopping", { pid: process.pid });
      await closeGracefully(server, unused, log);
      await dismantle();
      await new Promise((resolve) => operations.close(resolve));
      log("info", "stopped", { pid: process.pid });
    },
  };
}

/** Idle connections are closed at once; busy ones get their answer first. */
async function closeGracefully(server: Server, unused: ReadonlySet<Socket>, log: Log): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const closeIdle = () => {
    server.closeIdleConnections();
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
  };
  closeIdle();
  const idle = setInterval(closeIdle, 50);
  const cut = setTimeout(() => {
    log("warn", "cutting connections that did not finish");
    server.closeAllConnections();
  }, GRACE_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

/** Connections that have brought no request yet, as a proxy opens ahead of need: closeIdleConnections() does not know them. */
function watchUnused(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>();
  server.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", ({ socket }) => unused.delete(socket));
  return unused;
}

async function listen(server: Server, address: ListenAddress): Promise<void> {
  if (address.kind === "unix") await removeStaleSocket(address.path);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (address.kind === "unix") server.listen(address.path, resolve);
    else server.listen(address.port, address.host, resolve);
  });
  // The proxy shares the group; nobody else on the machine may speak to the service.
  if (address.kind === "unix") await chmod(address.path, 0o660);
}

/** A killed service leaves its socket behind. One that still answers belongs to somebody and is left alone. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isSocket()) throw new Error(`${path} exists and is no socket; LISTEN needs a path of its own.`);
  const answers = await new Promise<boolean>((resolve) => {
    const connection = createConnection(path, () => resolve(true)).on("error", () => resolve(false));
    connection.on("connect", () => connection.destroy());
  });
  if (answers) throw new Error(`Another service listens on ${path}.`);
  await rm(path);
}

const addressText = (address: ListenAddress) =>
  address.kind === "unix" ? `unix:${address.path}` : `${address.host}:${address.port}`;

const falseAfter = (ms: number) =>
  new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ms).unref());
