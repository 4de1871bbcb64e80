import { parseDocsUrl } from "@gold-partner/protocol";
import {
  type AddressRange,
  distinct,
  type Environment,
  list,
  parseBaseUrl,
  parseCount,
  parseEnvironment,
  parseLoopback,
  parsePath,
  parseRange,
  parseSocket,
  parseTcp,
  parseUpstream,
  readSecret,
  type TcpAddress,
  type UnixAddress,
  type Upstream,
} from "./settings_values.ts";

/** HAProxy, which limits connections by their source before they reach Envoy. */
export interface FrontConfig {
  readonly listen: readonly TcpAddress[];
  readonly metricsListen: TcpAddress;
  readonly directory: string;
  readonly perAddress: number;
  readonly perPartner: number;
  readonly unregistered: number;
}

export interface SidecarConfig {
  readonly environment: Environment;
  readonly publicBaseUrl: string;
  readonly docsUrl: string | undefined;
  readonly listen: readonly TcpAddress[];
  readonly upstreams: readonly Upstream[];
  /**
   * The secret that the service requires over loopback TCP. A Unix socket needs none: its file mode limits
   * access.
   */
  readonly proxySecret: string | undefined;
  /** The folder with Envoy's configuration, which `sidecar config` writes. */
  readonly configDirectory: string;
  readonly trustDirectory: string;
  readonly serverCertificateDirectory: string;
  /** Undefined if partners connect to Envoy directly. */
  readonly front: FrontConfig | undefined;
  /**
   * Load balancers that announce the client's address by PROXY protocol. If empty, Envoy accepts no
   * announcement.
   */
  readonly proxyProtocolFrom: readonly AddressRange[];
  readonly floodPerSecond: number;
  readonly connectionsMax: number;
  readonly adminListen: UnixAddress;
  readonly statsListen: TcpAddress | undefined;
  readonly accessLog: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

interface Setting {
  readonly name: string;
  readonly meaning: string;
  readonly default?: string;
}

/** Every setting of `sidecar config`, for Envoy and for HAProxy. */
export const SIDECAR_SETTINGS: readonly Setting[] = [
  { name: "GOLD_ENV", meaning: "sandbox or production" },
  {
    name: "PUBLIC_BASE_URL",
    meaning: "The URL that partners call, such as https://api.example; requests to other hosts are refused",
  },
  {
    name: "DOCS_URL",
    meaning: "The address of your documentation site, the same as the service's DOCS_URL",
    default: "",
  },
  {
    name: "SIDECAR_LISTEN",
    meaning: "Where Envoy listens: ADDRESS:PORT, comma-separated; 127.0.0.1:PORT behind FRONT_LISTEN",
    default: "0.0.0.0:8443,[::]:8443",
  },
  {
    name: "FRONT_LISTEN",
    meaning:
      "Where partners connect to HAProxy, which runs in front of Envoy and limits connections: ADDRESS:PORT, comma-separated",
    default: "",
  },
  {
    name: "FRONT_DIRECTORY",
    meaning:
      "The folder for HAProxy's configuration and for the Unix socket on which it receives partners' addresses from `sidecar keep`",
    default: "/run/front",
  },
  {
    name: "FRONT_METRICS_LISTEN",
    meaning: "127.0.0.1:PORT for HAProxy's /metrics",
    default: "127.0.0.1:8405",
  },
  {
    name: "CONNECTIONS_PER_ADDRESS",
    meaning:
      "Maximum concurrent connections from one IPv4 address or one IPv6 /64, 1 to 1000000; needs FRONT_LISTEN",
    default: "256",
  },
  {
    name: "CONNECTIONS_PER_PARTNER",
    meaning:
      "Maximum concurrent connections from all registered addresses of one partner, 1 to 1000000; needs FRONT_LISTEN",
    default: "1024",
  },
  {
    name: "CONNECTIONS_UNREGISTERED",
    meaning:
      "Maximum concurrent connections from all addresses that no partner registered, 1 to 1000000; needs FRONT_LISTEN",
    default: "1024",
  },
  {
    name: "UPSTREAMS",
    meaning:
      "The processes of the service, comma-separated: unix:SERVER_SOCKET|unix:OPERATIONS_SOCKET; in the sandbox also 127.0.0.1:PORT",
  },
  {
    name: "PROXY_SECRET_FILE",
    meaning: "The file with the service's PROXY_SECRET; required if an upstream is TCP",
    default: "",
  },
  { name: "CONFIG_DIRECTORY", meaning: "The folder for Envoy's configuration files" },
  {
    name: "TRUST_DIRECTORY",
    meaning: "The folder that `sidecar keep` writes: CA certificates and revocation lists",
  },
  {
    name: "SERVER_CERTIFICATE_DIRECTORY",
    meaning:
      "The folder with tls.crt and tls.key, an EC key; replace both by swapping the link ..data, as Kubernetes does",
  },
  {
    name: "PROXY_PROTOCOL_FROM",
    meaning:
      "Address ranges of load balancers, comma-separated: only they may connect, and they must send PROXY protocol v2",
    default: "",
  },
  {
    name: "FLOOD_PER_SECOND",
    meaning: "Maximum requests per second with one certificate, 1 to 1000000",
    default: "2000",
  },
  {
    name: "CONNECTIONS_MAX",
    meaning: "Maximum concurrent connections of all partners, 1 to 1000000",
    default: "8000",
  },
  {
    name: "ADMIN_LISTEN",
    meaning: "unix:PATH of Envoy's admin interface; only Envoy's own user may open it",
    default: "unix:/run/envoy/admin.sock",
  },
  {
    name: "STATS_LISTEN",
    meaning:
      "127.0.0.1:PORT for Envoy's /stats/prometheus and /ready; the rest of the admin interface is not served there",
    default: "",
  },
  { name: "ACCESS_LOG", meaning: "Absolute path of the access log", default: "/dev/stdout" },
];

export class SidecarConfigError extends Error {
  override readonly name: string = "SidecarConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

/** Reads the settings from the environment. Throws one error that lists all faults. */
export function readSidecarConfig(variables: Variables): SidecarConfig {
  const faults: string[] = [];
  const read: Read = <T>(name: string, parse: (text: string) => T): T => {
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
    docsUrl: read("DOCS_URL", parseDocsUrl),
    listen: read("SIDECAR_LISTEN", (text) => distinct(list(text)).map(parseTcp)),
    upstreams: read("UPSTREAMS", (text) => distinct(list(text)).map(parseUpstream)),
    proxySecret: read("PROXY_SECRET_FILE", readSecret),
    configDirectory: read("CONFIG_DIRECTORY", parsePath),
    trustDirectory: read("TRUST_DIRECTORY", parsePath),
    serverCertificateDirectory: read("SERVER_CERTIFICATE_DIRECTORY", parsePath),
    front: readFront(read),
    proxyProtocolFrom: read("PROXY_PROTOCOL_FROM", (text) => text === "" ? [] : list(text).map(parseRange)),
    floodPerSecond: read("FLOOD_PER_SECOND", parseCount),
    connectionsMax: read("CONNECTIONS_MAX", parseCount),
    adminListen: read("ADMIN_LISTEN", parseSocket),
    statsListen: read("STATS_LISTEN", (text) => text === "" ? undefined : parseLoopback(text)),
    accessLog: read("ACCESS_LOG", parsePath),
  };
  if (config.upstreams?.some(isTcp)) {
    if (config.environment === "production") {
      faults.push(
        "UPSTREAMS must be Unix sockets in production: anyone who can reach a TCP port could impersonate the proxy.",
      );
    } else if (
      config.proxySecret === undefined && !faults.some((fault) => fault.startsWith("PROXY_SECRET_FILE"))
    ) {
      faults.push(
        "PROXY_SECRET_FILE is missing: over TCP, the service accepts only a proxy that sends its PROXY_SECRET.",
      );
    }
  }
  if (config.front && config.listen?.some(({ host }) => host !== "127.0.0.1" && host !== "::1")) {
    faults.push(
      "SIDECAR_LISTEN must be 127.0.0.1:PORT or [::1]:PORT behind FRONT_LISTEN, so that no client can bypass HAProxy.",
    );
  }
  if (faults.length > 0) throw new SidecarConfigError(faults);
  return Object.freeze(config);
}

type Read = <T>(name: string, parse: (text: string) => T) => T;

/** Checks the settings of HAProxy, even if FRONT_LISTEN is empty. */
function readFront(read: Read): FrontConfig | undefined {
  const listen = read("FRONT_LISTEN", (text) => text === "" ? [] : distinct(list(text)).map(parseTcp));
  const front = {
    listen,
    metricsListen: read("FRONT_METRICS_LISTEN", parseLoopback),
    directory: read("FRONT_DIRECTORY", parsePath),
    perAddress: read("CONNECTIONS_PER_ADDRESS", parseCount),
    perPartner: read("CONNECTIONS_PER_PARTNER", parseCount),
    unregistered: read("CONNECTIONS_UNREGISTERED", parseCount),
  };
  return listen?.length > 0 ? front : undefined;
}

const isTcp = ({ server }: Upstream): boolean => server.kind === "tcp";
