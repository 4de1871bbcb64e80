import { rm } from "node:fs/promises";
import { createConnection, createServer, type Server } from "node:net";

export interface Lock {
  release(): Promise<void>;
}

const ANSWER_MS = 3000;

/** Another process holds the lock. */
export class LockedError extends Error {
  override readonly name: string = "LockedError";
}

/**
 * Takes a lock that is free again when its holder ends, even if the holder is killed. The holder listens on a
 * Unix socket. If nothing answers there, the next caller takes the lock over.
 *
 * @throws LockedError with the message `refusal` if another process holds the lock.
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
 * Returns true if a living process holds the lock. Waits until the connection is closed, because a living
 * holder closes each connection at once. A successful connect proves nothing: under Deno, a child inherits
 * the socket, so the kernel still accepts connections after the holder was killed.
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
