import { connect, Socket } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import postgres, { type Options, type PostgresType, type Sql } from "postgres";
import { type DatabaseAddress, readDatabaseUrl, serverNameOf } from "./database_url.ts";

type DriverOptions = Omit<
  Options<Record<string, PostgresType>>,
  "host" | "hostname" | "port" | "path" | "user" | "username" | "pass" | "password" | "database" | "ssl"
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

const MIN_TLS_VERSION = "TLSv1.2";

/**
 * Opens a client of the database at `url`. Host, port and TLS come only from the checked URL, which the
 * driver does not parse again. User, password and database come from the URL, too. If the URL lacks one of
 * them, the driver uses PGUSER, PGPASSWORD or PGDATABASE. With sslmode=verify-full, the server's certificate
 * must be valid for the URL's host, even when the host is an IP address. Throws for a malformed URL, as
 * checkDatabaseUrl() does.
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
    // The driver accepts these options, but its types do not have them. The host is in a list, because the
    // driver would split an IPv6 address at its colons otherwise.
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
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn the check off.
    rejectUnauthorized: true,
    minVersion: MIN_TLS_VERSION,
    host,
    servername: serverNameOf(host),
    // Check the host here. By default, Node checks the certificate of an IP address against "localhost".
    // Leave out the subject, because Node would accept its common name as a host name, which RFC 9525
    // forbids.
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      checkServerIdentity(host, { ...certificate, subject: {} as PeerCertificate["subject"] }),
    ...(ca === undefined ? {} : { ca }),
  };
}

/**
 * Returns the socket while it is still connecting, so that the driver sees a failure as an event of the
 * socket. If this function returned a promise and the promise rejected, the pool would lose that connection.
 */
function openWatchedSocket({ host, port, socketPath }: DatabaseAddress, silenceMs: number): Socket {
  const socket = socketPath === undefined ? connect(port, host) : connect(socketPath);
  const watch = (): Socket => socket.on("timeout", () => socket.destroy());
  // When TLS begins, the driver removes every listener from the plain socket. Add the listener for `timeout`
  // again.
  socket.removeAllListeners = () => (Socket.prototype.removeAllListeners.call(socket), watch());
  socket.setTimeout(silenceMs);
  return watch();
}
