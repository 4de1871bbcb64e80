import { connect, Socket } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import postgres, { type Options, type PostgresType, type Sql } from "postgres";
import { type DatabaseAddress, type DatabaseHost, readDatabaseUrl, serverNameOf } from "./database_url.ts";
import { PrimaryFinder } from "./primary_finder.ts";

type DriverOptions = Omit<
  Options<Record<string, PostgresType>>,
  | ("host" | "hostname" | "port" | "path" | "user" | "username" | "pass" | "password" | "database" | "ssl")
  | ("max" | "socket" | "onparameter" | "target_session_attrs")
>;

interface DatabaseOptions extends DriverOptions {
  /**
   * Closes a connection on which nothing was sent or received for this long. TCP alone would take minutes to
   * notice a lost peer. The value must be longer than any statement may take.
   */
  readonly silenceMs?: number;
  /** Receives notifications of the channels that the connection listens to. */
  readonly onNotify?: ((channel: string, payload: string) => void) | undefined;
}

/** Options of the driver that its types do not have, or have with other types. */
interface ConnectionHooks {
  readonly socket?: (driver: { parameters: object }) => Socket | Promise<Socket>;
  readonly onparameter?: (name: string, value: string) => void;
}

const MIN_TLS_VERSION = "TLSv1.2";
/** As long as the service and the operator's commands wait for a connection. */
const ASK_SECONDS = 5;

/** By the hosts: the logins of a process use one server, and leave it together. */
const finders = new Map<string, PrimaryFinder>();

/**
 * Opens a client with one connection to the database at `url`. Host, port and TLS come only from the checked
 * URL, which the driver does not parse again. User, password and database come from the URL, too. If the URL
 * lacks one of them, the driver uses PGUSER, PGPASSWORD or PGDATABASE. With sslmode=verify-full, the server's
 * certificate must be valid for the URL's host, even when the host is an IP address. With
 * target_session_attrs=primary, each new connection goes to the host that is the primary then. Throws for a
 * malformed URL, as checkDatabaseUrl() does.
 *
 * ```ts
 * const sql = openDatabase(url, { onnotice: () => {} });
 * ```
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Sql {
  const address = readDatabaseUrl(url);
  if (address.primary) return openAtPrimary(address, options);
  const [host] = address.hosts as [DatabaseHost];
  const { silenceMs } = options;
  return open(address, () => host, {
    ...options,
    ...(silenceMs === undefined ? {} : { socket: () => openSocket(host, silenceMs, () => {}) }),
  });
}

/**
 * Chooses the host here. The driver would try several hosts only without a `socket` option, would never fail
 * if all of them refuse, and would stay on a standby that it reached without a waiting statement.
 */
function openAtPrimary(address: DatabaseAddress, options: DatabaseOptions): Sql {
  const hosts = JSON.stringify(address.hosts);
  const finder = finders.get(hosts) ?? new PrimaryFinder(address.hosts);
  finders.set(hosts, finder);
  let [host] = address.hosts as [DatabaseHost];
  let socket: Socket | undefined;
  let ended = false;
  const openNext = async (driver: { parameters: object }): Promise<Socket> => {
    // The driver reports a parameter only if it differs from the value of the connection before.
    driver.parameters = {};
    try {
      host = await finder.find(`${address.user}`, (asked) => askTimeline(address, asked));
      if (ended) throw new Error("The client was ended.");
    } catch (error) {
      return failLater(error as Error);
    }
    const connected = host;
    const opened = socket = openSocket(connected, options.silenceMs, (isSilent) => {
      finder.release(opened);
      // An idle connection is silent, too. If the host is lost, the next connection to it fails.
      if (!isSilent) finder.forget(connected);
    });
    finder.hold(opened, connected);
    return opened;
  };
  const sql = open(address, () => host, {
    ...options,
    socket: openNext,
    // Every supported server reports this parameter at the login, before the driver sends a statement.
    onparameter: (name, value) => {
      if (name === "in_hot_standby" && value === "on") socket?.destroy();
    },
  });
  const end = sql.end;
  sql.end = (how) => (ended = true, end(how));
  return sql;
}

/** Returns the timeline of a primary, or null for a standby. */
async function askTimeline(address: DatabaseAddress, host: DatabaseHost): Promise<number | null> {
  const sql = open(address, () => host, {
    connect_timeout: ASK_SECONDS,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: "gold-partner-search" },
  });
  let alarm: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error("The host does not answer."), { code: "CONNECT_TIMEOUT" });
    alarm = setTimeout(() => reject(error), ASK_SECONDS * 1000);
  });
  try {
    // The first eight digits of a log file's name are the timeline, in hexadecimal.
    const [row] = await Promise.race([
      sql<{ file: string | null }[]>`
        select case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as file`,
      late,
    ]);
    return row!.file === null ? null : Number.parseInt(row!.file.slice(0, 8), 16);
  } finally {
    clearTimeout(alarm);
    sql.end({ timeout: 0 }).catch(() => {});
  }
}

/** `hostOf` returns the host of the connection that is being opened. */
function open(
  address: DatabaseAddress,
  hostOf: () => DatabaseHost,
  { onNotify, silenceMs: _, ...options }: DatabaseOptions & ConnectionHooks,
): Sql {
  const { user, password, database, parameters } = address;
  const { host, port, socketPath } = hostOf();
  return postgres(`postgres://localhost/?${parameters}`, {
    ...options,
    max: 1,
    ssl: socketPath === undefined ? tlsOf(address, hostOf) : false,
    ...(socketPath === undefined ? {} : { path: socketPath }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    // The driver accepts these options, but its types do not have them. The host is in a list, because the
    // driver would split an IPv6 address at its colons otherwise.
    ...({
      host: [host],
      port: [port],
      ...(onNotify === undefined ? {} : { onnotify: onNotify }),
    } as object),
  } as Options<Record<string, PostgresType>>);
}

function tlsOf(
  { sslMode, ca }: DatabaseAddress,
  hostOf: () => DatabaseHost,
): false | "prefer" | "require" | object {
  if (sslMode === "disable") return false;
  if (sslMode !== "verify-full") return sslMode;
  return {
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn the check off.
    rejectUnauthorized: true,
    minVersion: MIN_TLS_VERSION,
    // The driver reads these members at each handshake.
    get host() {
      return hostOf().host;
    },
    get servername() {
      return serverNameOf(hostOf().host);
    },
    // Check the host here. By default, Node checks the certificate of an IP address against "localhost".
    // Leave out the subject, because Node would accept its common name as a host name, which RFC 9525
    // forbids.
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      checkServerIdentity(hostOf().host, { ...certificate, subject: {} as PeerCertificate["subject"] }),
    ...(ca === undefined ? {} : { ca }),
  };
}

/**
 * Returns the socket while it is still connecting, so that the driver sees a failure as an event of the
 * socket. If this function returned a promise and the promise rejected, the pool would lose that connection.
 */
function openSocket(
  { host, port, socketPath }: DatabaseHost,
  silenceMs: number | undefined,
  onClose: (isSilent: boolean) => void,
): Socket {
  const socket = socketPath === undefined ? connect(port, host) : connect(socketPath);
  let isSilent = false;
  const watch = (): Socket =>
    socket.on("timeout", () => (isSilent = true, socket.destroy())).on("close", () => onClose(isSilent));
  // When TLS begins, the driver removes every listener from the plain socket. Add the listeners again.
  socket.removeAllListeners = () => (Socket.prototype.removeAllListeners.call(socket), watch());
  if (silenceMs !== undefined) socket.setTimeout(silenceMs);
  return watch();
}

/** Returns a socket that fails as soon as the driver has added its listeners. */
function failLater(error: Error): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(error));
  return socket;
}
