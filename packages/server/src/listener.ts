import { chmod, rm, stat } from "node:fs/promises";
import type { Server } from "node:http";
import { createConnection } from "node:net";
import type { ListenAddress } from "./config.ts";

const OTHERS_NOTHING = 0o117;

/** Listens where nobody else does. */
export async function listen(server: Server, address: ListenAddress): Promise<void> {
  if (address.kind === "unix") await removeStaleSocket(address.path);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (address.kind === "tcp") return void server.listen(address.port, address.host, resolve);
    // There is no moment in which the socket is open to more than chmod() leaves.
    const mask = process.umask(OTHERS_NOTHING);
    server.listen(address.path, resolve);
    process.umask(mask);
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

/** Ends it with its connections: whoever asks for readiness over a kept one would keep it for ever. */
export async function endListener(server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await ended;
}

export const addressText = (address: ListenAddress) =>
  address.kind === "unix" ? `unix:${address.path}` : `${address.host}:${address.port}`;
