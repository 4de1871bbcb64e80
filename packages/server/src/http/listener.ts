import { chmod, rm, stat } from "node:fs/promises";
import type { Server } from "node:http";
import { createConnection } from "node:net";
import type { ListenAddress } from "../settings/config.ts";

const SOCKET_UMASK = 0o117;

/** Starts a server at an address. Throws if another service already listens there. */
export async function listen(server: Server, address: ListenAddress): Promise<void> {
  if (address.kind === "unix") await removeStaleSocket(address.path);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (address.kind === "tcp") return void server.listen(address.port, address.host, resolve);
    // Set the umask before the socket is created. So other users cannot open the socket, even before chmod()
    // below runs.
    const mask = process.umask(SOCKET_UMASK);
    server.listen(address.path, resolve);
    process.umask(mask);
  });
  // Give access to the group, which the proxy shares. No other user of the machine may connect to the
  // service.
  if (address.kind === "unix") await chmod(address.path, 0o660);
}

/** Removes the socket that a killed service left behind. A socket that still accepts connections stays. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isSocket()) throw new Error(`${path} exists and is not a socket. Choose an unused path.`);
  const failure = await new Promise<string | undefined>((resolve) => {
    const connection = createConnection(path, () => resolve(undefined))
      .on("error", ({ code }: NodeJS.ErrnoException) => resolve(`${code}`));
    connection.on("connect", () => connection.destroy());
  });
  if (failure === undefined) {
    throw new Error(`Another service listens on ${path}. Stop it, or choose another path.`);
  }
  // Any other failure, such as a missing permission or a full queue, can come from a live service.
  if (failure !== "ECONNREFUSED" && failure !== "ENOENT") {
    throw new Error(`${path} may belong to a running service (${failure}). Stop it, or choose another path.`);
  }
  await rm(path, { force: true });
}

/**
 * Closes a server and its connections. Without closing the connections, the idle connection of a readiness
 * probe would keep the server open.
 */
export async function endListener(server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await ended;
}

export const addressText = (address: ListenAddress) =>
  address.kind === "unix" ? `unix:${address.path}` : `${address.host}:${address.port}`;
