import { connect, Socket } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import postgres, { type Options, type PostgresType, type Sql } from "postgres";
import { type DatabaseAddress, readDatabaseUrl, serverNameOf } from "./database_url.ts";

type DriverOptions = Omit<
  Options<Record<string, PostgresType>>,
  "host" | "hostname" | "port" | "path" | "user" | "username" | "pass" | "password" | "database" | "ssl"
>;

interface DatabaseOptions extends DriverOptions {
  /** A connection that receives nothing for this long is closed. Must be longer than any statement may take; TCP alone would wait for minutes. */
  readonly silenceMs?: number;
  /** Receives notifications of the channels that the connection listens to. */
  readonly onNotify?: ((channel: string, payload: string) => void) | undefined;
}

const MIN_TLS_VERSION = "TLSv1.2";

/**
 * A client of the database at `url`. Host, login and TLS come from the URL alone, never from the driver's own reading of it or
 * from PG* variables. With sslmode=verify-full the server's certificate must be valid for the URL's host, an IP literal included.
 * Throws for a malformed URL, as checkDatabaseUrl() does.
 *
 * ```ts
 * const sql = openDatabase(url, { max: 1, onnotice: () => {} });
 * ```
 */
export function openDatabase(url: string, { silenceMs, onNotify, ...options }: DatabaseOptions = {}): Sql {
  const address = readDatabaseUrl(url);
  const { host, port, socketPath, user, password, database, parameters } = address;
  return postgres(`postgres://localhost/?${parameters}`, {
    ...options,
    ssl: tlsOf(address),
    ...(socketPath === undefined ? {} : { path: socketPath }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    // The driver takes these, but its types do not say so. A host in a list is used as it stands; the driver would split an IPv6
    // literal at its colons.
    ...({
      host: [host],
      port: [port],
      ...(silenceMs === undefined ? {} : { socket: () => openWatchedSocket(address, silenceMs) }),
      ...(onNotify === undefined ? {} : { onnotify: onNotify }),
    } as object),
  });
}

function tlsOf({ host, sslMode, socketPath, ca }: DatabaseAddress): false | "prefer" | "require" | object {
  if (sslMode === "disable" || socketPath !== undefined) return false;
  if (sslMode !== "verify-full") return sslMode;
  return {
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn the check off.
    rejectUnauthorized: true,
    minVersion: MIN_TLS_VERSION,
    host,
    servername: serverNameOf(host),
    // By default, Node checks an IP literal's certificate against "localhost". The subject is left out, because Node would
    // take its common name for a host (RFC 9525 forbids that).
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      checkServerIdentity(host, { ...certificate, subject: {} as PeerCertificate["subject"] }),
    ...(ca === undefined ? {} : { ca }),
  };
}

/**
 * Returns the socket while it is still connecting: the driver learns of a failure from the socket's own events. After a rejected
 * promise the pool would lose the connection.
 */
function openWatchedSocket({ host, port, socketPath }: DatabaseAddress, silenceMs: number): Socket {
  const socket = socketPath === undefined ? connect(port, host) : connect(socketPath);
  const watch = (): Socket => socket.on("timeout", () => socket.destroy());
  // When TLS begins, the driver removes every listener from the plain socket.
  socket.removeAllListeners = () => (Socket.prototype.removeAllListeners.call(socket), watch());
  socket.setTimeout(silenceMs);
  return watch();
}
