import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { listenOnce } from "./port_holder.ts";

/**
 * The ports from which findFreePort() chooses. They are below the range from which systems assign ports.
 * Otherwise the system could assign the found port to another program before the caller listens.
 */
const PORTS = { first: 15_000, end: 32_000 };
/**
 * A caller gets this many ports in a row: `npm start --port N` registers the demo partner's webhook at N + 1,
 * and serves the documentation at N + 2.
 */
const RUN = 3;
/**
 * The ports are divided into blocks: a first port, and ten runs. A process owns a block while it listens on
 * the block's first port, until the process ends. So two processes never get the same port.
 */
const BLOCK = 1 + 10 * RUN;
const BLOCKS = Math.floor((PORTS.end - PORTS.first) / BLOCK);
const LOOPBACK = "127.0.0.1";

/** Finds ports in blocks that it owns. */
export class PortFinder {
  /** The first ports of the runs in owned blocks that find() has not returned yet. */
  readonly #left: number[] = [];
  #claiming: Promise<void> | undefined;

  async find(sparedPort?: number): Promise<number> {
    for (;;) {
      const port = this.#left.shift();
      if (port === undefined) {
        await (this.#claiming ??= this.#claimBlock().finally(() => this.#claiming = undefined));
        continue;
      }
      if (Math.abs(port - (sparedPort ?? 0)) >= RUN && await areFree(port)) return port;
    }
  }

  async #claimBlock(): Promise<void> {
    for (;;) {
      const first = PORTS.first + BLOCK * randomInt(BLOCKS);
      const owner = createServer().listen(first, LOOPBACK);
      try {
        await once(owner, "listening");
      } catch (error) {
        if (isTaken(error)) continue;
        throw error;
      }
      owner.unref();
      for (let port = first + 1; port < first + BLOCK; port += RUN) this.#left.push(port);
      return;
    }
  }
}

const finder = new PortFinder();

/**
 * Returns a free port. The two ports after it are free, too, and no other call returns any of the three. They
 * differ from `sparedPort` and the two ports after it.
 */
export const findFreePort = (sparedPort?: number): Promise<number> => finder.find(sparedPort);

const isTaken = (error: unknown) => (error as NodeJS.ErrnoException).code === "EADDRINUSE";

/** Whether no program listens on the ports of the run that begins at `first`. */
async function areFree(first: number): Promise<boolean> {
  try {
    for (let port = first; port < first + RUN; port++) await listenOnce(port, LOOPBACK);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}
