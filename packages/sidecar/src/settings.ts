import { readFileSync } from "node:fs";
import { isIP } from "node:net";

type Environment = "sandbox" | "production";

interface TcpAddress {
  readonly kind: "tcp";
  readonly host: string;
  readonly port: number;
}

export type Address = { readonly kind: "unix"; readonly path: string } | TcpAddress;

/** One process of the service: where it serves, and where it says whether it is ready. */
export interface Upstream {
  readonly server: Address;
  readonly operations: Address | undefined;
}

/** A range of IP addresses. */
export interface AddressRange {
  readonly prefix: string;
  readonly bits: number;
}

export interface SidecarConfig {
  readonly environment: Environment;
  readonly publicBaseUrl: string;
  readonly listen: readonly TcpAddress[];
  readonly upstreams: readonly Upstream[];
  /** What the service demands on loopback TCP; a Unix socket's mode says the same. */
  readonly proxySecret: string | undefined;
  /** What Envoy reads: written by `sidecar config`. */
  readonly configDirectory: string;
  readonly trustDirectory: string;
  readonly serverCertificateDirectory: string;
  /** Balancers that say by PROXY protocol who is calling; without any, nobody may. */
  readonly proxyProtocolFrom: readonly AddressRange[];
  readonly floodPerSecond: number;
  readonly connectionsMax: number;
  readonly adminListen: Address;
  readonly accessLog: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

interface Setting {
  readonly name: string;
  readonly meaning: string;
  readonly default?: string;
}

/** Every setting of Envoy's configuration. */
export const SIDECAR_SETTINGS: readonly Setting[] = [
  { name: "GOLD_ENV", meaning: "sandbox or production" },
  {
    name: "PUBLIC_BASE_URL",
    meaning: "What partners call, as in https://api.example; no other host is served",
  },
  {
    name: "SIDECAR_LISTEN",
    meaning: "Where partners connect: ADDRESS:PORT, several by comma",
    default: "0.0.0.0:8443,[::]:8443",
  },
  {
    name: "UPSTREAMS",
    meaning:
      "The processes of the service, by comma: unix:SERVER_SOCKET|unix:OPERATIONS_SOCKET; in the sandbox 127.0.0.1:PORT, too",
  },
  {
    name: "PROXY_SECRET_FILE",
    meaning: "Where an upstream is TCP: the file that holds the service's PROXY_SECRET",
    default: "",
  },
  { name: "CONFIG_DIRECTORY", meaning: "The folder that holds what Envoy reads" },
  {
    name: "TRUST_DIRECTORY",
    meaning: "The folder that `sidecar keep` writes: CA certificates and revocation lists",
  },
  {
    name: "SERVER_CERTIFICATE_DIRECTORY",
    meaning:
      "The folder that holds tls.crt and tls.key, an EC key; replaced by swapping ..data, as Kubernetes does",
  },
  {
    name: "PROXY_PROTOCOL_FROM",
    meaning: "Ranges of balancers, by comma: only they may connect, and they must speak PROXY protocol v2",
    default: "",
  },
  {
    name: "FLOOD_PER_SECOND",
    meaning: "Requests per second of one certificate, 1 to 1000000",
    default: "5000",
  },
  { name: "CONNECTIONS_MAX", meaning: "Partners' connections at once, 1 to 1000000", default: "10000" },
  {
    name: "ADMIN_LISTEN",
    meaning: "unix:PATH or 127.0.0.1:PORT for Envoy's own administration",
    default: "127.0.0.1:9901",
  },
  { name: "ACCESS_LOG", meaning: "Absolute path of the access log", default: "/dev/stdout" },
];

/** As the kernel has it. */
const SOCKET_PATH_MAX_BYTES = 107;
const PORT_MAX = 65_535;
const COUNT_MAX = 1_000_000;
const PROXY_SECRET_MIN_CHARACTERS = 32;

export class SidecarConfigError extends Error {
  override readonly name: string = "SidecarConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

/** The environment, read once. All faults are reported together. */
export function readSidecarConfig(variables: Variables): SidecarConfig {
  const faults: string[] = [];
  const read = <T>(name: string, parse: (text: string) => T): T => {
    const setting = SIDECAR_SETTINGS.find((one) => one.name === name)!;
    const text = variables[name] || setting.default;
    try {
      if (text === undefined) throw new Error(`is missing: ${setting.meaning}.`);
      return parse(text);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
      return undefined as T;
    }
  };
  const config: SidecarConfig = {
    environment: read("GOLD_ENV", parseEnvironment),
    publicBaseUrl: read("PUBLIC_BASE_URL", parseBaseUrl),
    listen: read("SIDECAR_LISTEN", (text) => distinct(list(text)).map(parseTcp)),
    upstreams: read("UPSTREAMS", (text) => distinct(list(text)).map(parseUpstream)),
    proxySecret: read("PROXY_SECRET_FILE", readSecret),
    configDirectory: read("CONFIG_DIRECTORY", parsePath),
    trustDirectory: read("TRUST_DIRECTORY", parsePath),
    serverCertificateDirectory: read("SERVER_CERTIFICATE_DIRECTORY", parsePath),
    proxyProtocolFrom: read("PROXY_PROTOCOL_FROM", (text) => text === "" ? [] : list(text).map(parseRange)),
    floodPerSecond: read("FLOOD_PER_SECOND", parseCount),
    connectionsMax: read("CONNECTIONS_MAX", parseCount),
    adminListen: read("ADMIN_LISTEN", parseLocal),
    accessLog: read("ACCESS_LOG", parsePath),
  };
  if (config.upstreams?.some(isTcp)) {
    if (config.environment === "production") {
      faults.push(
        "UPSTREAMS must be Unix sockets in production: whoever reaches a TCP port could pass for the proxy.",
      );
    } else if (
      config.proxySecret === undefined && !faults.some((fault) => fault.startsWith("PROXY_SECRET_FILE"))
    ) {
      faults.push(
        "PROXY_SECRET_FILE is missing: over TCP the service serves only who knows its PROXY_SECRET.",
      );
    }
  }
  if (config.upstreams?.some(isTcp) && config.adminListen?.kind === "tcp") {
    faults.push(
      "ADMIN_LISTEN must be unix:/PATH where an upstream is TCP: whoever asks it is shown the PROXY_SECRET.",
    );
  }
  if (faults.length > 0) throw new SidecarConfigError(faults);
  return Object.freeze(config);
}

const isTcp = ({ server }: Upstream): boolean => server.kind === "tcp";

const list = (text: string): string[] => text.split(",").map((one) => one.trim());

function distinct(texts: readonly string[]): readonly string[] {
  const twice = texts.find((text, index) => texts.indexOf(text) !== index);
  if (twice !== undefined) throw new Error(`has "${twice}" twice.`);
  return texts;
}

function parseEnvironment(text: string): Environment {
  if (text === "sandbox" || text === "production") return text;
  throw new Error(`is "${text}"; it is sandbox or production.`);
}

/** The service is stricter still, because partners sign it. */
function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && text === url.origin) return text;
  throw new Error(`is "${text}"; it is https:// and a lower-case host, as in https://api.example.`);
}

function parseTcp(text: string): TcpAddress {
  const [, v6, other, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = v6 ?? other ?? "";
  if (isIP(host) !== (v6 === undefined ? 4 : 6) || Number(port) > PORT_MAX) {
    throw new Error(`has "${text}"; an address is 0.0.0.0:8443 or [::]:8443.`);
  }
  return { kind: "tcp", host, port: Number(port) };
}

/** What only this machine reaches. */
export function parseLocal(text: string): Address {
  if (/^unix:\/./.test(text)) return parseSocket(text.slice("unix:".length));
  if (/^(127\.0\.0\.1|\[::1\]):/.test(text)) return parseTcp(text);
  throw new Error(
    `has "${text}"; it is unix:/PATH, 127.0.0.1:PORT or [::1]:PORT, which only this machine reaches.`,
  );
}

function parseSocket(path: string): Address {
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES) return { kind: "unix", path };
  throw new Error(`has "${path}"; a socket's path has ${SOCKET_PATH_MAX_BYTES} bytes at most.`);
}

function parseUpstream(text: string): Upstream {
  const [server = "", operations, ...rest] = text.split("|");
  if (rest.length > 0) {
    throw new Error(`has "${text}"; an upstream is unix:SERVER_SOCKET|unix:OPERATIONS_SOCKET.`);
  }
  return {
    server: parseLocal(server),
    operations: operations === undefined ? undefined : parseLocal(operations),
  };
}

function readSecret(path: string): string | undefined {
  if (path === "") return undefined;
  const secret = readFileSync(path, "utf8").trim();
  if (!/^[!-~]+$/.test(secret) || secret.length < PROXY_SECRET_MIN_CHARACTERS) {
    throw new Error(`must lead to at least ${PROXY_SECRET_MIN_CHARACTERS} visible ASCII characters.`);
  }
  return secret;
}

function parsePath(text: string): string {
  if (text.startsWith("/")) return text;
  throw new Error(`is "${text}"; it is an absolute path.`);
}

function parseRange(text: string): AddressRange {
  const [prefix = "", bits = ""] = text.split("/");
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(prefix)] ?? -1;
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > most) {
    throw new Error(`has "${text}"; a range is written as in 10.0.0.0/8.`);
  }
  return { prefix, bits: Number(bits) };
}

function parseCount(text: string): number {
  const count = Number(text);
  if (/^[1-9]\d{0,6}$/.test(text) && count <= COUNT_MAX) return count;
  throw new Error(`is "${text}"; it is a whole number from 1 to ${COUNT_MAX}.`);
}
