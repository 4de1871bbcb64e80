import type { SidecarConfig } from "../settings.ts";
import { accessLog, CONNECTION_LOG } from "./access_log.ts";
import { cidrRange, socketAddress } from "./address.ts";
import { extension, type Message } from "./any.ts";
import { connectionManager } from "./connection_manager.ts";
import { LIMIT, PATIENCE } from "./limit.ts";
import { mutualTls } from "./tls.ts";

/** Where partners connect. */
export function partnersListener(config: SidecarConfig): Message {
  const [first, ...others] = config.listen.map(socketAddress);
  const balanced = config.proxyProtocolFrom.length > 0;
  return {
    name: "partners",
    address: first!,
    additional_addresses: others.map((address) => ({ address })),
    per_connection_buffer_limit_bytes: LIMIT.connectionBufferBytes,
    listener_filters: balanced ? [PROXY_PROTOCOL] : [],
    listener_filters_timeout: PATIENCE.handshake,
    filter_chains: [{
      // A connection from elsewhere has no chain, so it is closed.
      ...(balanced
        ? { filter_chain_match: { direct_source_prefix_ranges: config.proxyProtocolFrom.map(cidrRange) } }
        : {}),
      transport_socket: mutualTls(config),
      transport_socket_connect_timeout: PATIENCE.handshake,
      filters: [connectionManager(config)],
    }],
    access_log: [accessLog(config, CONNECTION_LOG)],
  };
}

/** Required of every connection, and in its binary form alone. */
const PROXY_PROTOCOL = extension(
  "envoy.filters.listener.proxy_protocol",
  "envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol",
  { disallowed_versions: ["V1"] },
);
