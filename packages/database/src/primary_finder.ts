import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type DatabaseHost, nameOf } from "./database_url.ts";

/** The error code if no host is the primary, but a host answered. A failover is probably under way. */
export const NO_PRIMARY = "NO_PRIMARY";

/** Returns the timeline of the host's log, or null if the host is a standby. Throws if it does not answer. */
type AskTimeline = (host: DatabaseHost) => Promise<number | null>;

interface Answer {
  readonly host: DatabaseHost;
  readonly timeline: number;
}

/**
 * How long a search waits for a promotion, if a host may become the primary. Otherwise it ends when every host has
 * failed.
 */
const SEARCH_MS = 3000;
const PAUSE_MS = 100;
/**
 * How long a search waits for the other hosts after one has answered as the primary. After a promotion, the
 * old primary may run again. The primary with the higher timeline is the one that was promoted later.
 */
const GRACE_MS = 300;
/** SQLSTATE of a server that starts, recovers or shuts down. */
const IN_TRANSITION = /^57P0[1-3]$/;

/**
 * Finds the primary among the hosts of a database URL. All clients of these hosts in this process share the
 * result, whatever their login, so that they never use two servers at once. Each login searches for itself,
 * because the servers may refuse another login.
 */
export class PrimaryFinder {
  readonly #hosts: readonly DatabaseHost[];
  readonly #sockets = new Map<Socket, DatabaseHost>();
  #known: DatabaseHost | undefined;
  /** The highest timeline of any primary so far. A primary with a lower one is refused. */
  #timeline = 0;
  /** The searches that run, by login. */
  readonly #searches = new Map<string, Promise<DatabaseHost>>();

  constructor(hosts: readonly DatabaseHost[]) {
    this.#hosts = hosts;
  }

  /**
   * Returns the known primary, or asks all hosts with this login. Throws after SEARCH_MS, or if every host
   * fails.
   */
  find(login: string, ask: AskTimeline): Promise<DatabaseHost> {
    if (this.#known) return Promise.resolve(this.#known);
    const running = this.#searches.get(login);
    if (running) return running;
    const search = this.#searchAll(ask).finally(() => this.#searches.delete(login));
    this.#searches.set(login, search);
    return search;
  }

  /** Makes the next find() search, because a connection to this host failed. */
  forget(host: DatabaseHost): void {
    if (this.#known === host) this.#known = undefined;
  }

  /** Destroys the socket when another host becomes the primary. */
  hold(socket: Socket, host: DatabaseHost): void {
    this.#sockets.set(socket, host);
  }

  release(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  /**
   * Asks each host again and again, independently of the others, because a host that does not answer must not
   * delay the promoted one.
   */
  async #searchAll(ask: AskTimeline): Promise<DatabaseHost> {
    const failures = new Map<DatabaseHost, unknown>();
    const primaries: Answer[] = [];
    let end = () => {};
    let hasEnded = false;
    const ended = new Promise<void>((resolve) => end = resolve);
    let isLate = false;
    const endIfOver = () => {
      const isComplete = failures.size + primaries.length === this.#hosts.length;
      const isOver = mayChange(failures) ? isLate : isComplete;
      if (isOver || (isComplete && primaries.length > 0)) end();
    };
    const poll = async (host: DatabaseHost) => {
      while (!hasEnded) {
        const timeline = await ask(host).catch((error: Error) => error);
        const isPrimary = typeof timeline === "number" && timeline >= this.#timeline;
        if (isPrimary) {
          failures.delete(host);
          primaries.push({ host, timeline });
          setTimeout(end, GRACE_MS);
        } else failures.set(host, timeline);
        endIfOver();
        if (isPrimary) return;
        await sleep(PAUSE_MS);
      }
    };
    const limit = setTimeout(() => {
      isLate = true;
      endIfOver();
    }, SEARCH_MS);
    for (const host of this.#hosts) void poll(host);
    await ended;
    hasEnded = true;
    clearTimeout(limit);
    const newest = Math.max(...primaries.map(({ timeline }) => timeline));
    const found = primaries.find(({ timeline }) => timeline === newest);
    if (found === undefined) throw this.#failure(failures);
    return this.#settleOn(found);
  }

  #settleOn({ host, timeline }: Answer): DatabaseHost {
    // Another login may have found a primary meanwhile.
    if (this.#known && timeline <= this.#timeline) return this.#known;
    this.#known = host;
    this.#timeline = timeline;
    for (const [socket, connected] of this.#sockets) if (connected !== host) socket.destroy();
    return host;
  }

  #failure(failures: ReadonlyMap<DatabaseHost, unknown>): Error {
    const reasons = this.#hosts.map((host) => `${nameOf(host)} ${reasonOf(failures.get(host))}`);
    const [first] = failures.values();
    return Object.assign(
      new Error(`No host of the database URL is a primary that can be used: ${reasons.join("; ")}`),
      { code: mayChange(failures) ? NO_PRIMARY : (first as { code?: unknown } | undefined)?.code },
    );
  }
}

/** Whether a host answered that may become the primary soon: a standby, or a server that starts or stops. */
const mayChange = (failures: ReadonlyMap<DatabaseHost, unknown>): boolean =>
  [...failures.values()].some((failure) =>
    !(failure instanceof Error) || IN_TRANSITION.test(`${(failure as { code?: unknown }).code}`)
  );

function reasonOf(failure: unknown): string {
  if (failure === undefined) return "does not answer";
  if (failure === null) return "is a standby";
  if (failure instanceof Error) return `failed (${(failure as { code?: unknown }).code ?? failure.message})`;
  return "was the primary before the last promotion";
}
