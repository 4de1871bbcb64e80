import type { SidecarConfig } from "../settings.ts";
import { socketAddress } from "./address.ts";
import { extension, type Message } from "./any.ts";

const ADMIN = "admin";
/**
 * Only the owner may open the socket, because anyone who can open it can drain Envoy and read its whole
 * configuration.
 */
const SOCKET_MODE = 0o600;

export const adminAddress = ({ adminListen: { path } }: SidecarConfig): Message => ({
  pipe: { path, mode: SOCKET_MODE },
});

/** Exposes two read-only paths of the admin interface on loopback, for Prometheus and probes. */
export function statsListeners({ statsListen }: SidecarConfig): Message[] {
  if (!statsListen) return [];
  const read = (path: string): Message => ({
    match: { path, headers: [{ name: ":method", string_match: { exact: "GET" } }] },
    route: { cluster: ADMIN },
  });
  const manager = extension(
    "envoy.filters.network.http_connection_manager",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    {
      stat_prefix: "stats",
      codec_type: "HTTP1",
      route_config: {
        virtual_hosts: [{
          name: "stats",
          domains: ["*"],
          routes: [
            read("/ready"),
            read("/stats/prometheus"),
            { match: { prefix: "/" }, direct_response: { status: 404 } },
          ],
        }],
      },
      http_filters: [
        extension("envoy.filters.http.router", "envoy.extensions.filters.http.router.v3.Router"),
      ],
    },
  );
  return [{
    name: "stats",
    address: socketAddress(statsListen),
    // Ignore the limit on connections, because metrics are needed most when Envoy is overloaded.
    ignore_global_conn_limit: true,
    bypass_overload_manager: true,
    filter_chains: [{ filters: [manager] }],
  }];
}

export function adminClusters(config: SidecarConfig): Message[] {
  if (!config.statsListen) return [];
  const endpoint = { address: { pipe: { path: config.adminListen.path } } };
  return [{
    name: ADMIN,
    type: "STATIC",
    connect_timeout: "1s",
    load_assignment: { cluster_name: ADMIN, endpoints: [{ lb_endpoints: [{ endpoint }] }] },
  }];
}
