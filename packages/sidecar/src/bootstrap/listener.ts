import { REST_OF_HANDSHAKE_SECONDS } from "../front/haproxy.ts";
import type { SidecarConfig } from "../settings.ts";
import { accessLog, CONNECTION_LOG } from "./access_log.ts";
import { announcersOf, cidrRange, socketAddress } from "./address.ts";
import { extension, type Message } from "./any.ts";
import { connectionManager } from "./connection_manager.ts";
import { LIMIT, TIMEOUT } from "./limit.ts";
import { mutualTls } from "./tls.ts";

export const PARTNERS_LISTENER = "partners";

/** The listener for partners. With HAProxy in front, HAProxy connects to it on their behalf. */
export function partnersListener(config: SidecarConfig): Message {
  const [first, ...others] = config.listen.map(socketAddress);
  const announcers = announcersOf(config);
  const balanced = announcers.length > 0;
  const handshake = config.front ? `${REST_OF_HANDSHAKE_SECONDS}s` : TIMEOUT.handshake;
  return {
    name: PARTNERS_LISTENER,
    // INBOUND, because a drain closes only inbound listeners. The listener for metrics stays open.
    traffic_direction: "INBOUND",
    address: first!,
    additional_addresses: others.map((address) => ({ address })),
    per_connection_buffer_limit_bytes: LIMIT.connectionBufferBytes,
    listener_filters: balanced ? [PROXY_PROTOCOL] : [],
    listener_filters_timeout: handshake,
    filter_chains: [{
      // Matches only connections from these addresses. Envoy closes any other connection, because no filter
      // chain matches it.
      ...(balanced ? { filter_chain_match: { direct_source_prefix_ranges: announcers.map(cidrRange) } } : {}),
      transport_socket: mutualTls(config),
      transport_socket_connect_timeout: handshake,
      filters: [connectionManager(config)],
    }],
    access_log: [accessLog(config, CONNECTION_LOG)],
  };
}

/**
 * Every connection must start with a PROXY protocol announcement, and only the binary version 2 is accepted.
 */
const PROXY_PROTOCOL = extension(
  "envoy.filters.listener.proxy_protocol",
  "envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol",
  { disallowed_versions: ["V1"] },
);
