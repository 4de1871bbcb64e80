import { join } from "node:path";
import type { FrontConfig, SidecarConfig } from "../settings.ts";
import type { AddressRange, TcpAddress } from "../settings_values.ts";

/** The socket of HAProxy's runtime API, in FRONT_DIRECTORY. */
export const FRONT_SOCKET = "haproxy.sock";
export const HAPROXY_FILE = "haproxy.cfg";
/**
 * Maps address ranges to the partner that registered them. Empty on disk: `sidecar keep` fills it at runtime.
 */
export const PARTNERS_FILE = "partners.map";
/** The map's value for every address that no partner registered. */
const UNREGISTERED = "unregistered";
/** How long HAProxy waits for a TLS ClientHello, which a client sends at once. */
const HELLO_SECONDS = 1;
/**
 * How long Envoy waits for the rest of the handshake: one round trip and signatures. Both timeouts add up to
 * 3 s.
 */
export const REST_OF_HANDSHAKE_SECONDS = 2;

/** HAProxy's idle timeout. Longer than Envoy's (300 s), so that Envoy decides when a connection ends. */
const IDLE = "310s";
/**
 * Connections to the metrics frontend and to the runtime API. HAProxy accepts them in addition to the
 * partners' connections.
 */
const OWN_CONNECTIONS = 100;
const THREADS = 2;
const PARTNER_ID_MAX_CHARACTERS = 64;

/** The files of FRONT_DIRECTORY that HAProxy reads, by name. */
export function haproxyFiles(config: SidecarConfig): [string, string][] {
  return config.front ? [[HAPROXY_FILE, haproxyConfig(config, config.front)], [PARTNERS_FILE, ""]] : [];
}

/**
 * Counts connections before TLS, when only the client's address is known. Counts them by address, by partner,
 * and over all unregistered addresses together. An IPv6 /64 counts as one address, because each customer of
 * a network provider has at least a /64.
 * HAProxy closes a connection over a limit at once. A connection without a ClientHello never reaches Envoy.
 */
function haproxyConfig(config: SidecarConfig, front: FrontConfig): string {
  const { connectionsMax } = config;
  const owner = `src,map_ip(${join(front.directory, PARTNERS_FILE)},${UNREGISTERED})`;
  // Twice the number of connections, so that the table never fills up: at most connectionsMax entries have a
  // connection, and HAProxy can purge the others. In a full table, HAProxy cannot count new addresses.
  const size = 2 * connectionsMax;
  return `global
  log stdout format raw local0 notice
  maxconn ${connectionsMax + OWN_CONNECTIONS}
  nbthread ${THREADS}
  hard-stop-after 5s
  stats socket ${join(front.directory, FRONT_SOCKET)} mode 660 level admin

defaults
  mode tcp
  retries 0
  timeout connect 1s
  timeout client ${IDLE}
  timeout server ${IDLE}
  timeout client-fin 5s
  timeout server-fin 5s

frontend partners
${
    front.listen.map((address) => `  bind ${textOf(address)}${address.host.includes(":") ? " v6only" : ""}\n`)
      .join("")
  }\
  maxconn ${connectionsMax}
${announced(config.proxyProtocolFrom)}\
  tcp-request session track-sc0 src,ipmask(32,64) table addresses
  tcp-request session reject if { sc_conn_cur(0) gt ${front.perAddress} }
  acl is_unregistered ${owner} -m str ${UNREGISTERED}
  tcp-request session track-sc1 ${owner} table owners
  tcp-request session reject if is_unregistered { sc_conn_cur(1) gt ${front.unregistered} }
  tcp-request session reject if !is_unregistered { sc_conn_cur(1) gt ${front.perPartner} }
  tcp-request inspect-delay ${HELLO_SECONDS}s
  tcp-request content accept if { req.ssl_hello_type 1 }
  tcp-request content reject
  default_backend envoy

backend envoy
  server envoy ${textOf(config.listen[0]!)} send-proxy-v2

backend addresses
  stick-table type ipv6 size ${size} expire 1m store conn_cur

backend owners
  stick-table type string len ${PARTNER_ID_MAX_CHARACTERS} size ${size} expire 1m store conn_cur

frontend metrics
  mode http
  bind ${textOf(front.metricsListen)}
  http-request use-service prometheus-exporter if { path /metrics }
  http-request return status 404
`;
}

/** Accepts only the listed load balancers, and requires each to announce the client's address. */
function announced(ranges: readonly AddressRange[]): string {
  if (ranges.length === 0) return "";
  const listed = `{ src ${ranges.map(({ prefix, bits }) => `${prefix}/${bits}`).join(" ")} }`;
  return `  tcp-request connection reject if !${listed}\n  tcp-request connection expect-proxy layer4\n`;
}

const textOf = ({ host, port }: TcpAddress): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
