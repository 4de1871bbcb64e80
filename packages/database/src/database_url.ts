import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP, isIPv4 } from "node:net";

/**
 * A parsed database URL. The check and the connection both use this object, so that they cannot disagree
 * about the host.
 */
export interface DatabaseAddress {
  /** A name or an IP literal without brackets; "localhost" for a Unix socket. */
  readonly host: string;
  readonly port: number;
  /** The Unix socket's file. Undefined for a connection over TCP. */
  readonly socketPath: string | undefined;
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
const TLS_PARAMETERS = ["sslmode", "sslrootcert"];
/**
 * Parameters that are refused: the driver would ignore them, or would use them instead of the checked values.
 */
const REFUSED_PARAMETERS =
  /^(?:host|hostaddr|port|user|password|dbname|ssl(?!mode$|rootcert$|negotiation$).*)$/i;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Checks a database URL and returns it unchanged. For an invalid URL, throws an Error whose message begins
 * with a verb, so that the caller can put the setting's name before it. The message never repeats the URL,
 * because the URL may hold a password. Unless `environment` is "sandbox", the URL of a remote database must
 * have sslmode=verify-full. A database on loopback or behind a Unix socket is not remote.
 *
 * ```ts
 * checkDatabaseUrl("postgres://gold_api@db.example/gold?sslmode=verify-full", "production");
 * ```
 */
export function checkDatabaseUrl(text: string, environment: string | undefined): string {
  const { host, socketPath, sslMode } = readDatabaseUrl(text);
  const isLocal = socketPath !== undefined || isLoopback(host);
  if (isLocal || sslMode === "verify-full" || environment === "sandbox") return text;
  throw new Error(
    `reaches ${host} over the network with sslmode=${sslMode}, so another machine could impersonate the database: ` +
      "add sslmode=verify-full, and sslrootcert=FILE with the PEM of the CA unless a public CA issued the certificate. " +
      "Only GOLD_ENV=sandbox allows other modes.",
  );
}

export function readDatabaseUrl(text: string): DatabaseAddress {
  if (!/^postgres(?:ql)?:\/\/./.test(text) || !URL.canParse(text)) {
    throw new Error("must be a postgres:// URL; its value is not shown, because it may hold a password.");
  }
  const url = new URL(text);
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
  const host = readHost(decode(url.hostname));
  const port = url.port === "" ? DEFAULT_PORT : Number(url.port);
  const sslMode = readSslMode(searchParams.get("sslmode"));
  const ca = readAuthorities(searchParams.get("sslrootcert"), sslMode);
  for (const name of TLS_PARAMETERS) searchParams.delete(name);
  const isSocket = host.startsWith("/");
  return {
    host: isSocket ? "localhost" : host,
    port,
    socketPath: isSocket ? `${host}/.s.PGSQL.${port}` : undefined,
    user: decode(url.username) || undefined,
    password: decode(url.password) || undefined,
    database: decode(url.pathname.slice(1)) || undefined,
    sslMode,
    ca,
    parameters: searchParams.toString(),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("has a % that is not followed by two hex digits: write % itself as %25.");
  }
}

function readHost(hostname: string): string {
  // Keep the case of a path: it names the folder of a Unix socket.
  if (hostname.startsWith("/")) return hostname;
  if (hostname === "") {
    throw new Error(
      "names no host: write postgres://USER@HOST/NAME, or postgres://USER@%2Frun%2Fpostgresql/NAME for a Unix socket.",
    );
  }
  if (hostname.includes(",")) throw new Error("names several hosts: give one.");
  return hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
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
