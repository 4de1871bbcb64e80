import { openDatabase } from "@gold-partner/database";
import type { Sql } from "postgres";
import type { BookingPools } from "../booking/pools.ts";
import type { Config } from "../config.ts";

/** Apart from each other, so that bookings that wait starve neither other partners nor the registry. */
interface Pools extends BookingPools {
  readonly registry: Sql;
  readonly reads: Sql;
  /** Reads that hold an account, which may be locked. */
  readonly holding: Sql;
  /** Tells delivery of orders, with a lock that no booking is to wait for. */
  readonly notices: Sql;
}

const REGISTRY_CONNECTIONS = 2;
const READ_CONNECTIONS = 4;
const HOLDING_CONNECTIONS = 4;
const WAITING_CONNECTIONS = 4;
/** How long a request waits for an account that another process holds; beyond it, the caller is told to come back. */
const LOCK_TIMEOUT_MS = 2000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** No statement may take this long, so a connection that is silent for it is dead, whatever TCP still hopes for. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 2000;

export function openPools({ databaseUrl, lanes }: Pick<Config, "databaseUrl" | "lanes">): Pools {
  return {
    registry: connect(databaseUrl, REGISTRY_CONNECTIONS),
    reads: connect(databaseUrl, READ_CONNECTIONS),
    holding: connect(databaseUrl, HOLDING_CONNECTIONS),
    notices: connect(databaseUrl, 1),
    // Orders, quotes and nonces have lanes of their own.
    lanes: connect(databaseUrl, 3 * lanes),
    waiting: connect(databaseUrl, WAITING_CONNECTIONS),
  };
}

export async function closePools(pools: Pools): Promise<void> {
  await Promise.all(Object.values(pools).map((pool: Sql) => pool.end({ timeout: 5 })));
}

type OnNotify = (channel: string, payload: string) => void;

/**
 * Clients of one connection each, and a statement goes to one that has nothing to do. In a pool of the driver's own each statement
 * leaves a place behind, and each one searches all places that were left, until all connections happen to be taken at once: a
 * process grew by it, and slowed down, for as long as it was never quite busy. `onNotify` hears what the connections listen to.
 */
export function connect(url: string, connections: number, onNotify?: OnNotify): Sql {
  const clients = Array.from({ length: connections }, () => connectOne(url, onNotify));
  return connections === 1 ? clients[0]! : share(clients);
}

/** Takes statements as a client does. Whatever else a client can do, the first of them does. */
function share(clients: readonly Sql[]): Sql {
  const idle = [...clients];
  const waiting: ((client: Sql) => void)[] = [];
  const ask = async (statement: readonly unknown[]) => {
    const client = idle.pop() ?? await new Promise<Sql>((resolve) => waiting.push(resolve));
    try {
      return await Reflect.apply(client, undefined, statement);
    } finally {
      const next = waiting.shift();
      if (next) next(client);
      else idle.push(client);
    }
  };
  const end: Sql["end"] = async (options) => void await Promise.all(clients.map((one) => one.end(options)));
  return new Proxy(clients[0]!, {
    // Without a template it is a part of a statement, such as a name.
    apply: (first, _, told) => "raw" in Object(told[0]) ? ask(told) : Reflect.apply(first, undefined, told),
    get: (first, name) => name === "end" ? end : Reflect.get(first, name),
  });
}

function connectOne(url: string, onNotify: OnNotify | undefined): Sql {
  return openDatabase(url, {
    max: 1,
    connect_timeout: 5,
    // Comes back quickly after the database does; requests are refused meanwhile, not queued.
    backoff: () => 0.2,
    // Asking for array types at each connect would leave a promise that nobody holds: it fails when the connection is lost just then,
    // and an unhandled rejection ends the process. Arrays travel as text here.
    fetch_types: false,
    onnotice: () => {},
    silenceMs: SILENCE_MS,
    onNotify,
    connection: {
      application_name: "gold-partner",
      lock_timeout: LOCK_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
    },
  });
}
