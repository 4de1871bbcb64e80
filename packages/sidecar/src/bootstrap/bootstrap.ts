import type { SidecarConfig } from "../settings.ts";
import { ownRefusals } from "./access_log.ts";
import { type Message, typed } from "./any.ts";
import { LIMIT } from "./limit.ts";
import { partnersListener } from "./listener.ts";
import { adminAddress, adminClusters, statsListeners } from "./stats.ts";
import { serverCertificate } from "./tls.ts";
import { serviceClusters } from "./upstream.ts";

export const BOOTSTRAP_FILE = "envoy.json";

/** Envoy's whole configuration, the same for the sandbox and for production. */
export function envoyBootstrap(config: SidecarConfig): Message {
  return {
    // Give a node name. Envoy watches files with its code for control planes, and that code requires the
    // name.
    node: { id: "sidecar", cluster: config.environment },
    admin: { address: adminAddress(config), ignore_global_conn_limit: true },
    static_resources: {
      listeners: [partnersListener(config), ...statsListeners(config)],
      clusters: [...serviceClusters(config), ...adminClusters(config)],
    },
    overload_manager: overloadManager(config),
    layered_runtime: {
      layers: [{
        name: "static_settings",
        static_layer: {
          overload: {
            premature_reset_total_stream_count: LIMIT.prematureResets,
            premature_reset_min_stream_lifetime_seconds: 1,
          },
          // With one, orders wait in Envoy under overload. With many, a flood delays other partners (decision 52).
          "http.max_requests_per_io_cycle": 3,
          // Refuse bytes between two chunks instead of skipping them.
          "envoy.reloadable_features.strict_chunk_parsing": true,
        },
      }],
    },
  };
}

/** The files of CONFIG_DIRECTORY that Envoy reads, by name. */
export function envoyFiles(config: SidecarConfig): ReadonlyMap<string, Message> {
  return new Map([[BOOTSTRAP_FILE, envoyBootstrap(config)], serverCertificate(config), ownRefusals()]);
}

/** Refuses requests and connections before a flood uses up Envoy's memory. */
function overloadManager({ connectionsMax }: SidecarConfig): Message {
  const HEAP = "envoy.resource_monitors.fixed_heap";
  const CONNECTIONS = "envoy.resource_monitors.global_downstream_max_connections";
  const above = (value: number): Message => ({ triggers: [{ name: HEAP, threshold: { value } }] });
  return {
    refresh_interval: "0.25s",
    resource_monitors: [{
      name: HEAP,
      typed_config: typed("envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig", {
        max_heap_size_bytes: LIMIT.heapBytes,
      }),
    }, {
      name: CONNECTIONS,
      typed_config: typed(
        "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
        { max_active_downstream_connections: connectionsMax },
      ),
    }],
    actions: [
      { name: "envoy.overload_actions.shrink_heap", ...above(0.9) },
      { name: "envoy.overload_actions.stop_accepting_requests", ...above(0.95) },
      { name: "envoy.overload_actions.reject_incoming_connections", ...above(0.98) },
    ],
  };
}
