import { isCancelledWait, openDatabase, UNREPLICATED, unreplicatedError } from "@gold-partner/database";
import type { ParameterOrFragment, Sql } from "postgres";
import type { Config } from "../settings/config.ts";
import type { EndOptions, Pool, Query } from "./query.ts";
import { NOT_DURABLE } from "./write_probe.ts";

interface CountedPool extends Pool {
  /** How many statements wait for a free connection. */
  waiting(): number;
}

/** Separate pools, so that bookings that wait for a lock block neither other partners nor the registry. */
export interface Pools {
  /** Sends batches of bookings. */
  readonly batches: CountedPool;
  /** Sends the bookings that wait for a locked account. */
  readonly waiting: CountedPool;
  readonly registry: CountedPool;
  /** Stores prices, with the login gold_ticker. Without TICKER_DATABASE_URL, with the login of the API. */
  readonly ticker: CountedPool;
  readonly reads: CountedPool;
  /** For reads that lock an account row, and may wait for it. */
  readonly holding: CountedPool;
  /**
   * Notifies delivery of new orders. Bookings do not use this pool, because NOTIFY takes a lock and they must
   * not wait for it.
   */
  readonly notices: CountedPool;
  /** The pool of the write probe only. The commit of a probe may wait for the standby. */
  readonly probe: CountedPool;
}

const REGISTRY_CONNECTIONS = 2;
const READ_CONNECTIONS = 4;
const HOLDING_CONNECTIONS = 4;
const WAITING_CONNECTIONS = 4;
/** How long a request waits for an account that another session has locked. Then the client must retry. */
const LOCK_TIMEOUT_MS = 2000;
const STATEMENT_TIMEOUT_MS = 10_000;
/**
 * Postgres cancels a statement at its timeout. So a connection that is silent for this much longer is dead,
 * even if TCP still retries.
 */
const SILENCE_MARGIN_MS = 2000;
/**
 * A connection that will close itself within this time gets no further statement, because a statement that is
 * sent in that moment fails. The statement gets a new connection.
 */
const CLOSING_SOON_MS = 1000;

/**
 * `gate` throws while no write can be committed. `onWait` is called for each statement that waited for a free
 * connection, with the milliseconds that it waited.
 */
export function openPools(
  { databaseUrl, tickerDatabaseUrl, lanes, docsUrl }:
    & Pick<Config, "databaseUrl" | "tickerDatabaseUrl" | "lanes">
    & Partial<Pick<Config, "docsUrl">>,
  gate: () => void,
  onWait: (pool: keyof Pools, ms: number) => void = () => {},
): Pools {
  const watched = (pool: keyof Pools) => ({ onWait: (ms: number) => onWait(pool, ms) });
  return {
    // These two pools read the registry, and write prices and dates of last use. Their commits do not wait
    // for the standby, because these values may be lost with the server.
    registry: connect(databaseUrl, REGISTRY_CONNECTIONS, { commitsLocally: true, ...watched("registry") }),
    ticker: connect(tickerDatabaseUrl, 1, { process: "ticker", commitsLocally: true }),
    reads: connect(databaseUrl, READ_CONNECTIONS, { commitsLocally: true, ...watched("reads") }),
    holding: connect(databaseUrl, HOLDING_CONNECTIONS, { commitsLocally: true, ...watched("holding") }),
    notices: connect(databaseUrl, 1, { commitsLocally: true }),
    probe: connect(databaseUrl, 1),
    // Up to `lanes` connections for each of three batchers: orders, quotes and nonces.
    batches: connect(databaseUrl, 3 * lanes, { gate, docsUrl, ...watched("batches") }),
    waiting: connect(databaseUrl, WAITING_CONNECTIONS, { gate, docsUrl, ...watched("waiting") }),
  };
}

export async function closePools(pools: Pools): Promise<void> {
  await Promise.all(Object.values(pools).map((pool: Pool) => pool.end({ timeout: 5 })));
}

interface ConnectOptions {
  /** Called for each statement that waited for a free connection, with the milliseconds that it waited. */
  readonly onWait?: (ms: number) => void;
  /** Names the connection in pg_stat_activity. Default: api. */
  readonly process?: "api" | "delivery" | "ticker";
  /** Called for each notification on the channels that the connections listen to. */
  readonly onNotify?: (channel: string, payload: string) => void;
  /** Throws while no statement may be sent. */
  readonly gate?: () => void;
  /**
   * Commits do not wait for a synchronous standby. Reads use this, so that they do not hang while the standby
   * is unavailable: a read that locks a row makes Postgres commit a write.
   */
  readonly commitsLocally?: boolean;
  /** Postgres ends a session that sends no statement for this long. Default: never. */
  readonly idleTimeoutMs?: number;
  /** The address of the published documentation, which refusals that the database writes name. */
  readonly docsUrl?: string | undefined;
  /** Default: STATEMENT_TIMEOUT_MS. */
  readonly statementTimeoutMs?: number;
}

/**
 * Opens one postgres.js client per connection, and gives each statement to an idle client. In the driver's
 * own pool, every statement leaves an entry behind, and every later statement searches all entries. The
 * entries are removed only when all connections are busy at once. So a process that was never fully busy
 * would need more and more memory and become slower.
 */
export function connect(url: string, connections: number, options: ConnectOptions = {}): CountedPool {
  const { gate, onWait = () => {} } = options;
  const all = Array.from({ length: connections }, () => new Connection(url, options));
  const idle = [...all];
  const waiting: ((connection: Connection) => void)[] = [];
  const untilIdle = async (): Promise<Connection> => {
    const fromMs = performance.now();
    const connection = await new Promise<Connection>((resolve) => waiting.push(resolve));
    onWait(performance.now() - fromMs);
    return connection;
  };
  const query: Query = async (statement, ...values) => {
    gate?.();
    const connection = idle.pop() ?? await untilIdle();
    try {
      gate?.();
      return await connection.send(statement, values);
    } finally {
      const next = waiting.shift();
      if (next) next(connection);
      else idle.push(connection);
    }
  };
  return Object.assign(query, {
    waiting: () => waiting.length,
    end: async (options?: EndOptions) =>
      void await Promise.all(all.map((connection) => connection.end(options))),
  });
}

/**
 * SQLSTATE of a write that a standby or a read-only server refused, and of settings that can lose
 * acknowledged writes (probe_write).
 */
const REFUSED: readonly unknown[] = ["25006", NOT_DURABLE];

class Connection {
  #client: Sql;
  readonly #open: () => Sql;
  /** Set by a notice during the current statement. */
  #unreplicated = false;
  #ended = false;
  /** When the last statement ended. Before the first, nothing is open. */
  #usedMs = Infinity;
  readonly #idleMaxMs: number;

  constructor(
    url: string,
    {
      process = "api",
      onNotify,
      commitsLocally,
      idleTimeoutMs,
      docsUrl,
      statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    }: ConnectOptions,
  ) {
    const silenceMs = statementTimeoutMs + SILENCE_MARGIN_MS;
    this.#idleMaxMs = silenceMs - CLOSING_SOON_MS;
    this.#open = () =>
      openDatabase(url, {
        connect_timeout: 5,
        // Wait this many seconds between two attempts to reconnect. The wait is short, so that the client
        // reconnects soon after the database is back. Until then requests are refused, not queued.
        backoff: () => 0.2,
        // Do not read the array types, because this project sends arrays as text. The driver would query the
        // types at each connect, and nothing handles the promise of that query. If the connection were lost
        // at that moment, the unhandled rejection would end the process.
        fetch_types: false,
        onnotice: (notice) => {
          if (isCancelledWait(notice)) this.#unreplicated = true;
        },
        silenceMs,
        onNotify,
        connection: {
          application_name: `gold-partner-${process}`,
          lock_timeout: LOCK_TIMEOUT_MS,
          statement_timeout: statementTimeoutMs,
          // Whatever the defaults of the database and the role are: the booking functions run at no other
          // level, and in another zone the last day of the year 9999 would be a day of the year 10000.
          default_transaction_isolation: "read committed",
          TimeZone: "UTC",
          ...idleTimeoutMs !== undefined && { idle_session_timeout: idleTimeoutMs },
          ...commitsLocally && { synchronous_commit: "local" },
          ...docsUrl !== undefined && { "gold.docs_url": docsUrl },
        },
      });
    this.#client = this.#open();
  }

  async send<Rows extends readonly object[]>(
    statement: TemplateStringsArray,
    values: readonly ParameterOrFragment<never>[],
  ): Promise<Rows> {
    if (performance.now() - this.#usedMs > this.#idleMaxMs) this.#replace();
    this.#unreplicated = false;
    try {
      const result = await this.#client<Rows>(statement, ...values);
      // All notices have arrived now, because the driver resolves when the server is ready for the next
      // statement.
      if (this.#unreplicated) throw unreplicatedError();
      return result;
    } catch (error) {
      if (!isAlive(error)) this.#replace();
      throw error;
    } finally {
      this.#usedMs = performance.now();
    }
  }

  #replace(): void {
    if (this.#ended) return;
    const client = this.#client;
    this.#client = this.#open();
    client.end({ timeout: 0 }).catch(() => {});
  }

  end(options?: EndOptions): Promise<void> {
    this.#ended = true;
    return this.#client.end(options);
  }
}

/**
 * Whether the connection can be used after this error. A client of postgres.js 3.4.9 that lost its connection
 * during a statement keeps that statement's state. The next statement may then fail with the old error, get
 * rows with an empty slot before them, or never be sent. A connection to a server that refuses writes is
 * replaced, too, because another server or a new session may accept them now.
 */
function isAlive(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return code === UNREPLICATED || (severity === "ERROR" && !REFUSED.includes(code));
}
