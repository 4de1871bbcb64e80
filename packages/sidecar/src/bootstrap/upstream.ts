import type { SidecarConfig } from "../settings.ts";
import type { Upstream } from "../settings_values.ts";
import { socketAddress } from "./address.ts";
import { type Message, typed } from "./any.ts";
import { LIMIT, TIMEOUT } from "./limit.ts";

export const SERVICE = "service";
/** The same processes, for streams. They have connections of their own, so that open streams leave all others free. */
export const STREAMS = "streams";

/** The processes of the service. Envoy never retries, so it sends no request twice. */
export function serviceClusters(config: SidecarConfig): Message[] {
  return [
    serviceCluster(SERVICE, LIMIT.upstreamConnections, config),
    serviceCluster(STREAMS, LIMIT.upstreamStreams, config),
  ];
}

function serviceCluster(name: string, connectionsOfOne: number, { upstreams }: SidecarConfig): Message {
  const connections = connectionsOfOne * upstreams.length;
  return {
    name,
    type: "STATIC",
    connect_timeout: TIMEOUT.connect,
    lb_policy: "LEAST_REQUEST",
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: upstreams.map(endpoint) }] },
    // Refuse requests if no process is ready. By default Envoy would send them to all processes.
    common_lb_config: { healthy_panic_threshold: { value: 0 } },
    health_checks: upstreams.some(({ operations }) => operations) ? [readinessOf(name)] : [],
    circuit_breakers: {
      // routes.ts says which requests have the priority HIGH.
      thresholds: ["DEFAULT", "HIGH"].map((priority) => ({
        priority,
        max_connections: connections,
        max_pending_requests: LIMIT.upstreamWaiting,
        max_requests: connections + LIMIT.upstreamWaiting,
        max_retries: 0,
      })),
    },
    per_connection_buffer_limit_bytes: LIMIT.connectionBufferBytes,
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": typed(
        "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
        {
          common_http_protocol_options: { idle_timeout: TIMEOUT.upstreamIdle },
          explicit_http_config: { http_protocol_options: {} },
        },
      ),
    },
  };
}

function endpoint({ server, operations }: Upstream): Message {
  return {
    endpoint: {
      address: socketAddress(server),
      health_check_config: operations
        ? { address: socketAddress(operations) }
        : { disable_active_health_check: true },
    },
  };
}

/**
 * Checks /ready and not /health. /ready stays 200 while reads work, but /health is 503 while writes are
 * refused. A 503 removes the process at once; the threshold does not apply to it. Three checks in a row
 * without an answer also remove the process: after about 1 s if it is dead, and after about 4 s if it hangs.
 * One slow answer has no effect.
 */
const readinessOf = (name: string): Message => ({
  interval: "0.25s",
  no_traffic_interval: "0.25s",
  timeout: "1s",
  unhealthy_threshold: 3,
  healthy_threshold: 1,
  http_health_check: { path: "/ready", host: name },
});
