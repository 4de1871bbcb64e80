import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP, isIPv4 } from "node:net";

export interface DatabaseHost {
  /** A name or an IP literal without brackets; "localhost" for a Unix socket. */
  readonly host: string;
  readonly port: number;
  /** The Unix socket's file. Undefined for a connection over TCP. */
  readonly socketPath: string | undefined;
}

/**
 * A parsed database URL. The check and the connection both use this object, so that they cannot disagree
 * about the host.
 */
export interface DatabaseAddress {
  /** At least one. Several only if `primary` is true. */
  readonly hosts: readonly DatabaseHost[];
  /** target_session_attrs=primary: connect only to the host that is the primary. */
  readonly primary: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  readonly sslMode: SslMode;
  /** PEM of the CAs that may issue the server's certificate. Undefined: the CAs that the runtime trusts. */
  readonly ca: string | undefined;
  /** Parameters for the driver and the server, such as connect_timeout. */
  readonly parameters: string;
}

const SSL_MODES = ["disable", "prefer", "require", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];

const DEFAULT_PORT = 5432;
/** Parameters that this package handles itself. */
const OWN_PARAMETERS = ["sslmode", "sslrootcert", "target_session_attrs"];
/**
 * Parameters that are refused: the driver would ignore them, or would use them instead of the checked values.
 */
const REFUSED_PARAMETERS =
  /^(?:host|hostaddr|port|user|password|dbname|ssl(?!mode$|rootcert$|negotiation$).*)$/i;
/** Scheme, user and password, hosts, and the rest. */
const URL_PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Checks a database URL and returns it unchanged. For an invalid URL, throws an Error whose message begins
 * with a verb, so that the caller can put the setting's name before it. The message never repeats the URL,
 * because the URL may hold a password. Unless `environment` is "sandbox", the URL of a remote database must
 * have sslmode=verify-full. A database on loopback or behind a Unix socket is not remote. Of several hosts,
 * each is checked.
 *
 * ```ts
 * checkDatabaseUrl("postgres://gold_api@db.example/gold?sslmode=verify-full", "production");
 * ```
 */
export function checkDatabaseUrl(text: string, environment: string | undefined): string {
  const { hosts, sslMode } = readDatabaseUrl(text);
  const remote = hosts.find(({ host, socketPath }) => socketPath === undefined && !isLoopback(host));
  if (remote === undefined || sslMode === "verify-full" || environment === "sandbox") return text;
  throw new Error(
    `reaches ${remote.host} over the network with sslmode=${sslMode}, so another machine could impersonate the database: ` +
      "add sslmode=verify-full, and sslrootcert=FILE with the PEM of the CA unless a public CA issued the certificate. " +
      "Only GOLD_ENV=sandbox allows other modes.",
  );
}

export function readDatabaseUrl(text: string): DatabaseAddress {
  const urls = splitHosts(text);
  const [url] = urls as [URL];
  const { searchParams } = url;
  for (const name of searchParams.keys()) {
    if (searchParams.getAll(name).length > 1) throw new Error(`has ${name} more than once: give it once.`);
    if (REFUSED_PARAMETERS.test(name)) {
      throw new Error(
        `has the parameter ${name}, which is not allowed: give host, port, login and database before the "?", ` +
          "and set TLS with sslmode and sslrootcert.",
      );
    }
  }
  const hosts = urls.map(readHost);
  const primary = readTarget(searchParams.get("target_session_attrs"));
  if (hosts.length > 1) refuseUnclearHosts(hosts, primary);
  const sslMode = readSslMode(searchParams.get("sslmode"));
  const ca = readAuthorities(searchParams.get("sslrootcert"), sslMode);
  for (const name of OWN_PARAMETERS) searchParams.delete(name);
  return {
    hosts,
    primary,
    user: decode(url.username) || undefined,
    password: decode(url.password) || undefined,
    database: decode(url.pathname.slice(1)) || undefined,
    sslMode,
    ca,
    parameters: searchParams.toString(),
  };
}

/** Returns the URL of the same database for another login. Without a password, the URL has none. */
export function withLogin(databaseUrl: string, login: string, password: string): string {
  const [, scheme, , hosts, rest] = URL_PARTS.exec(databaseUrl)!;
  const secret = password === "" ? "" : `:${encodeURIComponent(password)}`;
  return `${scheme}${encodeURIComponent(login)}${secret}@${hosts}${rest}`;
}

/** Returns one URL for each host, because URL cannot parse several hosts with ports. */
function splitHosts(text: string): URL[] {
  const parts = URL_PARTS.exec(text);
  if (!parts || text.length === parts[1]!.length) throw new Error(NOT_A_URL);
  const [, scheme, login = "", hosts, rest] = parts;
  const each = hosts!.split(",");
  return each.map((host, index) => {
    const url = `${scheme}${login}${host}${rest}`;
    if (each.length > 1 && (host === "" || !URL.canParse(url))) {
      // Do not show the host. If the password has an unescaped "/", the password is parsed as a host.
      throw new Error(
        `names ${each.length} hosts, of which number ${
          index + 1
        } is not HOST or HOST:PORT: write postgres://USER@HOST:PORT,HOST:PORT/NAME.`,
      );
    }
    if (!URL.canParse(url)) throw new Error(NOT_A_URL);
    return new URL(url);
  });
}

const NOT_A_URL = "must be a postgres:// URL; its value is not shown, because it may hold a password.";

function readTarget(text: string | null): boolean {
  if (text === null) return false;
  if (text === "primary") return true;
  throw new Error(`has target_session_attrs=${text}: only target_session_attrs=primary is supported.`);
}

function refuseUnclearHosts(hosts: readonly DatabaseHost[], primary: boolean): void {
  if (!primary) {
    throw new Error(
      "names several hosts: add target_session_attrs=primary, so that only the primary is used, or give one host.",
    );
  }
  if (hosts.some(({ socketPath }) => socketPath !== undefined)) {
    throw new Error("names a Unix socket among several hosts: give each host as HOST or HOST:PORT.");
  }
  const names = hosts.map(nameOf);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`names the host ${twice} more than once: give it once.`);
}

/** HOST:PORT, for messages. */
export const nameOf = ({ host, port, socketPath }: DatabaseHost): string =>
  socketPath ?? `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("has a % escape that is not valid UTF-8: write % itself as %25.");
  }
}

function readHost(url: URL): DatabaseHost {
  const hostname = decode(url.hostname);
  if (hostname === "") {
    throw new Error(
      "names no host: write postgres://USER@HOST/NAME, or postgres://USER@%2Frun%2Fpostgresql/NAME for a Unix socket.",
    );
  }
  const port = url.port === "" ? DEFAULT_PORT : Number(url.port);
  if (port === 0) throw new Error("names the port 0: give a port from 1 to 65535.");
  // Keep the case of a path: it names the folder of a Unix socket.
  if (hostname.startsWith("/")) {
    return { host: "localhost", port, socketPath: `${hostname}/.s.PGSQL.${port}` };
  }
  // The URL was already split at every literal comma, so this comma was written as %2C.
  if (hostname.includes(",")) throw new Error("has %2C in a host: separate hosts with a literal comma.");
  return { host: hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase(), port, socketPath: undefined };
}

function readSslMode(text: string | null): SslMode {
  if (text === null) return "disable";
  const mode = SSL_MODES.find((one) => one === text);
  if (mode) return mode;
  throw new Error(`has an unknown sslmode (${text}): use one of ${SSL_MODES.join(", ")}.`);
}

function readAuthorities(file: string | null, sslMode: SslMode): string | undefined {
  if (file === null) return undefined;
  if (sslMode !== "verify-full") {
    throw new Error(
      "has sslrootcert without sslmode=verify-full: add sslmode=verify-full, or remove sslrootcert.",
    );
  }
  if (file === "system") return undefined;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(
      `has sslrootcert=${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
  const certificates = text.match(CERTIFICATE) ?? [];
  // Check the certificates, because TLS skips one that it cannot parse. Every connection would then fail
  // without a reason in the error.
  if (certificates.length === 0 || !certificates.every(isCertificate)) {
    throw new Error(`has sslrootcert=${file}, which must hold valid PEM certificates.`);
  }
  return text;
}

function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem));
  } catch {
    return false;
  }
}

/** True for a loopback address and for `localhost`. Any other name may resolve to another address later. */
const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));

/**
 * Returns the TLS server name: the host name, or an empty text for an IP address, which TLS does not allow
 * there.
 */
export const serverNameOf = (host: string): string => isIP(host) === 0 ? host : "";
