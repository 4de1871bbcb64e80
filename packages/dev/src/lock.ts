import { rm } from "node:fs/promises";
import { createConnection, createServer, type Server } from "node:net";

export interface Lock {
  release(): Promise<void>;
}

const ANSWER_MS = 3000;

/** Somebody else holds the lock. */
export class LockedError extends Error {
  override readonly name: string = "LockedError";
}

/**
 * A lock that cannot outlive its holder: a Unix socket that is listened on. What a killed process leaves behind
 * answers nobody, and is taken over.
 */
export async function takeLock(path: string, refusal: string): Promise<Lock> {
  const server = await listen(path).catch(async (error) => {
    if (error.code !== "EADDRINUSE") throw error;
    if (await answers(path)) throw new LockedError(refusal);
    await rm(path, { force: true });
    return await listen(path);
  });
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end());
    server.once("error", reject).listen(path, () => resolve(server));
    server.unref();
  });
}

/**
 * Only a process that lives ends the connection. To connect says nothing: under Deno a child inherits the socket, and
 * where the holder was killed, the kernel still takes connections for it.
 */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path).setTimeout(ANSWER_MS);
    const settle = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.resume().once("end", () => settle(true)).once("timeout", () => settle(false))
      .once("error", () => settle(false));
  });
}
