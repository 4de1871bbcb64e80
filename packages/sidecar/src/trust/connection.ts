import { connect, Socket } from "node:net";
import postgres, { type Sql } from "postgres";

const STATEMENT_TIMEOUT_MS = 3000;
/** No statement may take this long, so a connection that is silent for it is dead, whatever TCP still hopes for. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 2000;

/** One connection, which comes back by itself after the database does. */
export function openConnection(databaseUrl: string): Sql {
  return postgres(databaseUrl, {
    max: 1,
    connect_timeout: 3,
    backoff: () => 0.2,
    // Asking for array types would leave a promise that nobody holds, and ends the process where it fails.
    fetch_types: false,
    onnotice: () => {},
    // The driver hands its parsed options to this function, which its types do not know.
    ...({ socket: openWatchedSocket } as object),
    connection: { application_name: "gold-partner-trust", statement_timeout: STATEMENT_TIMEOUT_MS },
  });
}

interface Endpoint {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}

/** Handed over while it still connects: the driver hears of a failure by the socket's own events. */
function openWatchedSocket({ host, port, path }: Endpoint): Socket {
  const socket = path ? connect(path) : connect(port[0]!, host[0]!);
  const watch = (): Socket => socket.on("timeout", () => socket.destroy());
  // Where TLS begins, the driver takes every listener off the socket below it.
  socket.removeAllListeners = () => (Socket.prototype.removeAllListeners.call(socket), watch());
  socket.setTimeout(SILENCE_MS);
  return watch();
}
