import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import type { Invocation } from "../command.ts";
import { usage } from "../failure.ts";
import { Access } from "./access.ts";
import { createRoutes } from "./routes.ts";

const LOOPBACK = "127.0.0.1";
const BASE_BYTES = 16;

/** A console that serves. */
export interface Served {
  readonly port: number;
  /** Returns the address that opens the console, once. The one before is void. */
  readonly renewLink: () => string;
  readonly close: () => Promise<void>;
}

interface Options {
  readonly port: number;
  /** Called after a one-time link was used, so that the file gets the next one. */
  readonly onOpened: () => Promise<void>;
}

/** Serves the console of one person on loopback. */
export async function serveConsole(invocation: Invocation, { port, onOpened }: Options): Promise<Served> {
  const access = new Access(invocation.random);
  const folder = await mkdtemp(join(tmpdir(), "gold-console-"));
  const base = `/${randomBytes(BASE_BYTES).toString("hex")}/`;
  const server = createServer(
    getRequestListener(createRoutes(invocation, { access, folder, base, onOpened }).fetch),
  );
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  await listen(server, port).catch(async (error) => {
    await removeFolder();
    throw error;
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    renewLink: () => `http://${LOOPBACK}:${bound}/open/${access.renewLink()}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await removeFolder();
    },
  };
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.on("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "EADDRINUSE" ? usage(`Port ${port} is in use. Give another one with --port.`) : error,
      );
    });
    server.listen(port, LOOPBACK, resolve);
  });
