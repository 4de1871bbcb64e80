import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { basename } from "node:path";

/**
 * Both loopback addresses are checked, because a program that listens on only one of them would receive some
 * of the connections to localhost.
 */
const HOSTS = ["127.0.0.1", "::1"];
const NO_SUCH_ADDRESS = ["EADDRNOTAVAIL", "EAFNOSUPPORT"];

/**
 * Throws if another program listens on the port. The caller checks this before it creates anything. Without
 * the check, two Envoys would silently share a port.
 */
export async function refuseBusyPort(port: number): Promise<void> {
  for (const host of HOSTS) {
    await listenOnce(port, host).catch((error: NodeJS.ErrnoException) => {
      if (NO_SUCH_ADDRESS.includes(error.code ?? "")) return;
      throw new Error(
        error.code === "EADDRINUSE" ? describeBusyPort(port) : describeForbiddenPort(port, error),
      );
    });
  }
}

/** Rejects if this program cannot listen on the port. */
export function listenOnce(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject).listen(port, host, () => server.close(() => resolve()));
  });
}

function describeBusyPort(port: number): string {
  const holder = findHolder(port);
  const other = port + 1000 > 65_535 ? port - 1000 : port + 1000;
  return `Port ${port} is taken${holder ? ` by ${holder}` : ""}. ` +
    `Stop that program, or use another port: npm start -- --port ${other}`;
}

function describeForbiddenPort(port: number, { code, message }: NodeJS.ErrnoException): string {
  return code === "EACCES"
    ? `Port ${port} needs root, because it is below 1024. Use another port with --port.`
    : `npm start cannot listen on port ${port}: ${message}.`;
}

const LISTENS = "0A";

/**
 * Works only on Linux: /proc/net lists the sockets that listen, and /proc/PID/fd the sockets of each process.
 */
function findHolder(port: number): string | undefined {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  try {
    const sockets = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
      readFileSync(file, "utf8").split("\n").slice(1).flatMap((line) => {
        const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
        return local?.endsWith(`:${wanted}`) && state === LISTENS ? [`socket:[${inode}]`] : [];
      })
    );
    for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
      if (openFiles(pid).some((file) => sockets.includes(file))) {
        return `${basename(readlinkSync(`/proc/${pid}/exe`))} (process ${pid})`;
      }
    }
  } catch {
    // Name no process: this is not Linux, or the process has just ended.
  }
  return undefined;
}

/**
 * Returns an empty list for a process of another user, which may not be inspected. Skips files that are
 * closed during the search.
 */
function openFiles(pid: string): string[] {
  const folder = `/proc/${pid}/fd`;
  return attempt(() => readdirSync(folder)).flatMap((fd) => attempt(() => [readlinkSync(`${folder}/${fd}`)]));
}

function attempt(read: () => string[]): string[] {
  try {
    return read();
  } catch {
    return [];
  }
}
